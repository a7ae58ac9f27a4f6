package cleave.server.policy;

/** How long to wait before something that failed is tried again. Pure: doubles from the least to the most. */
public record Backoff(long leastNanos, long mostNanos) {
    /** For calls to the DFS and to masters. */
    public static final Backoff CALLS = new Backoff(20_000_000L, 2_000_000_000L);
    /** For streams of heartbeats, which must be back soon. */
    public static final Backoff STREAMS = new Backoff(20_000_000L, 200_000_000L);
    /** For whole attempts to open a range. */
    public static final Backoff OPENINGS = new Backoff(100_000_000L, 20_000_000_000L);

    /** After this many failures in a row, from 1. */
    public long delayNanos(int failures) {
        int doublings = Math.min(30, failures - 1);
        return Math.min(mostNanos, leastNanos << doublings);
    }
}
