package cleave.runtime.loop;

import java.util.Random;

/**
 * The wait before another attempt after failures: the first wait after one failure, twice as long after each further one, up to the
 * longest. Immutable and pure.
 */
public record Backoff(long firstNanos, long longestNanos) {
    private static final int DOUBLINGS_MAX = 40;

    public Backoff {
        if (firstNanos < 0 || firstNanos > longestNanos) {
            throw new IllegalArgumentException("waits from " + firstNanos + " to " + longestNanos + " ns");
        }
    }

    /** @param failures in a row; after none there is no wait */
    public long nanos(int failures) {
        if (failures <= 0) {
            return 0;
        }
        int doublings = Math.min(failures - 1, DOUBLINGS_MAX);
        return firstNanos > longestNanos >> doublings ? longestNanos : firstNanos << doublings;
    }

    /** The same wait with half of it random, so that attempts that failed together are not repeated together. */
    public long nanos(int failures, Random random) {
        long whole = nanos(failures);
        return whole / 2 + (long) (random.nextDouble() * (whole - whole / 2));
    }
}
