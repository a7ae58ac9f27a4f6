package cleave.chaos.load.report;

import cleave.chaos.load.run.Schedule;
import cleave.chaos.load.run.Step;
import cleave.chaos.load.run.Tally.Count;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/** A table of latencies, whose rows are the same in the text and in the page. Immutable. */
record Table(List<String> heads, List<Row> rows) {
    private static final List<Double> PERCENTILES = List.of(50.0, 90.0, 99.0, 99.9);

    /** @param failed how many operations; empty if the row is about those alone */
    record Row(String name, String count, String done, Histogram latencies, String failed) {
        /** @param millis the format of a latency */
        List<String> cells(String millis) {
            List<String> cells = new ArrayList<>(List.of(name, count, done));
            Stream.concat(
                            PERCENTILES.stream().map(percentile -> Latencies.millis(latencies, percentile)),
                            Stream.of(Latencies.maxMillis(latencies)))
                    .map(latency -> latencies.getTotalCount() == 0 ? "-" : String.format(Locale.ROOT, millis, latency))
                    .forEach(cells::add);
            cells.add(failed);
            return cells;
        }
    }

    /** A row for each action, for all together if there are several, and for what failed. */
    static Table ofOperations(Summary summary) {
        Count total = summary.total();
        List<Row> rows = new ArrayList<>();
        summary.counts().forEach((action, count) -> rows.add(of(action.id(), count, summary, summary.latency(action))));
        if (summary.counts().size() != 1) {
            rows.add(of("all", total, summary, summary.latency()));
        }
        if (total.failed() > 0) {
            String perSecond = number(total.failed() / summary.seconds());
            rows.add(new Row("(failed)", number(total.failed()), perSecond, summary.failedLatency(), ""));
        }
        return new Table(
                heads(
                        summary.steps().isEmpty() || summary.search() != null ? "latency in ms" : "all steps, in ms",
                        "operations",
                        "per s"),
                rows);
    }

    private static Row of(String name, Count count, Summary summary, Histogram latencies) {
        return new Row(
                name,
                number(count.operations()),
                number(count.done() / summary.seconds()),
                latencies,
                number(count.failed()));
    }

    static Table ofSteps(List<Step> steps) {
        return new Table(
                heads("step, in ms", "due", "done"),
                steps.stream()
                        .map(step -> new Row(
                                name(step),
                                number(step.due()),
                                number(step.done()),
                                step.latency(),
                                number(step.failed())))
                        .toList());
    }

    private static List<String> heads(String name, String count, String done) {
        return List.of(name, count, done, "p50", "p90", "p99", "p99.9", "max", "failed");
    }

    private static String number(Number number) {
        return String.format(Locale.ROOT, "%,.0f", number.doubleValue());
    }

    /** Such as {@code 500/s for 10 s}. */
    static String name(Step step) {
        return Schedule.text(step.rate()) + "/s for " + Schedule.text(step.seconds()) + " s";
    }
}
