package cleave.master.policy;

import cleave.model.Incarnation;
import cleave.model.Row;
import org.jspecify.annotations.Nullable;

/**
 * Where a range is, since when, and the load that was expected there. Immutable.
 *
 * @param sinceNanos when the balancer first saw it with this owner and these bounds
 * @param expected entities a second
 * @param expected30s the same as an average over half a minute
 * @param splitNanos when it was last created by a split; null if the balancer saw none
 * @param movedNanos when it last moved to another server, or began to rest as if it had
 */
record Placement(
        @Nullable Incarnation owner,
        long epoch,
        long sinceNanos,
        double expected,
        double expected30s,
        @Nullable Long splitNanos,
        @Nullable Long movedNanos) {
    /**
     * After a handoff the new owner's averages are still rising, so a lower figure does not yet replace the expected
     * one.
     */
    private static final long YOUNG_NANOS = 2_000_000_000L;

    boolean isYoung(long now) {
        return now < grownUpNanos();
    }

    long grownUpNanos() {
        return sinceNanos + YOUNG_NANOS;
    }

    /** The placement under a new epoch: the range was handed off, and is expected to keep its load. */
    Placement movedTo(Row row, Measured measured, long now) {
        return new Placement(
                row.owner(), row.epoch(), now, measured.entities(), measured.entities30s(), splitNanos, now);
    }

    Placement stayingFrom(long now) {
        return new Placement(owner, epoch, sinceNanos, expected, expected30s, splitNanos, now);
    }
}
