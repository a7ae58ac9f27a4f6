package cleave.chaos.load.report;

import org.HdrHistogram.Histogram;

/**
 * About a second of a run. Immutable. Latencies are in milliseconds.
 *
 * @param second of the run at its end
 * @param offered operations per second that the schedule wants; 0 in a closed loop
 * @param done operations per second that ended as they should
 * @param failed operations per second that did not
 * @param retries attempts per second beyond the first
 */
public record Second(
        double second,
        double offered,
        double done,
        double failed,
        double retries,
        double p50,
        double p99,
        double p999,
        double max) {
    /** @param length of the interval in seconds */
    static Second of(double second, double length, double offered, long[] doneFailedRetries, Histogram latencies) {
        return new Second(
                second,
                offered,
                doneFailedRetries[0] / length,
                doneFailedRetries[1] / length,
                doneFailedRetries[2] / length,
                Latencies.millis(latencies, 50),
                Latencies.millis(latencies, 99),
                Latencies.millis(latencies, 99.9),
                Latencies.maxMillis(latencies));
    }

    /** The same second of two processes: rates add up; of percentiles the worse one counts, which the true one does not exceed. */
    Second plus(Second other) {
        return new Second(
                Math.max(second, other.second),
                offered + other.offered,
                done + other.done,
                failed + other.failed,
                retries + other.retries,
                Math.max(p50, other.p50),
                Math.max(p99, other.p99),
                Math.max(p999, other.p999),
                Math.max(max, other.max));
    }
}
