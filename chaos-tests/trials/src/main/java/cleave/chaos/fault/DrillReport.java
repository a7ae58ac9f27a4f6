package cleave.chaos.fault;

import cleave.chaos.fault.Drill.Recovery;
import cleave.chaos.fault.Drill.Report;
import cleave.chaos.load.Figures;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;

/** The reports of drills as text. Pure. */
final class DrillReport {
    private static final long NANOS_PER_MICRO = 1_000;
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final int LINES_MAX = 20;

    private final Report report;
    private final StringBuilder text = new StringBuilder();

    private DrillReport(Report report) {
        this.report = report;
    }

    static String of(Report... reports) {
        List<Report> all = List.of(reports);
        StringBuilder text = new StringBuilder();
        if (all.stream().anyMatch(report -> !report.recoveries().isEmpty())) {
            text.append(faults(all));
        }
        all.forEach(report -> text.append(new DrillReport(report).text()));
        return text.append(conclusion(all)).toString();
    }

    private String text() {
        if (!report.handoffs().isEmpty()) {
            handoffs();
        }
        add("%sAll operations: %s%n", of(report.recoveries()), report.history().outcomes());
        add(
                "%d requests failed, and %d more that a fault excuses.%n",
                report.failedRequests().size(), report.excused().size());
        if (report.scans() > 0) {
            add(
                    "%d full scans by token for the entities that never change; %d times one was missing or repeated.%n",
                    report.scans(), report.scanProblems().size());
        }
        lines("FAILED: ", report.failedRequests());
        lines("EXCUSED: ", report.excused());
        lines("SCAN: ", report.scanProblems());
        lines("VIOLATION: ", report.result().violations());
        lines("UNDECIDED: the history of ", report.result().undecided());
        return text.toString();
    }

    /** Which faults a drill was about. */
    private static String of(List<Recovery> recoveries) {
        String kinds = recoveries.stream().map(Recovery::kind).distinct().collect(Collectors.joining(", "));
        return kinds.isEmpty() ? "" : kinds + ": ";
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

    /** Each drill is judged as a whole, so faults that were injected into one share their number of wrong answers. */
    static String faults(List<Report> reports) {
        StringBuilder table = new StringBuilder();
        add(
                table,
                "| fault | times | writes acknowledged | lost or wrong | requests failed | longest stall s"
                        + " | writable after min / median / max s | mended after median / max s |%n|---|---|---|---|---|---|---|---|%n");
        for (Report report : reports) {
            Map<String, List<Recovery>> byKind = new LinkedHashMap<>();
            report.recoveries()
                    .forEach(each -> byKind.computeIfAbsent(each.kind(), kind -> new ArrayList<>())
                            .add(each));
            byKind.forEach((kind, recoveries) -> {
                Histogram writable = histogram(recoveries, Recovery::nanos);
                Histogram mended = histogram(recoveries, Recovery::mend);
                add(
                        table,
                        "| %s | %d | %,d | %d | %d | %.2f | %.2f / %.2f / %.2f | %.2f / %.2f |%n",
                        kind,
                        recoveries.size(),
                        recoveries.stream().mapToLong(Recovery::acknowledged).sum(),
                        report.result().violations().size(),
                        recoveries.stream().mapToLong(Recovery::failed).sum(),
                        seconds(histogram(recoveries, Recovery::stall).getMaxValue()),
                        seconds(writable.getMinValue()),
                        seconds(writable.getValueAtPercentile(50)),
                        seconds(writable.getMaxValue()),
                        seconds(mended.getValueAtPercentile(50)),
                        seconds(mended.getMaxValue()));
            });
        }
        return table.toString();
    }

    private static Histogram histogram(List<Recovery> recoveries, ToLongFunction<Recovery> value) {
        Histogram histogram = new Histogram(Figures.DIGITS);
        recoveries.forEach(recovery -> histogram.recordValue(value.applyAsLong(recovery)));
        return histogram;
    }

    private static double seconds(long nanos) {
        return nanos / NANOS_PER_SECOND;
    }

    private void handoffs() {
        Stalls stalls = new Stalls(report.history().operations(), report.table());
        add("| use | times | what | p50 ms | p90 ms | p99 ms | max ms |%n|---|---|---|---|---|---|---|%n");
        for (HandoffUse use : HandoffUse.values()) {
            figures(use, stalls);
        }
        Histogram all = stalls.distribution(report.countsFrom());
        add(
                "%nAll %,d reads, writes and transactions after the warm-up: p50 %.1f ms, p99 %.1f ms, p99.9 %.1f ms, max %.1f ms.%n",
                all.getTotalCount(), millis(all, 50), millis(all, 99), millis(all, 99.9), millis(all, 100));
        add(
                "%d handoffs were requested; %d requests were not granted.%n",
                report.asked().size(), report.refused().size());
        report.refused().stream()
                .limit(LINES_MAX)
                .forEach(each -> add(
                        "  %s: %s %s%n",
                        each.handoff(), each.answer().getCode(), each.answer().getMessage()));
        add(
                "%d handoffs began, including the warm-up; %d were given up, %d ended with the leader that ordered them.%n",
                report.handoffs().size(),
                report.givenUp().size(),
                report.untold().size());
        givenUpReasons().forEach((reason, times) -> add("  given up %d times: %s%n", times, reason));
    }

    private void figures(HandoffUse use, Stalls stalls) {
        Histogram switchStalls = new Histogram(Figures.DIGITS);
        Histogram stallsOfAll = new Histogram(Figures.DIGITS);
        Histogram switches = new Histogram(Figures.DIGITS);
        Histogram prepares = new Histogram(Figures.DIGITS);
        for (SeenHandoff handoff : report.undisturbed(use)) {
            recordSeen(stalls.longestAtSwitch(handoff), switchStalls);
            recordSeen(stalls.longestDuring(handoff), stallsOfAll);
            switches.recordValue(handoff.switchMicros() * NANOS_PER_MICRO);
            prepares.recordValue(handoff.prepareMillis() * NANOS_PER_MILLI);
        }
        row(use, "longest wait of a client around the switch", switchStalls);
        row(use, "longest wait of a client, from beginning to end", stallsOfAll);
        row(use, "switch, as its owner measured it", switches);
        row(use, "prepare and catch up", prepares);
    }

    private static void recordSeen(long nanos, Histogram to) {
        if (nanos >= 0) {
            to.recordValue(nanos);
        }
    }

    private void row(HandoffUse use, String what, Histogram nanos) {
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

    private Map<String, Integer> givenUpReasons() {
        Map<String, Integer> reasons = new TreeMap<>();
        for (SeenHandoff handoff : report.givenUp()) {
            int detail = handoff.reason().indexOf(": ");
            String reason = detail < 0 ? handoff.reason() : handoff.reason().substring(0, detail);
            reasons.merge(reason, 1, Integer::sum);
        }
        return reasons;
    }

    private void lines(String prefix, List<?> things) {
        things.stream().limit(LINES_MAX).forEach(thing -> add("%s%s%n", prefix, thing));
    }

    private void add(String format, Object... values) {
        add(text, format, values);
    }

    private static void add(StringBuilder to, String format, Object... values) {
        to.append(String.format(Locale.ROOT, format, values));
    }
}
