package cleave.master.policy;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One condition that stood against a handoff of a range in a tick of the balancer. Immutable.
 *
 * @param text a sentence about the range ("it ..."), without its end
 * @param untilNanos when it ends if nothing changes, on the clock of the decisions; null: no end is known
 */
public record WhyNot(
        HandoffPlan.Kind of,
        Reason reason,
        String text,
        List<Figure> figures,
        @Nullable Long untilNanos) {
    /** The conditions. */
    public enum Reason {
        /** The balancer has not looked at the range yet. */
        NOT_SEEN,
        /** Some range has no live owner: takeovers go first. */
        TAKEOVERS_FIRST,
        /** A setting switches this kind of handoff off. */
        OFF,
        /** Nothing is merged in the first time of a leader. */
        AFTER_START,
        /** The owner does not report the range as served. */
        NOT_SERVED,
        /** A handoff of the range is under way or wanted. */
        BUSY,
        /** The range rests after a decision that had no effect yet, or after it could not be split. */
        COOLING,
        /** The owner is draining, which moves its ranges by other rules. */
        DRAINING,
        /** The owner gets no ranges, because of its disk or its clock. */
        ASIDE,
        /** The owner, or the owner of a neighbour, takes part in as many handoffs as it may. */
        BUDGET,

        /** Neither hot nor large. */
        NOT_HOT,
        /** Hot, but not for long enough. */
        HOT_TOO_SHORT,
        /** One partition is most of it. */
        ONE_PARTITION,
        /** All inserts go beyond one end. */
        MOVING_END,
        /** No known bound divides it well. */
        NO_BOUND,
        /** Large, but its owner does not know yet where its bytes halve. */
        SIZE_UNKNOWN,

        /** There is no other range. */
        ALONE,
        /** It and its neighbour carry too much for one range. */
        NOT_COLD,
        /** It and its neighbour hold too much for one range. */
        TOO_LARGE,
        /** The loads of the time that counts are not known yet. */
        WINDOW,
        /** It or its neighbour was split lately. */
        SPLIT_LATELY,
        /** Its neighbour is at another server: one of them must be moved first. */
        APART,

        /** It came to its server lately. */
        MOVED_LATELY,
        /** It is about to be merged with a neighbour. */
        TO_BE_MERGED,
        /** No live server may be given a range now. */
        NO_TARGET,
        /** Its server carries hardly more than the least loaded one. */
        EVEN,
        /** It carries too much of the gap between the two servers: the target would be the heavier one. */
        TOO_HOT,
        /** It carries so little that its move would not narrow the gap. */
        TOO_LITTLE;

        /** The word for programs: {@code not-hot}. */
        public String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    public WhyNot {
        figures = List.copyOf(figures);
    }
}
