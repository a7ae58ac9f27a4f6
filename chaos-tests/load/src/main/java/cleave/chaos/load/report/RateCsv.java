package cleave.chaos.load.report;

import cleave.chaos.load.run.Step;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** The steps of a load as CSV, a line each, in the order in which they were put on: latencies are in milliseconds. Stateless. */
public final class RateCsv {
    private static final List<Double> PERCENTILES = List.of(50.0, 90.0, 99.0, 99.9);
    private static final String HEAD = "rate,seconds,due,done,failed,p50_ms,p90_ms,p99_ms,p99.9_ms,max_ms,kept\n";

    private RateCsv() {}

    /** The column {@code kept} is empty unless the steps are those of a search. A latency is empty if nothing succeeded. */
    public static String of(Summary summary) {
        StringBuilder text = new StringBuilder(HEAD);
        Search search = summary.search();
        for (int i = 0; i < summary.steps().size(); i++) {
            Step step = summary.steps().get(i);
            String kept =
                    search == null ? "" : Boolean.toString(search.tries().get(i).isKept());
            text.append(String.format(
                            Locale.ROOT,
                            "%.1f,%.1f,%d,%d,%d,",
                            step.rate(),
                            step.seconds(),
                            step.due(),
                            step.done(),
                            step.failed()))
                    .append(latencies(step))
                    .append(kept)
                    .append('\n');
        }
        return text.toString();
    }

    private static String latencies(Step step) {
        if (step.latency().getTotalCount() == 0) {
            return ",".repeat(PERCENTILES.size() + 1);
        }
        StringBuilder text = new StringBuilder();
        Stream.concat(
                        PERCENTILES.stream().map(percentile -> Latencies.millis(step.latency(), percentile)),
                        Stream.of(Latencies.maxMillis(step.latency())))
                .forEach(millis -> text.append(String.format(Locale.ROOT, "%.3f,", millis)));
        return text.toString();
    }
}
