package cleave.client;

import java.time.Duration;
import java.util.Locale;
import java.util.Random;

/**
 * The waits before an operation is sent again, as Azure's guide to scalable partitioning recommends. Immutable and pure.
 *
 * <p>Exponential: {@code y = Rand(low * z, high * z) * (2^x - 1)}, and the wait is {@code min(zmin + y, zmax)}, where {@code x} is the
 * number of retries before. The first retry thus waits {@code zmin}. The random factor keeps clients that failed together from coming back
 * together.
 *
 * @param retriesMax of one operation
 * @param zSeconds the default wait, and the wait of {@link Strategy#FIXED}
 * @param zMinSeconds the least wait of {@link Strategy#EXPONENTIAL}
 * @param zMaxSeconds its longest
 * @param low the least random factor
 * @param high the greatest
 */
public record RetryPolicy(
        Strategy strategy,
        int retriesMax,
        double zSeconds,
        double zMinSeconds,
        double zMaxSeconds,
        double low,
        double high) {
    /** Whether and how operations are repeated. */
    public enum Strategy {
        NONE,
        FIXED,
        EXPONENTIAL;

        public String id() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public static final RetryPolicy NONE = new RetryPolicy(Strategy.NONE, 0, 30, 3, 90, 0.8, 1.2);

    /** The default of the SDKs: retries after 0.8, 1.6 and 3.2 s. */
    public static final RetryPolicy SDK = new RetryPolicy(Strategy.EXPONENTIAL, 3, 0.8, 0.8, 60, 1, 1);

    public RetryPolicy {
        if (retriesMax < 0 || zSeconds < 0 || zMinSeconds < 0) {
            throw new IllegalArgumentException("retries and their waits cannot be negative");
        }
        if (zMaxSeconds < zMinSeconds) {
            throw new IllegalArgumentException(
                    "the longest wait, " + zMaxSeconds + " s, is shorter than the least, " + zMinSeconds + " s");
        }
        if (low < 0 || high < low) {
            throw new IllegalArgumentException(
                    "the factor of chance, " + low + ".." + high + ", is no interval from 0 up");
        }
    }

    public static RetryPolicy fixed(int retriesMax, Duration wait) {
        double seconds = wait.toMillis() / 1e3;
        return new RetryPolicy(Strategy.FIXED, retriesMax, seconds, 0, seconds, 1, 1);
    }

    /**
     * The wait before the next attempt; -1 if there is none.
     *
     * @param before the number of retries so far
     */
    public double waitSeconds(int before, Random random) {
        if (strategy == Strategy.NONE || before >= retriesMax) {
            return -1;
        }
        if (strategy == Strategy.FIXED) {
            return zSeconds;
        }
        double chance = low * zSeconds + random.nextDouble() * (high - low) * zSeconds;
        return Math.min(zMinSeconds + chance * (Math.pow(2, before) - 1), zMaxSeconds);
    }

    @Override
    public String toString() {
        return switch (strategy) {
            case NONE -> "none";
            case FIXED -> String.format(Locale.ROOT, "fixed, at most %d, each after %s s", retriesMax, plain(zSeconds));
            case EXPONENTIAL ->
                String.format(
                        Locale.ROOT,
                        "exponential, at most %d; z %s s, zmin %s s, zmax %s s, factor %s..%s",
                        retriesMax,
                        plain(zSeconds),
                        plain(zMinSeconds),
                        plain(zMaxSeconds),
                        plain(low),
                        plain(high));
        };
    }

    private static String plain(double number) {
        return number == Math.rint(number) ? Long.toString((long) number) : String.format(Locale.ROOT, "%.3g", number);
    }
}
