package cleave.master.policy;

import cleave.master.policy.Decision.Evidence;
import cleave.master.policy.Decision.Reason;
import cleave.master.state.BalancerSettings;
import cleave.model.Incarnation;
import cleave.model.Row;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether two neighbours are merged. Confined to one tick of the balancer. The thresholds lie so far below
 * those of splits, and look back so far, that merges and splits do not undo each other.
 */
final class MergeRule {
    private final ClusterView view;
    private final BalancerSettings settings;
    private final Prediction prediction;
    private final BalancerMemory.Draft histories;

    MergeRule(ClusterView view, Prediction prediction, BalancerMemory.Draft histories) {
        this.view = view;
        this.settings = view.settings();
        this.prediction = prediction;
        this.histories = histories;
    }

    /** True if they should be merged, now or later; until then neither is moved because of its server's load. */
    boolean isWanted(RangeHistory left, RangeHistory right, long now) {
        return isCold(left, right) && isSettled(left, now) && isSettled(right, now);
    }

    /** Null if they are not merged now. */
    @Nullable
    Decision judge(Row left, Row right, long now) {
        RangeHistory leftHistory = histories.of(left.id());
        RangeHistory rightHistory = histories.of(right.id());
        if (!isWanted(leftHistory, rightHistory, now)
                || leftHistory.rests(now)
                || rightHistory.rests(now)
                || !mayMerge(left)
                || !mayMerge(right)) {
            return null;
        }
        Incarnation owner = left.owner();
        Incarnation other = right.owner();
        if (owner == null || other == null) {
            return null;
        }
        List<Evidence> evidence = List.of(
                Evidence.of("most-entities-per-second", leftHistory.maximum() + rightHistory.maximum()),
                Evidence.of("threshold", settings.mergeLoad() * settings.splitLoad()),
                Evidence.of("bytes", (double) leftHistory.bytes() + rightHistory.bytes()),
                Evidence.of("threshold-bytes", settings.mergeBytes() * settings.splitBytes()));
        return owner.equals(other)
                ? decision(Reason.COLD, HandoffPlan.merge(left, right, owner), evidence)
                : bringTogether(left, right, evidence, now);
    }

    private boolean isCold(RangeHistory left, RangeHistory right) {
        return left.maximum() + right.maximum() < settings.mergeLoad() * settings.splitLoad()
                && (double) left.bytes() + right.bytes() < settings.mergeBytes() * settings.splitBytes();
    }

    private boolean isSettled(RangeHistory history, long now) {
        return history.isCoveredFor(settings.mergeWindowNanos(), now)
                && !history.wasSplitWithin(settings.mergeAfterSplitNanos(), now);
    }

    private boolean mayMerge(Row row) {
        ClusterView.Server owner = view.server(row.owner());
        return owner != null
                && owner.takesRanges()
                && !prediction.isBusy(row.id())
                && view.loads().containsKey(row.id());
    }

    /**
     * The smaller one moves, unless it waits for another neighbour. Then both wait for each other, so that no third
     * range has either of them moved away.
     */
    private @Nullable Decision bringTogether(Row left, Row right, List<Evidence> evidence, long now) {
        RangeHistory leftHistory = histories.of(left.id());
        RangeHistory rightHistory = histories.of(right.id());
        boolean leftWaits = leftHistory.wasMovedWithin(settings.moveRestNanos(), now);
        boolean rightWaits = rightHistory.wasMovedWithin(settings.moveRestNanos(), now);
        if (leftWaits && rightWaits) {
            return null;
        }
        boolean leftMoves = rightWaits || (!leftWaits && leftHistory.bytes() < rightHistory.bytes());
        Row moving = leftMoves ? left : right;
        double weight = Prediction.weight(leftMoves ? leftHistory : rightHistory);
        Incarnation from = moving.owner();
        Incarnation to = (leftMoves ? right : left).owner();
        if (from == null || to == null) {
            return null;
        }
        Decision decision = decision(Reason.COLD_APART, HandoffPlan.move(moving, to), evidence);
        if (decision != null) {
            prediction.add(from, -weight);
            prediction.add(to, weight);
            histories.change(left.id(), history -> history.stayingInPlace(now));
            histories.change(right.id(), history -> history.stayingInPlace(now));
        }
        return decision;
    }

    private @Nullable Decision decision(Reason reason, HandoffPlan plan, List<Evidence> evidence) {
        if (!prediction.mayBegin(plan)) {
            return null;
        }
        prediction.begins(plan);
        String why = reason == Reason.COLD
                ? "two neighbours had little load for a long time"
                : "two neighbours had little load for a long time: one moves to the other's server, to be merged there";
        return Decision.handoff(reason, plan, why, evidence, List.of());
    }
}
