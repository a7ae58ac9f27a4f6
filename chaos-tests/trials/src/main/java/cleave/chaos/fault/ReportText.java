package cleave.chaos.fault;

import cleave.chaos.fault.Report.Seen;
import cleave.chaos.load.run.Tally;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/** The reports of trials as text. Pure. */
public final class ReportText {
    private static final long NANOS_PER_MICRO = 1_000;
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final int LINES_MAX = 20;

    private final Report report;
    private final StringBuilder text = new StringBuilder();

    private ReportText(Report report) {
        this.report = report;
    }

    /** A column for the steps of one kind; a column that is empty for all of them is left out. */
    private record Column(String title, BiFunction<Report, List<Seen>, Object> cell) {}

    private static final List<Column> COLUMNS = List.of(
            new Column("step", (report, seen) -> seen.get(0).step().kind()),
            new Column("times", (report, seen) -> seen.size()),
            new Column("operations", sum(Seen::operations)),
            new Column(
                    "sent again",
                    (report, seen) ->
                            report.repeated().isEmpty() ? "" : sum(Seen::again).apply(report, seen)),
            new Column("writes acknowledged", sum(Seen::acknowledged)),
            // A trial is judged as a whole, so its steps share their number of wrong answers.
            new Column(
                    "lost or wrong",
                    (report, seen) -> report.result().violations().size()),
            new Column("requests failed", sum(each -> each.failed().size())),
            new Column("longest stall s", (report, seen) -> seconds(seen, Seen::stall, 100)),
            new Column(
                    "writable after min / median / max s",
                    (report, seen) -> report.isProbed() ? seconds(seen, Seen::writable, 0, 50, 100) : ""),
            new Column("back after median / max s", (report, seen) -> seconds(seen, Seen::away, 50, 100)),
            new Column("mended after median / max s", (report, seen) -> seconds(seen, Seen::mended, 50, 100)),
            new Column("goal", (report, seen) -> seen.get(0).step().goal()));

    private static BiFunction<Report, List<Seen>, Object> sum(ToLongFunction<Seen> value) {
        return (report, seen) ->
                String.format(Locale.ROOT, "%,d", seen.stream().mapToLong(value).sum());
    }

    private static String seconds(List<Seen> seen, ToLongFunction<Seen> value, double... percentiles) {
        Histogram nanos = Report.histogram(seen, value);
        return Arrays.stream(percentiles)
                .mapToObj(percentile -> String.format(
                        Locale.ROOT,
                        "%.2f",
                        (percentile == 0 ? nanos.getMinValue() : nanos.getValueAtPercentile(percentile))
                                / NANOS_PER_SECOND))
                .collect(Collectors.joining(" / "));
    }

    /** The whole of these reports. */
    public static String of(List<Report> reports) {
        StringBuilder text = new StringBuilder(steps(reports));
        for (Report report : reports) {
            if (reports.size() > 1) {
                report.seen().keySet().forEach(kind -> text.append(kind).append(": "));
            }
            text.append(new ReportText(report).text());
        }
        return text.append(conclusion(reports)).toString();
    }

    /** A row for each kind of step; empty if there were none. */
    static String steps(List<Report> reports) {
        List<List<String>> rows = reports.stream()
                .flatMap(report -> report.seen().values().stream().map(seen -> row(report, seen)))
                .toList();
        List<Integer> shown = IntStream.range(0, COLUMNS.size())
                .filter(column -> rows.stream().anyMatch(row -> !row.get(column).isEmpty()))
                .boxed()
                .toList();
        return shown.isEmpty()
                ? ""
                : line(shown.stream().map(column -> COLUMNS.get(column).title()))
                        + line(shown.stream().map(column -> "---"))
                        + rows.stream()
                                .map(row -> line(shown.stream().map(row::get)))
                                .collect(Collectors.joining());
    }

    private static List<String> row(Report report, List<Seen> seen) {
        return COLUMNS.stream()
                .map(column -> column.cell().apply(report, seen).toString())
                .toList();
    }

    private static String line(Stream<String> cells) {
        return cells.collect(Collectors.joining(" | ", "| ", " |\n"));
    }

