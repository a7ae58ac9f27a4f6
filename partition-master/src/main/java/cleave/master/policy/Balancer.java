package cleave.master.policy;

import cleave.master.policy.BalancerMemory.Draft;
import cleave.master.state.BalancerSettings;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
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
    private final BalancerSettings settings;
    private final Draft histories;
    private final long now;
    private final List<OwnedRange> ranges;
    private final SplitRule splitRule;
    private final MergeRule mergeRule;
    private final MoveRule moveRule;
    private final List<Decision> decisions = new ArrayList<>();

    /**
     * The decisions of a tick, and the memory after it.
     *
     * @param memory to be passed to the next tick
     * @param explanation why nothing else was decided
     */
    public record Result(List<Decision> decisions, BalancerMemory memory, Explanation explanation) {
        public Result {
            decisions = List.copyOf(decisions);
        }
    }

    private Balancer(ClusterView view, Draft histories, long now) {
        this.settings = view.settings();
        this.histories = histories;
        this.now = now;
        this.ranges = OwnedRange.all(view, histories);
        Prediction prediction = new Prediction(view, histories);
        this.splitRule = new SplitRule(view, prediction, histories, now);
        this.mergeRule = new MergeRule(view, prediction, histories, now);
        this.moveRule = new MoveRule(view, ranges, prediction, histories, wanted(), now);
    }

    /**
     * Decides on handoffs and verdicts: at most one handoff for a range and two for a server, including those under
     * way; none while any range lacks a live owner, none that involves a draining server, and none that gives a range
     * to a server with little disk space.
     */
    public static Result decide(ClusterView view, BalancerMemory memory, long nowNanos) {
        Draft histories = memory.observing(view, nowNanos);
        boolean takeoversGoFirst = view.rows().stream().anyMatch(row -> view.server(row.owner()) == null);
        if (takeoversGoFirst) {
            return new Result(List.of(), histories.memory(), new Explanation(view.rows(), List.of(), null));
        }
        Balancer tick = new Balancer(view, histories, nowNanos);
        List<Decision> decisions = tick.decide();
        Explanation.Rules rules =
                new Explanation.Rules(tick.ranges, histories, tick.splitRule, tick.mergeRule, tick.moveRule);
        return new Result(decisions, histories.memory(), new Explanation(view.rows(), decisions, rules));
    }

    private List<Decision> decide() {
        if (splitRule.isOn()) {
            splits();
        }
        if (moveRule.isOn()) {
            for (Decision next = moveRule.next(); next != null; next = moveRule.next()) {
                decisions.add(next);
            }
        }
        if (mergeRule.isOn()) {
            merges();
        }
        for (Decision decision : decisions) {
            if (!decision.isVerdict()) {
                decision.ranges().forEach(range -> histories.change(range, history -> history.ordered(now)));
            }
        }
        return decisions;
    }

    private void splits() {
        List<OwnedRange> hottestFirst = new ArrayList<>();
        for (OwnedRange range : ranges) {
            if (splitRule.isFree(range)) {
                if (splitRule.isTooMuch(range)) {
                    hottestFirst.add(range);
                } else {
                    histories.change(range.id(), idle -> idle.cooled(settings));
                }
            }
        }
        hottestFirst.sort(
                Comparator.comparing((OwnedRange range) -> -range.history().entities()));
        hottestFirst.forEach(range -> add(splitRule.judge(range)));
    }

    /** The ranges that will be merged with a neighbour. */
    private SortedSet<Long> wanted() {
        TreeSet<Long> wanted = new TreeSet<>();
        if (!settings.move() || !mergeRule.isOn()) {
            return wanted;
        }
        for (int i = 1; i < ranges.size(); i++) {
            OwnedRange left = ranges.get(i - 1);
            OwnedRange right = ranges.get(i);
            if (mergeRule.isWanted(left, right)) {
                wanted.add(left.id());
                wanted.add(right.id());
            }
        }
        return wanted;
    }

    private void merges() {
        for (int i = 1; i < ranges.size(); i++) {
            add(mergeRule.judge(ranges.get(i - 1), ranges.get(i)));
        }
    }

    private void add(@Nullable Decision decision) {
        if (decision != null) {
            decisions.add(decision);
        }
    }
}
