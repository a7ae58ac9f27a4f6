package cleave.master.policy;

import cleave.master.state.BalancerSettings;
import cleave.model.Row;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Decides which ranges are split, merged and moved, and says why; to be asked every second or so. Confined to the master loop.
 *
 * <p>A function of what it is shown and of what it remembers of the ranges (how hot they were, when they were split and moved).
 * The memory is lost with the leadership, and safe so: a new leader remembers nothing and so merges nothing until it has seen
 * enough, and splits only what it has itself seen hot for seconds.
 *
 * <p>What keeps it from turning in circles: a split needs a load of four times what two neighbours may have to be merged; a move
 * needs a gap of twice what it moves; maxima go on through splits and merges; and each decision of a tick is planned on what the
 * earlier ones predict. Under a steady load it comes to rest.
 */
public final class Balancer {
    private TreeMap<Long, RangeHistory> histories = new TreeMap<>();

    /** A new leader begins. */
    public void forget() {
        histories = new TreeMap<>();
    }

    /**
     * What is to be done now, or is to be said; no two handoffs about one range, at most two on a server with those under way,
     * none while any range lacks a living owner, none with a server that drains, and none that gives a range to
     * one with little space on its disk.
     */
    public List<Decision> decide(View view, long nowNanos) {
        remember(view, nowNanos);
        for (Row row : view.rows()) {
            if (view.server(row.owner()) == null) {
                return List.of(); // Takeovers go first.
            }
        }
        Prediction prediction = new Prediction(view, histories);
        BalancerSettings settings = view.settings();
        boolean merge = settings.merge() && nowNanos - view.leaderSinceNanos() >= settings.mergeAfterStartNanos();
        MergeRule merges = new MergeRule(view, prediction);
        List<Decision> decisions = new ArrayList<>();
        if (settings.split()) {
            splits(view, prediction, decisions, nowNanos);
        }
        if (settings.move()) {
            SortedSet<Long> staying = merge ? wanted(view, merges, nowNanos) : new TreeSet<>();
            MoveRule moves = new MoveRule(view, prediction, histories, staying);
            for (Decision next = moves.next(nowNanos); next != null; next = moves.next(nowNanos)) {
                decisions.add(next);
            }
        }
        if (merge) {
            merges(view, merges, decisions, nowNanos);
        }
        decisions.forEach(decision -> noteOrdered(decision, nowNanos));
        return decisions;
    }

    private void noteOrdered(Decision decision, long now) {
        if (!decision.isVerdict()) {
            decision.ranges().forEach(range -> history(range).ordered(now));
        }
    }

    private void remember(View view, long now) {
        TreeMap<Long, RangeHistory> next = new TreeMap<>();
        for (Row row : view.rows()) {
            RangeHistory history = histories.get(row.id());
            if (history == null) {
                history = begun(view, row, now);
            }
            history.observe(row, view.loads().get(row.id()), view.settings(), now);
            next.put(row.id(), history);
        }
        histories = next;
    }

    /** That of a range which is new here: it goes on with those that it came from. */
    private RangeHistory begun(View view, Row row, long now) {
        List<RangeHistory> before = new ArrayList<>();
        for (RangeHistory old : histories.values()) {
            if (old.interval().overlaps(row.range())) {
                before.add(old);
            }
        }
        int siblings = 1;
        if (before.size() == 1) {
            RangeHistory parent = before.get(0);
            siblings = (int) Math.max(
                    1,
                    view.rows().stream()
                            .filter(each -> parent.interval().contains(each.range()))
                            .count());
        }
        return RangeHistory.of(row, before, siblings, now);
    }

    private RangeHistory history(long range) {
        RangeHistory history = histories.get(range);
        if (history == null) {
            throw new AssertionError("no history of range " + range);
        }
        return history;
    }

    private void splits(View view, Prediction prediction, List<Decision> decisions, long now) {
        SplitRule rule = new SplitRule(view.settings(), prediction);
        List<Row> hottestFirst = new ArrayList<>();
        for (Row row : view.rows()) {
            Load load = view.loads().get(row.id());
            View.Server owner = view.server(row.owner());
            RangeHistory history = history(row.id());
            boolean free = !prediction.isBusy(row.id()) && !history.rests(now);
            if (load != null && free && owner != null && owner.takesRanges()) {
                if (rule.isTooMuch(load, history)) {
                    hottestFirst.add(row);
                } else {
                    history.cooled(view.settings());
                }
            }
        }
        hottestFirst.sort(Comparator.comparing((Row row) -> -history(row.id()).entities()));
        for (Row row : hottestFirst) {
            Load load = Objects.requireNonNull(view.loads().get(row.id()));
            add(rule.judge(row, load, history(row.id()), now), decisions);
        }
    }

    /** The ranges that are to be merged with a neighbour. */
    private SortedSet<Long> wanted(View view, MergeRule rule, long now) {
        TreeSet<Long> wanted = new TreeSet<>();
        for (int i = 1; i < view.rows().size(); i++) {
            long left = view.rows().get(i - 1).id();
            long right = view.rows().get(i).id();
            if (rule.isWanted(history(left), history(right), now)) {
                wanted.add(left);
                wanted.add(right);
            }
        }
        return wanted;
    }

    private void merges(View view, MergeRule rule, List<Decision> decisions, long now) {
        for (int i = 1; i < view.rows().size(); i++) {
            Row left = view.rows().get(i - 1);
            Row right = view.rows().get(i);
            add(rule.judge(left, history(left.id()), right, history(right.id()), now), decisions);
        }
    }

    private static void add(@Nullable Decision decision, List<Decision> decisions) {
        if (decision != null) {
            decisions.add(decision);
        }
    }
}
