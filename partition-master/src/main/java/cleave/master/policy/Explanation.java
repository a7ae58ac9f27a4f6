package cleave.master.policy;

import cleave.model.Row;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Why a tick of the balancer did not split, merge or move a range: what the tick ended with, and the rules that it
 * decided by. Nothing is worked out before it is asked for, and then only for that range. Not thread-safe; it may be asked until
 * the next tick.
 *
 * <p>Within a tick, servers only get busier, and ranges only rest longer. So what stood against a handoff when the tick
 * judged it still stands at its end.
 */
public final class Explanation {
    /** Before the first tick. */
    public static final Explanation NONE = new Explanation(null, List.of(), null);

    private final @Nullable Ranges ranges;
    private final List<Decision> decisions;
    private final @Nullable Rules rules;
    /** What was decided for each range; null before anybody asked. */
    private @Nullable Map<Long, Set<HandoffPlan.Kind>> decided;

    /** What a tick decided by; there is none if takeovers go first. */
    record Rules(ClusterView view, Draft histories, SplitRule split, MergeRule merge, MoveRule move) {
        OwnedRange asItIs(Tracked range) {
            return OwnedRange.of(range, view).now(histories);
        }
    }

    Explanation(@Nullable Ranges ranges, List<Decision> decisions, @Nullable Rules rules) {
        this.ranges = ranges;
        this.decisions = decisions;
        this.rules = rules;
    }

    /**
     * What stood against each kind of handoff, in the order in which the balancer looks at it. A kind of which there is
     * nothing was decided.
     */
    public List<WhyNot> of(Row asked) {
        Tracked seen = ranges == null ? null : ranges.find(asked.id());
        Rules by = rules;
        if (seen == null) {
            return ofAll(WhyNot.Reason.NOT_SEEN, "the balancer has not looked at it yet");
        }
        if (by == null) {
            return ofAll(WhyNot.Reason.TAKEOVERS_FIRST, "takeovers go first: there are ranges without a live owner");
        }
        OwnedRange range = by.asItIs(seen);
        Set<HandoffPlan.Kind> done = decided().getOrDefault(range.id(), Set.of());
        List<WhyNot> all = new ArrayList<>();
        if (!done.contains(HandoffPlan.Kind.SPLIT)) {
            all.addAll(by.split().whyNot(range));
        }
        if (!done.contains(HandoffPlan.Kind.MERGE)) {
            all.addAll(by.merge().whyNot(neighbour(seen.before, by), range, neighbour(seen.behind, by)));
        }
        if (!done.contains(HandoffPlan.Kind.MOVE)) {
            all.addAll(by.move().whyNot(range));
        }
        return all;
    }

    private static List<WhyNot> ofAll(WhyNot.Reason reason, String text) {
        List<WhyNot> all = new ArrayList<>();
        for (HandoffPlan.Kind kind : HandoffPlan.Kind.values()) {
            all.add(new WhyNot(kind, reason, text, List.of(), null));
        }
        return all;
    }

    private static @Nullable OwnedRange neighbour(@Nullable Tracked range, Rules by) {
        return range == null ? null : by.asItIs(range);
    }

    private Map<Long, Set<HandoffPlan.Kind>> decided() {
        Map<Long, Set<HandoffPlan.Kind>> known = decided;
        if (known == null) {
            known = new HashMap<>();
            for (Decision decision : decisions) {
                if (!decision.isVerdict()) {
                    HandoffPlan.Kind kind =
                            Objects.requireNonNull(decision.plan()).kind();
                    for (long range : decision.ranges()) {
                        known.computeIfAbsent(range, first -> EnumSet.noneOf(HandoffPlan.Kind.class))
                                .add(kind);
                    }
                }
            }
            decided = known;
        }
        return known;
    }
}
