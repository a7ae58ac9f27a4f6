package cleave.runtime.metrics;

/**
 * The upper bounds of the buckets of all histograms of durations, so that the histograms of different roles can be compared. Stateless.
 *
 * <p>1, 2 and 5 of each decade: a quantile that is read from them is off by less than half of its value, anywhere. They begin at 100 µs,
 * which is less than a sync takes on a fast disk. They end at 100 s, beyond the 30 s that a request may take and near the longest
 * checkpoints and takeovers. 1 s (the longest stall that a handoff may cause), 5 s (the end of a page) and 30 s are bounds themselves, so
 * how many requests exceed them is known exactly.
 */
public final class Buckets {
    private static final double[] SECONDS = {
        0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 100
    };

    private Buckets() {}

    /** Ascending; the caller's own copy. */
    public static double[] seconds() {
        return SECONDS.clone();
    }
}
