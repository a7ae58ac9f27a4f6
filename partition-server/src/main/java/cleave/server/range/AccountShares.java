package cleave.server.range;

import cleave.model.Invariant;
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
final class AccountShares {
    private static final int NOBODY = 0;
    private static final int HEADROOM = 4;
    private static final int SPREAD = 0x9E3779B9;

    private final long max;
    private final int shift;
    private final AtomicLong taken = new AtomicLong();
    private final AtomicLongArray byBucket;

    /** @param buckets a power of two */
    AccountShares(long max, int buckets) {
        Invariant.check(Integer.bitCount(buckets) == 1 && buckets > 1, "%s buckets", buckets);
        this.max = max;
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

    void take(int account, long amount) {
        taken.addAndGet(amount);
        if (account != NOBODY) {
            byBucket.addAndGet(bucket(account), amount);
        }
    }

    void give(int account, long amount) {
        take(account, -amount);
    }
}
