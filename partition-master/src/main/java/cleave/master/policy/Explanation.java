package cleave.master.policy;

import cleave.master.policy.BalancerMemory.Draft;
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
 * decided by. Nothing is worked out before it is asked for, and then only for that range. Not thread-safe.
 *
 * <p>Within a tick, servers only get busier, and ranges only rest longer. So what stood against a handoff when the tick
 * judged it still stands at its end.
 */
public final class Explanation {
    /** Before the first tick. */
    public static final Explanation NONE = new Explanation(List.of(), List.of(), null);

    private final List<Row> rows;
    private final List<Decision> decisions;
    private final @Nullable Rules rules;
    /** What was decided for each range; null before anybody asked. */
    private @Nullable Map<Long, Set<HandoffPlan.Kind>> decided;

    /** What a tick decided by; there is none if takeovers go first. */
    record Rules(List<OwnedRange> ranges, Draft histories, SplitRule split, MergeRule merge, MoveRule move) {
        OwnedRange at(int index) {
            return ranges.get(index).now(histories);
        }
    }

    Explanation(List<Row> rows, List<Decision> decisions, @Nullable Rules rules) {
        this.rows = rows;
        this.decisions = decisions;
        this.rules = rules;
    }

    /**
     * What stood against each kind of handoff, in the order in which the balancer looks at it. A kind of which there is
     * nothing was decided.
     */
    public List<WhyNot> of(Row asked) {
        int at = at(asked);
        Rules by = rules;
        if (at < 0) {
            return ofAll(WhyNot.Reason.NOT_SEEN, "the balancer has not looked at it yet");
        }
        if (by == null) {
            return ofAll(WhyNot.Reason.TAKEOVERS_FIRST, "takeovers go first: there are ranges without a live owner");
        }
        OwnedRange range = by.at(at);
        Set<HandoffPlan.Kind> done = decided().getOrDefault(range.id(), Set.of());
        List<WhyNot> all = new ArrayList<>();
        if (!done.contains(HandoffPlan.Kind.SPLIT)) {
            all.addAll(by.split().whyNot(range));
        }
        if (!done.contains(HandoffPlan.Kind.MERGE)) {
            all.addAll(by.merge()
                    .whyNot(at == 0 ? null : by.at(at - 1), range, at + 1 == rows.size() ? null : by.at(at + 1)));
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

    /** Where the range was in the tick; negative if it was not there. */
    private int at(Row asked) {
        int at = BalancerMemory.firstOver(rows, asked.range());
        return at < rows.size() && rows.get(at).id() == asked.id() ? at : -1;
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
