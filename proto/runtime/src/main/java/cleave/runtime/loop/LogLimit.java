package cleave.runtime.loop;

/** Limits how many lines of a kind are logged per second, and counts the others. Confined to its owner. */
public final class LogLimit {
    private static final long SECOND_NANOS = 1_000_000_000;

    private final int perSecond;
    private long secondBegan;
    private int logged;
    private long suppressed;

    public LogLimit(int perSecond) {
        this.perSecond = perSecond;
    }

    /** True if a line may be logged now; it is then expected to say how many were {@linkplain #suppressed() suppressed} before it. */
    public boolean admits(long nowNanos) {
        if (logged == 0 || nowNanos - secondBegan >= SECOND_NANOS) {
            secondBegan = nowNanos;
            logged = 0;
        }
        if (logged >= perSecond) {
            suppressed++;
            return false;
        }
        logged++;
        return true;
    }

    /** The number of lines that were not logged since this was last called. */
    public long suppressed() {
        long count = suppressed;
        suppressed = 0;
        return count;
    }
}
