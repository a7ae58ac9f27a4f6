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
import org.HdrHistogram.Histogram;

/** A drill's report, for people. Pure. */
final class DrillReport {
    private static final long NANOS_PER_MICRO = 1_000;
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final double NANOS_PER_SECOND = 1e9;
    /** The leader hears of the end of a handoff slightly after it. */
    private static final long SLACK_NANOS = 20 * NANOS_PER_MILLI;

    private static final int LINES_MAX = 20;

    private final Report report;
    private final StringBuilder text = new StringBuilder();

    private DrillReport(Report report) {
        this.report = report;
    }

    static String of(Report report) {
        return new DrillReport(report).text();
    }

    private String text() {
        if (!report.recoveries().isEmpty()) {
            faults();
        }
        if (!report.handoffs().isEmpty()) {
            handoffs();
        }
        add("All operations: %s%n", report.history().outcomes());
        add(
                "%d requests failed, and %d more that a fault excuses.%n",
                report.troubles().size(), report.excused().size());
        lines("FAILED: ", report.troubles());
        lines("EXCUSED: ", report.excused());
        lines("SCAN: ", report.scanProblems());
        lines("VIOLATION: ", report.verdict().violations());
        lines("UNDECIDED: the history of ", report.verdict().undecided());
        return text.append(conclusion()).toString();
    }

    private String conclusion() {
        if (!report.verdict().violations().isEmpty()) {
            return "WRONG: the history is not linearizable; see above.\n";
        }
        if (!report.isRight()) {
            return "NOT everything was right, although no wrong answer was found; see above.\n";
        }
        return "Every answer was right: the history is linearizable.\n";
    }

    private void faults() {
        Map<String, List<Recovery>> byKind = new LinkedHashMap<>();
        report.recoveries()
                .forEach(each -> byKind.computeIfAbsent(each.kind(), kind -> new ArrayList<>())
                        .add(each));
        add("| fault | times | min s | median s | max s | failed requests |%n|---|---|---|---|---|---|%n");
        byKind.forEach((kind, recoveries) -> {
            Histogram nanos = new Histogram(Figures.DIGITS);
            recoveries.forEach(recovery -> nanos.recordValue(recovery.nanos()));
            add(
                    "| %s | %d | %.2f | %.2f | %.2f | %d |%n",
                    kind,
                    recoveries.size(),
                    nanos.getMinValue() / NANOS_PER_SECOND,
                    nanos.getValueAtPercentile(50) / NANOS_PER_SECOND,
                    nanos.getMaxValue() / NANOS_PER_SECOND,
                    recoveries.stream().mapToLong(Recovery::failed).sum());
        });
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
        add("%d full scans by token returned every stable entity once, in order.%n", report.scans());
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
            long switching = handoff.switchMicros() * NANOS_PER_MICRO;
            long until = handoff.ended() + SLACK_NANOS;
            long from = handoff.ended() - switching - SLACK_NANOS;
            recordSeen(stalls.longest(handoff.interval(), from, until), switchStalls);
            recordSeen(stalls.longest(handoff.interval(), handoff.begun(), until), stallsOfAll);
            switches.recordValue(switching);
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
        text.append(String.format(Locale.ROOT, format, values));
    }
}
