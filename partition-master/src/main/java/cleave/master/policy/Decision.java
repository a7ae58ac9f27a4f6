package cleave.master.policy;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the balancer wants done, or what it sees and cannot change, and why. Immutable.
 *
 * @param plan the handoff; null for a verdict
 * @param ranges that it is about
 * @param why for people
 * @param evidence the figures that it rests on
 * @param rejected what was not done instead, and why
 */
public record Decision(
        Reason reason,
        @Nullable HandoffPlan plan,
        List<Long> ranges,
        String why,
        List<Evidence> evidence,
        List<String> rejected) {
    /** What moves the balancer. */
    public enum Reason {
        /** The load of a range exceeds the threshold. */
        HOT,
        /** A range is so large that a takeover would take long. */
        LARGE,
        /** All inserts go beyond one end of a range: the end is split off, once; then it is a verdict. */
        MOVING_END,
        /** Verdict: one partition is most of a hot range, and partitions are not divided. */
        POPULAR_PARTITION,
        /** Verdict: no bound that is known divides a hot or large range well. */
        NO_BOUND,
        /** Neighbours were idle together for long. */
        COLD,
        /** Cold neighbours are brought to one server, to be merged there. */
        COLD_APART,
        /** A server has more to do than another. */
        UNEVEN,
        /** A server joined and has little to do. */
        JOINED
    }

    /** One figure. */
    public record Evidence(String name, String value) {
        static Evidence of(String name, double value) {
            return new Evidence(name, Long.toString(Math.round(value)));
        }

        static Evidence percent(String name, double share) {
            return new Evidence(name, Math.round(share * 100) + "%");
        }
    }

    public Decision {
        ranges = List.copyOf(ranges);
        evidence = List.copyOf(evidence);
        rejected = List.copyOf(rejected);
    }

    public boolean isVerdict() {
        return plan == null;
    }

    static Decision handoff(
            Reason reason, HandoffPlan plan, String why, List<Evidence> evidence, List<String> rejected) {
        List<Long> ranges = plan.sources().stream().map(row -> row.id()).toList();
        return new Decision(reason, plan, ranges, why, evidence, rejected);
    }

    static Decision verdict(Reason reason, long range, String why, List<Evidence> evidence, List<String> rejected) {
        return new Decision(reason, null, List.of(range), why, evidence, rejected);
    }
}
