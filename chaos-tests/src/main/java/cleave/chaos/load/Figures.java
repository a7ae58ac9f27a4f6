package cleave.chaos.load;

import org.HdrHistogram.Histogram;

/**
 * The result of one run. Immutable.
 *
 * @param failures wrong answers and broken connections
 * @param failure the text of one of them; empty if there is none
 */
public record Figures(
        double operationsPerSecond,
        double medianMillis,
        double p99Millis,
        double maxMillis,
        long failures,
        String failure) {
    /** Significant digits of latencies in histograms. */
    public static final int DIGITS = 3;

    private static final double NANOS_PER_MILLI = 1e6;
    private static final double NANOS_PER_SECOND = 1e9;

    static Figures of(Histogram latencies, long elapsedNanos, long failures, String failure) {
        return new Figures(
                latencies.getTotalCount() * NANOS_PER_SECOND / elapsedNanos,
                latencies.getValueAtPercentile(50) / NANOS_PER_MILLI,
                latencies.getValueAtPercentile(99) / NANOS_PER_MILLI,
                latencies.getMaxValue() / NANOS_PER_MILLI,
                failures,
                failure);
    }
}
