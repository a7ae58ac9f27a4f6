package cleave.master.policy;

/**
 * Since when a range is where it is, and the load that was expected there. Immutable; ranges that a leader saw first in the same tick share one.
 *
 * @param sinceNanos when the balancer first saw it with this owner and these bounds
 * @param expected entities a second
 * @param expected30s the same as an average over half a minute
 * @param splitNanos when it was last created by a split; {@link #NEVER} if the balancer saw none
 * @param movedNanos when it last moved to another server, or began to rest as if it had; or {@link #NEVER}
 */
record Placement(long sinceNanos, double expected, double expected30s, long splitNanos, long movedNanos) {
    static final long NEVER = Long.MIN_VALUE;

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
    Placement moved(Measured measured, long now) {
        return new Placement(now, measured.entities(), measured.entities30s(), splitNanos, now);
    }

    Placement stayingFrom(long now) {
        return new Placement(sinceNanos, expected, expected30s, splitNanos, now);
    }

    boolean wasSplitWithin(long nanos, long now) {
        return splitNanos != NEVER && now - splitNanos < nanos;
    }

    boolean wasMovedWithin(long nanos, long now) {
        return movedNanos != NEVER && now - movedNanos < nanos;
    }
}
