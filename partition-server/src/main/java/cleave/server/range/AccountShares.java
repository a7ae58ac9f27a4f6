package cleave.server.range;

import cleave.model.Invariant;
import cleave.server.metrics.ServerMetrics;
import io.prometheus.client.Gauge;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Shares a bounded resource between accounts. Thread-safe. An account may take more while it holds less than {@value
 * #HEADROOM} times what is free; so a single account may hold four fifths of the whole, and an account that holds
 * nothing always gets some.
 *
 * <p>Account numbers are hashed into buckets; the accounts of a bucket count as one. Requests of no account, number 0,
 * are bounded by the whole only.
 *
 * <p>Whatever is taken must be given back exactly once.
 */
public final class AccountShares {
    private static final int MEMORY_BUCKETS = 4096;
    private static final int NOBODY = 0;
    private static final int HEADROOM = 4;
    private static final int SPREAD = 0x9E3779B9;

    private final long max;
    private final int shift;
    private final AtomicLong taken = new AtomicLong();
    private final AtomicLongArray byBucket;
    private final Gauge.Child metric;

    /**
     * The memory that a server holds for its callers, over all ranges: requests that were let in and are not answered, the results of their
     * reads, and answers that their receivers have not taken.
     */
    public static AccountShares ofMemory(long bytesMax, ServerMetrics metrics) {
        metrics.bytesHeldMax.set((double) bytesMax);
        return new AccountShares(bytesMax, MEMORY_BUCKETS, metrics.bytesHeld);
    }

    /**
     * @param buckets a power of two
     * @param metric shows what is taken, of this resource and others of its kind
     */
    AccountShares(long max, int buckets, Gauge.Child metric) {
        Invariant.check(Integer.bitCount(buckets) == 1 && buckets > 1, "%s buckets", buckets);
        this.max = max;
        this.metric = metric;
        this.shift = Integer.numberOfLeadingZeros(buckets) + 1;
        this.byBucket = new AtomicLongArray(buckets);
    }

    private int bucket(int account) {
        return (account * SPREAD) >>> shift;
    }

    /** True if an account may take more. */
    boolean admits(int account) {
        long free = max - taken.get();
        return free > 0 && (account == NOBODY || byBucket.get(bucket(account)) / HEADROOM < free);
    }

    public void take(int account, long amount) {
        taken.addAndGet(amount);
        metric.inc((double) amount);
        if (account != NOBODY) {
            byBucket.addAndGet(bucket(account), amount);
        }
    }

    public void give(int account, long amount) {
        take(account, -amount);
    }
}
