package cleave.server.policy;

/**
 * Gives the timestamps of one range. Confined to the range's loop.
 *
 * <p>Invariant I8: they rise strictly, above all that the range and those it came from ever gave, whatever the clock does; the
 * ETag is made from the timestamp.
 */
public final class Timestamps {
    private long last;

    /** None at or below the floor is given. */
    public Timestamps(long floor) {
        this.last = floor;
    }

    /** The time, or just above the last one if time is not beyond it. */
    public long next(long nowTicks) {
        last = Math.max(nowTicks, last + 1);
        return last;
    }

    /** The highest ever given. */
    public long highest() {
        return last;
    }
}
