package cleave.chaos.load.report;

import cleave.chaos.load.run.Tally.Count;
import org.HdrHistogram.Histogram;

/**
 * About a second of a run: it ends with a second of the wall clock, or with the run. Immutable. Latencies are in milliseconds, and of operations
 * that ended as they should.
 *
 * @param second of the run at its end
 * @param length in seconds
 * @param offered operations per second that the schedule wants; 0 in a closed loop
 * @param done operations per second that ended as they should
 * @param failed operations per second that did not
 * @param retries attempts per second beyond the first
 */
public record Second(
        double second,
        double length,
        double offered,
        double done,
        double failed,
        double retries,
        double p50,
        double p99,
        double p999,
        double max) {
    static Second of(double second, double length, double offered, Count since, Histogram latencies) {
        return new Second(
                second,
                length,
                offered,
                since.done() / length,
                since.failed() / length,
                since.retries() / length,
                Latencies.millis(latencies, 50),
                Latencies.millis(latencies, 99),
                Latencies.millis(latencies, 99.9),
                Latencies.maxMillis(latencies));
    }

    double begin() {
        return second - length;
    }

    /** The same, counted from another second 0. */
    Second later(double seconds) {
        return new Second(second + seconds, length, offered, done, failed, retries, p50, p99, p999, max);
    }

    /**
     * The same second of two processes: operations add up; of percentiles the worse one counts, which the true one does not exceed.
     */
    Second plus(Second other) {
        double end = Math.max(second, other.second);
        double both = end - Math.min(begin(), other.begin());
        return new Second(
                end,
                both,
                (offered * length + other.offered * other.length) / both,
                (done * length + other.done * other.length) / both,
                (failed * length + other.failed * other.length) / both,
                (retries * length + other.retries * other.length) / both,
                Math.max(p50, other.p50),
                Math.max(p99, other.p99),
                Math.max(p999, other.p999),
                Math.max(max, other.max));
    }
}
