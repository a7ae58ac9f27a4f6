package cleave.server.range;

import cleave.server.metrics.ServerMetrics;

/**
 * How many bytes a server holds for its callers, over all ranges: admitted requests and have no answer, what was read for
 * them, and answers that their receiver has not taken. While there is too much, no request is admitted, and one of an account that holds
 * most of it even earlier. Thread-safe.
 *
 * <p>What is taken is given back by its taker, once.
 */
public final class MemoryBudget {
    /** What a request takes besides its own bytes, and an answer. */
    public static final int OVERHEAD_BYTES = 1024;

    /** Accounts of this many buckets are told apart. */
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
