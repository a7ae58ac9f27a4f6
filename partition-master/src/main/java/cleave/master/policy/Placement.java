package cleave.master.policy;

import cleave.model.Incarnation;
import cleave.model.Row;
import org.jspecify.annotations.Nullable;

/**
 * Where a range is, since when, and what it was expected to carry there. Immutable.
 *
 * @param sinceNanos when the balancer first saw it with this owner and these bounds
 * @param expected entities a second
 * @param expected30s the same as an average over half a minute
 * @param splitNanos when it was last made by a split; null: not since the balancer looks
 * @param movedNanos when it last came to another server, or began to stay where it is as if it had
 */
record Placement(
        @Nullable Incarnation owner,
        long epoch,
        long sinceNanos,
        double expected,
        double expected30s,
        @Nullable Long splitNanos,
        @Nullable Long movedNanos) {
    /** After a handoff the new owner's figures are young: what was expected of it is not yet refuted by less. */
    private static final long YOUNG_NANOS = 2_000_000_000L;

    boolean isYoung(long now) {
        return now - sinceNanos < YOUNG_NANOS;
    }

    /** The row has another epoch: the range has moved, and is expected to carry what it did. */
    Placement movedTo(Row row, Measured measured, long now) {
        return new Placement(
                row.owner(), row.epoch(), now, measured.entities(), measured.entities30s(), splitNanos, now);
    }

    Placement stayingFrom(long now) {
        return new Placement(owner, epoch, sinceNanos, expected, expected30s, splitNanos, now);
    }
}
