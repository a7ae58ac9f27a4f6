package cleave.chaos.load;

import cleave.chaos.load.report.Latencies;
import cleave.chaos.load.report.Summary;
import cleave.chaos.load.run.Tally;
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
    public static final int DIGITS = Tally.DIGITS;

    /** The figures of a run's operations. */
    public static Figures of(Summary summary) {
        Histogram latencies = summary.latency();
        return new Figures(
                summary.goodput(),
                Latencies.millis(latencies, 50),
                Latencies.millis(latencies, 99),
                Latencies.maxMillis(latencies),
                summary.total().failed(),
                summary.failures().stream().findFirst().orElse(""));
    }
}
