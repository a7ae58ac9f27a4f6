package cleave.server.range;

import cleave.model.Ticks;

/**
 * The highest timestamp that ranges take from the wall clock: the clock of the masters' leader as heard last, carried on by the
 * monotonic clock, and a bound. So a wall clock that runs ahead costs accuracy and nothing else. One per server. Thread-safe: written by
 * the membership's loop.
 *
 * <p>It is an upper limit and never turns time back: a range whose timestamps are beyond it goes on from them, by a tick each.
 */
public final class TimestampLimit {
    /** What a leader permits unless its setting {@code master.clock-skew} says otherwise: for one that does not tell. */
    public static final long UNTOLD_SKEW_TICKS = 5 * Ticks.PER_SECOND;

    private static final long NONE = Long.MAX_VALUE;
    private static final long NANOS_PER_TICK = 100;

    /** The limit less the monotonic clock, in ticks. */
    private volatile long offset = NONE;
    /** Confined to the membership's loop. */
    private boolean leaderHeard;

    /**
     * A leader told its clock.
     *
     * @param askedNanos when it had not read it yet, so that a server's clock that is right is never limited
     */
    public void heard(long leaderTicks, long skewTicks, long askedNanos) {
        leaderHeard = true;
        set(leaderTicks, skewTicks, askedNanos);
    }

    /** A leader compared its clock with the server's, and found them close enough. It counts until a leader tells its own. */
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
