package cleave.chaos.load;

/**
 * What one run showed. Immutable.
 *
 * @param failures answers that were no success, and broken connections
 * @param lastFailure one of them, for people; empty if there is none
 */
public record Figures(
        double operationsPerSecond,
        double medianMillis,
        double p99Millis,
        double maxMillis,
        long failures,
        String lastFailure) {
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double NANOS_PER_SECOND = 1e9;

    static Figures of(Latencies latencies, long elapsedNanos, long failures, String lastFailure) {
        return new Figures(
                latencies.count() * NANOS_PER_SECOND / elapsedNanos,
                latencies.quantileNanos(0.5) / NANOS_PER_MILLI,
                latencies.quantileNanos(0.99) / NANOS_PER_MILLI,
                latencies.maxNanos() / NANOS_PER_MILLI,
                failures,
                lastFailure);
    }
}
