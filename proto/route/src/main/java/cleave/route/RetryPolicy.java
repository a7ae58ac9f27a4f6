package cleave.route;

import cleave.model.Invariant;
import java.util.Random;

/**
 * The backoff between retries: exponential from the first wait to the longest, with jitter, so that requests refused together are not
 * retried together. Immutable.
 */
public record RetryPolicy(long firstNanos, long longestNanos) {
    /** 4 ms to 100 ms. */
    public static final RetryPolicy DEFAULT = new RetryPolicy(4_000_000, 100_000_000);

    private static final int DOUBLINGS_MAX = 30;

    public RetryPolicy {
        Invariant.check(
                firstNanos > 0 && firstNanos <= longestNanos && longestNanos <= Long.MAX_VALUE >> (DOUBLINGS_MAX + 1),
                "waits from %s to %s ns",
                firstNanos,
                longestNanos);
    }

    /** The wait after this many failed attempts (0 and up) since something changed; half of it is random. */
    public long waitNanos(int retries, Random random) {
        long whole = Math.min(longestNanos, firstNanos << Math.min(retries, DOUBLINGS_MAX));
        return whole / 2 + (long) (random.nextDouble() * (whole - whole / 2));
    }
}
