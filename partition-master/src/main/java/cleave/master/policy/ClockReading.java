package cleave.master.policy;

/**
 * How far a server's wall clock is ahead of the leader's monotonic one, in ticks, from what its heartbeats say. Not
 * thread-safe: the clocks own it.
 *
 * <p>A delay of a heartbeat, on the network or in a paused leader, makes the clock look behind by as much. So the
 * highest value of the last second or two counts: a jump ahead is seen at once, and a jump back a little later.
 */
public final class ClockReading {
    private static final long WINDOW_NANOS = 1_000_000_000L;

    private long windowBegan;
    private long highest;
    private long highestBefore;

    public ClockReading(long offset, long now) {
        windowBegan = now;
        highest = offset;
        highestBefore = offset;
    }

    public void heard(long offset, long now) {
        if (now - windowBegan < WINDOW_NANOS) {
            highest = Math.max(highest, offset);
        } else {
            windowBegan = now;
            highestBefore = highest;
            highest = offset;
        }
    }

    public long offset() {
        return Math.max(highest, highestBefore);
    }
}
