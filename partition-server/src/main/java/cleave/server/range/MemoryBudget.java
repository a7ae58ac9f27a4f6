package cleave.server.range;

import cleave.server.metrics.ServerMetrics;

/**
 * The memory that a server holds for its callers, over all ranges: admitted requests that are not answered yet, the
 * results of their reads, and answers that their receivers have not taken. While it exceeds the limit no request is
 * admitted; an account that holds most of it is refused even earlier. Thread-safe.
 *
 * <p>Whatever is taken must be given back exactly once.
 */
public final class MemoryBudget {
    /** Overhead of a request, and of an answer, besides its own bytes. */
    public static final int OVERHEAD_BYTES = 1024;

    /** Number of buckets into which accounts are hashed. */
    private static final int BUCKETS = 4096;

    private final AccountShares bytes;
    private final ServerMetrics metrics;

    public MemoryBudget(long bytesMax, ServerMetrics metrics) {
        this.bytes = new AccountShares(bytesMax, BUCKETS);
        this.metrics = metrics;
        metrics.bytesHeldMax.set((double) bytesMax);
    }

    /** True if there is room for more of this account. */
    boolean admits(int account) {
        return bytes.admits(account);
    }

    public void take(int account, long amount) {
        bytes.take(account, amount);
        metrics.bytesHeld.inc((double) amount);
    }

    public void give(int account, long amount) {
        bytes.give(account, amount);
        metrics.bytesHeld.dec((double) amount);
    }
}
