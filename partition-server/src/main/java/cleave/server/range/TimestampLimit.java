package cleave.server.range;

import cleave.model.Ticks;

/**
 * The highest timestamp that ranges take from the wall clock: the leader's clock as last received, advanced by the
 * monotonic clock, plus a bound. So a wall clock that runs ahead costs accuracy and nothing else. One per server.
 * Thread-safe: written by the membership's loop.
 *
 * <p>It never sets timestamps back: those of a range that already exceeds it continue to rise, by one tick each.
 */
public final class TimestampLimit {
    /** The default of the leader's setting {@code master.clock-skew}, for leaders that do not send it. */
    public static final long UNTOLD_SKEW_TICKS = 5 * Ticks.PER_SECOND;

    private static final long NONE = Long.MAX_VALUE;
    private static final long NANOS_PER_TICK = 100;

    /** The limit less the monotonic clock, in ticks. */
    private volatile long offset = NONE;
    /** Confined to the membership's loop. */
    private boolean leaderHeard;

    /**
     * Takes a leader's clock.
     *
     * @param askedNanos a time before the leader read its clock, so that a correct clock of this server is never
     *     limited
     */
    public void heard(long leaderTicks, long skewTicks, long askedNanos) {
        leaderHeard = true;
        set(leaderTicks, skewTicks, askedNanos);
    }

    /** Notes that a leader found this server's clock close enough to its own; valid until a leader sends its clock. */
    public void registered(long ownTicks, long askedNanos) {
        if (!leaderHeard) {
            set(ownTicks, UNTOLD_SKEW_TICKS, askedNanos);
        }
    }

    private void set(long ticks, long skewTicks, long nanos) {
        offset = ticks + skewTicks - Math.floorDiv(nanos, NANOS_PER_TICK);
    }

    long at(long nanos) {
        long now = offset;
        return now == NONE ? NONE : now + Math.floorDiv(nanos, NANOS_PER_TICK);
    }
}
