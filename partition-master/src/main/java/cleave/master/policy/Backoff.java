package cleave.master.policy;

/**
 * How long to wait after failures: twice as long after each one, up to a bound. Immutable.
 *
 * @param firstNanos the wait after one failure
 * @param maxNanos the longest wait
 */
public record Backoff(long firstNanos, long maxNanos) {
    private static final int DOUBLINGS_MAX = 40;

    public long nanos(int failures) {
        if (failures <= 0) {
            return 0;
        }
        int doublings = Math.min(failures - 1, DOUBLINGS_MAX);
        long most = maxNanos >> doublings;
        return firstNanos > most ? maxNanos : firstNanos << doublings;
    }
}