    private String text() {
        if (!report.handoffs().seen().isEmpty()) {
            handoffs();
        }
        add("All operations: %s%n", report.history().outcomes());
        Histogram all = new Stalls(report.history().operations(), report.table())
                .distribution(report.handoffs().countsFrom());
        add(
                "All %,d reads, writes and transactions%s: p50 %.1f ms, p99 %.1f ms, p99.9 %.1f ms, max %.1f ms.%n",
                all.getTotalCount(),
                report.handoffs().seen().isEmpty() ? "" : " after the warm-up",
                millis(all, 50),
                millis(all, 99),
                millis(all, 99.9),
                millis(all, 100));
        add(
                "%d requests failed, and %d more that a step excuses.%n",
                report.failedRequests().size(), report.excused().size());
        if (report.scans().finished() > 0) {
            add(
                    "%d full scans by token for the entities that never change; %d times one was missing or repeated.%n",
                    report.scans().finished(), report.scans().problems().size());
        }
        lines("FAILED: ", report.failedRequests().stream().map(this::whenFailed).toList());
        lines("EXCUSED: ", report.excused().stream().map(this::whenFailed).toList());
        lines("SCAN: ", report.scans().problems());
        lines("VIOLATION: ", report.result().violations());
        lines("UNDECIDED: the history of ", report.result().undecided());
        return text.toString();
    }

    /** With the step in which it failed. */
    private String whenFailed(FailedRequest failed) {
        return report.steps().stream()
                        .filter(step -> step.overlaps(
                                failed.call().invoked(), failed.call().returned()))
                        .map(step -> String.format(
                                Locale.ROOT,
                                "%s, begun after %.1f s, ended after %.1f s: ",
                                step.kind(),
                                (failed.call().invoked() - step.from()) / NANOS_PER_SECOND,
                                (failed.call().returned() - step.from()) / NANOS_PER_SECOND))
                        .findFirst()
                        .orElse("")
                + failed;
    }

    private static String conclusion(List<Report> reports) {
        if (reports.stream().anyMatch(report -> !report.result().violations().isEmpty())) {
            return "WRONG: the history is not linearizable; see above.\n";
        }
        if (!reports.stream().allMatch(Report::isRight)) {
            return "NOT everything was right, although no wrong answer was found; see above.\n";
        }
        return "Every answer was right: the history is linearizable.\n";
    }

    private void handoffs() {
        Stalls stalls = new Stalls(report.history().operations(), report.table());
        add("| use | times | what | p50 ms | p90 ms | p99 ms | max ms |%n|---|---|---|---|---|---|---|%n");
        for (HandoffUse use : HandoffUse.values()) {
            figures(use, stalls);
        }
        Handoffs handoffs = report.handoffs();
        List<ForcedHandoffs.Asked> refused = handoffs.refused();
        add(
                "%n%d handoffs were requested; %d requests were not granted.%n",
                handoffs.asked().size(), refused.size());
        refused.stream()
                .limit(LINES_MAX)
                .forEach(each -> add(
                        "  %s: %s %s%n",
                        each.handoff(), each.answer().getCode(), each.answer().getMessage()));
        add(
                "%d handoffs began, including the warm-up; %d were given up, %d ended with the leader that ordered them.%n",
                handoffs.seen().size(), handoffs.givenUp().size(), handoffs.untold());
        Map<String, Long> reasons = handoffs.givenUp().stream()
                .collect(Collectors.groupingBy(
                        handoff -> handoff.reason().split(": ", 2)[0], TreeMap::new, Collectors.counting()));
        reasons.forEach((reason, times) -> add("  given up %d times: %s%n", times, reason));
    }

    private void figures(HandoffUse use, Stalls stalls) {
        List<SeenHandoff> measured = report.undisturbed(use);
        row(use, "longest wait of a client around the switch", measured, stalls::longestAtSwitch);
        row(use, "longest wait of a client, from beginning to end", measured, stalls::longestDuring);
        row(use, "switch, as its owner measured it", measured, each -> each.switchMicros() * NANOS_PER_MICRO);
        row(use, "prepare and catch up", measured, each -> each.prepareMillis() * NANOS_PER_MILLI);
    }

    /** @param value in nanoseconds; negative if it is not known */
    private void row(HandoffUse use, String what, List<SeenHandoff> measured, ToLongFunction<SeenHandoff> value) {
        Histogram nanos = new Histogram(Tally.DIGITS);
        measured.stream().mapToLong(value).filter(each -> each >= 0).forEach(nanos::recordValue);
        add(
                "| %s | %d | %s | %.1f | %.1f | %.1f | %.1f |%n",
                use.name().toLowerCase(Locale.ROOT),
                nanos.getTotalCount(),
                what,
                millis(nanos, 50),
                millis(nanos, 90),
                millis(nanos, 99),
                millis(nanos, 100));
    }

    private static double millis(Histogram nanos, double percentile) {
        return nanos.getValueAtPercentile(percentile) / (double) NANOS_PER_MILLI;
    }

    private void lines(String prefix, List<?> things) {
        things.stream().limit(LINES_MAX).forEach(thing -> add("%s%s%n", prefix, thing));
    }

    private void add(String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values));
    }
}
