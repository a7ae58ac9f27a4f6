package cleave.master.policy;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A handoff that the balancer wants, or a verdict, with its reasons. Immutable.
 *
 * @param plan the handoff; null for a verdict
 * @param ranges the ranges concerned
 * @param why the reason as text
 * @param evidence the figures behind it
 * @param rejected alternatives, and why they were rejected
 */
public record Decision(
        Reason reason,
        @Nullable HandoffPlan plan,
        List<Long> ranges,
        String why,
        List<Figure> evidence,
        List<String> rejected) {
    /** The reasons of the balancer. */
    public enum Reason {
        /** The load of a range exceeds the threshold. */
        HOT,
        /** A range is so large that a takeover would take long. */
        LARGE,
        /** All inserts go beyond one end of a range: the end is split off once; after that this is a verdict. */
        MOVING_END,
        /** Verdict: one partition is most of a hot range, and partitions are not divided. */
        POPULAR_PARTITION,
        /** Verdict: no known bound divides a hot or large range well. */
        NO_BOUND,
        /** Neighbours had little load together for a long time. */
        COLD,
        /** Cold neighbours are brought to one server, to be merged there. */
        COLD_APART,
        /** A server has more load than another. */
        UNEVEN,
        /** A server joined and has little load. */
        JOINED
    }

    public Decision {
        ranges = List.copyOf(ranges);
        evidence = List.copyOf(evidence);
        rejected = List.copyOf(rejected);
    }

    public boolean isVerdict() {
        return plan == null;
    }

    static Decision handoff(Reason reason, HandoffPlan plan, String why, List<Figure> evidence, List<String> rejected) {
        List<Long> ranges = plan.sources().stream().map(row -> row.id()).toList();
        return new Decision(reason, plan, ranges, why, evidence, rejected);
    }

    static Decision verdict(Reason reason, long range, String why, List<Figure> evidence, List<String> rejected) {
        return new Decision(reason, null, List.of(range), why, evidence, rejected);
    }
}
