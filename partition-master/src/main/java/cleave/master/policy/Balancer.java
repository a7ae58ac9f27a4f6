package cleave.master.policy;

import cleave.master.policy.BalancerMemory.Draft;
import cleave.master.state.BalancerSettings;
import cleave.model.Row;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Decides which ranges are split, merged and moved, and says why; called every second or so. Stateless: a function of a
 * view of the cluster, the memory of the ranges (how hot they were, when they were split and moved), and the time.
 *
 * <p>Losing the memory with the leadership is safe: a new leader merges nothing until it has observed enough, and
 * splits only ranges that it has itself seen hot for seconds.
 *
 * <p>It does not oscillate. By default a split needs four times the load up to which two neighbours are merged, and a
 * move needs a gap of twice the load that it moves. Ranges inherit maxima through splits and merges; and each
 * decision of a tick takes into account what the earlier ones will change. Under a steady load it comes to rest.
 */
public final class Balancer {
    private final ClusterView view;
    private final BalancerSettings settings;
    private final Draft histories;
    private final long now;
    private final Prediction prediction;
    private final List<Decision> decisions = new ArrayList<>();

    /**
     * The decisions of a tick, and the memory after it. Immutable.
     *
     * @param memory to be passed to the next tick
     */
    public record Result(List<Decision> decisions, BalancerMemory memory) {
        public Result {
            decisions = List.copyOf(decisions);
        }
    }

    private Balancer(ClusterView view, Draft histories, long now) {
        this.view = view;
        this.settings = view.settings();
        this.histories = histories;
        this.now = now;
        this.prediction = new Prediction(view, histories);
    }

    /**
     * Decides on handoffs and verdicts: at most one handoff for a range and two for a server, including those under
     * way; none while any range lacks a live owner, none that involves a draining server, and none that gives a range
     * to a server with little disk space.
     */
    public static Result decide(ClusterView view, BalancerMemory memory, long nowNanos) {
        Draft histories = memory.observing(view, nowNanos);
        boolean takeoversGoFirst = view.rows().stream().anyMatch(row -> view.server(row.owner()) == null);
        List<Decision> decisions = takeoversGoFirst ? List.of() : new Balancer(view, histories, nowNanos).decide();
        return new Result(decisions, histories.memory());
    }

    private List<Decision> decide() {
        boolean merges = settings.merge() && now - view.leaderSinceNanos() >= settings.mergeAfterStartNanos();
        MergeRule mergeRule = new MergeRule(view, prediction, histories);
        if (settings.split()) {
            splits();
        }
        if (settings.move()) {
            SortedSet<Long> staying = merges ? wanted(mergeRule) : new TreeSet<>();
            MoveRule rule = new MoveRule(view, prediction, histories, staying);
            for (Decision next = rule.next(now); next != null; next = rule.next(now)) {
                decisions.add(next);
            }
        }
        if (merges) {
            merges(mergeRule);
        }
        for (Decision decision : decisions) {
            if (!decision.isVerdict()) {
                decision.ranges().forEach(range -> histories.change(range, history -> history.ordered(now)));
            }
        }
        return decisions;
    }

    private void splits() {
        SplitRule rule = new SplitRule(settings, prediction, histories);
        List<Row> hottestFirst = new ArrayList<>();
        for (Row row : view.rows()) {
            Load load = view.loads().get(row.id());
            ClusterView.Server owner = view.server(row.owner());
            RangeHistory history = histories.of(row.id());
            boolean free = !prediction.isBusy(row.id()) && !history.rests(now);
            if (load != null && free && owner != null && owner.takesRanges()) {
                if (rule.isTooMuch(load, history)) {
                    hottestFirst.add(row);
                } else {
                    histories.change(row.id(), idle -> idle.cooled(settings));
                }
            }
        }
        hottestFirst.sort(
                Comparator.comparing((Row row) -> -histories.of(row.id()).entities()));
        for (Row row : hottestFirst) {
            add(rule.judge(row, Objects.requireNonNull(view.loads().get(row.id())), now));
        }
    }

    /** The ranges that will be merged with a neighbour. */
    private SortedSet<Long> wanted(MergeRule rule) {
        TreeSet<Long> wanted = new TreeSet<>();
        for (int i = 1; i < view.rows().size(); i++) {
            long left = view.rows().get(i - 1).id();
            long right = view.rows().get(i).id();
            if (rule.isWanted(histories.of(left), histories.of(right), now)) {
                wanted.add(left);
                wanted.add(right);
            }
        }
        return wanted;
    }

    private void merges(MergeRule rule) {
        for (int i = 1; i < view.rows().size(); i++) {
            add(rule.judge(view.rows().get(i - 1), view.rows().get(i), now));
        }
    }

    private void add(@Nullable Decision decision) {
        if (decision != null) {
            decisions.add(decision);
        }
    }
}
