package cleave.master.policy;

import cleave.master.state.BalancerSettings;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Decides which ranges are split, merged and moved, and says why; called every second or so. Stateless: a function of a
 * view of the cluster, of the ranges (how hot they were, when they were split and moved), and the time. It looks only at ranges that
 * a rule may want ({@link RangeIndex}).
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
    private final ClusterView view;
    private final Ranges ranges;
    private final SplitRule splitRule;
    private final MergeRule mergeRule;
    private final MoveRule moveRule;
    private final List<Decision> decisions = new ArrayList<>();

    /**
     * The decisions of a tick.
     *
     * @param histories those that it has changed, by range, to be remembered
     * @param explanation why nothing else was decided
     */
    public record Result(List<Decision> decisions, SortedMap<Long, RangeHistory> histories, Explanation explanation) {
        public Result {
            decisions = List.copyOf(decisions);
        }
    }

    private Balancer(ClusterView view, Ranges ranges, Draft histories, long now) {
        this.settings = view.settings();
        this.view = view;
        this.ranges = ranges;
        this.histories = histories;
        this.now = now;
        Prediction prediction = new Prediction(view, ranges);
        this.splitRule = new SplitRule(view, prediction, histories, now);
        this.mergeRule = new MergeRule(view, prediction, histories, now);
        this.moveRule = new MoveRule(view, ranges, prediction, histories, this::isToBeMerged, now);
    }

    /**
     * Decides on handoffs and verdicts: at most one handoff for a range and two for a server, including those under
     * way; none while any range lacks a live owner, none that involves a draining server, and none that gives a range
     * to a server with little disk space.
     */
    public static Result decide(ClusterView view, Ranges ranges, long nowNanos) {
        Draft histories = new Draft(ranges);
        boolean takeoversGoFirst = !ranges.areOwnedBy(view.servers());
        if (takeoversGoFirst) {
            return new Result(List.of(), histories.changed(), new Explanation(ranges, List.of(), null));
        }
        Balancer tick = new Balancer(view, ranges, histories, nowNanos);
        List<Decision> decisions = tick.decide();
        Explanation.Rules rules = new Explanation.Rules(view, histories, tick.splitRule, tick.mergeRule, tick.moveRule);
        return new Result(decisions, histories.changed(), new Explanation(ranges, decisions, rules));
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
        for (Tracked each : ranges.watched()) {
            OwnedRange range = OwnedRange.of(each, view);
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

    /** True if a range will be merged with a neighbour. */
    private boolean isToBeMerged(OwnedRange range) {
        Tracked its = ranges.of(range.id());
        return settings.move() && mergeRule.isOn() && (isPairWanted(its.before, its) || isPairWanted(its, its.behind));
    }

    private boolean isPairWanted(@Nullable Tracked left, @Nullable Tracked right) {
        return left != null
                && right != null
                && mergeRule.isWanted(OwnedRange.of(left, view), OwnedRange.of(right, view));
    }

    private void merges() {
        for (Tracked left : ranges.leftOfCold()) {
            Tracked right = Objects.requireNonNull(left.behind);
            add(mergeRule.judge(OwnedRange.of(left, view), OwnedRange.of(right, view)));
        }
    }

    private void add(@Nullable Decision decision) {
        if (decision != null) {
            decisions.add(decision);
        }
    }
}
