package cleave.chaos.fault;

import cleave.chaos.fault.HandoffRun.Report;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** A report of handoffs, for people. Pure. */
final class HandoffReport {
    private static final long NANOS_PER_MICRO = 1_000;
    private static final long NANOS_PER_MILLI = 1_000_000;
    /** An end is told to the leader somewhat later than it happens. */
    private static final long SLACK_NANOS = 20 * NANOS_PER_MILLI;

    private static final int LINES_MAX = 20;

    private HandoffReport() {}

    static String of(Report report) {
        StringBuilder text = new StringBuilder(figures(report));
        Distribution all = new Stalls(report.history().operations(), report.table()).distribution(report.countsFrom());
        text.append(String.format(
                Locale.ROOT,
                "%nAll %,d reads, writes and transactions after the warm-up: p50 %.1f ms, p99 %.1f ms, p99.9 %.1f ms, longest %.1f ms.%n",
                all.count(),
                all.millis(0.5),
                all.millis(0.99),
                all.millis(0.999),
                all.millis(1)));
        text.append("All operations: ").append(report.history().outcomes()).append('\n');
        text.append(report.scans()).append(" full scans by token found every stable entity once, in order.\n");
        text.append(count("requests failed", report.troubles()))
                .append(", and ")
                .append(report.excused().size())
                .append(" more on ranges that a fault affected.\n");
        text.append(report.asked().size())
                .append(" handoffs were requested. ")
                .append(count("were not done", report.refused()))
                .append(".\n");
        report.refused().stream()
                .limit(LINES_MAX)
                .forEach(each -> text.append("  ")
                        .append(each.wish())
                        .append(": ")
                        .append(each.answer().getCode())
                        .append(' ')
                        .append(each.answer().getMessage())
                        .append('\n'));
        text.append(report.handoffs().size()).append(" began, with those that warmed up. ");
        text.append(count("were given up", report.givenUp())).append(", ");
        text.append(count("ended with the leader that ordered them", report.untold()))
                .append(".\n");
        givenUpReasons(report)
                .forEach((reason, times) -> text.append("  given up ")
                        .append(times)
                        .append(" times: ")
                        .append(reason)
                        .append('\n'));
        lines("TROUBLE: ", report.troubles(), text);
        lines("EXCUSED: ", report.excused(), text);
        lines("SCAN: ", report.scanProblems(), text);
        lines("VIOLATION: ", report.verdict().violations(), text);
        lines("UNDECIDED: what was done with ", report.verdict().undecided(), text);
        return text.toString();
    }

    private static String count(String what, List<?> things) {
        return things.size() + " " + what;
    }

    private static void lines(String prefix, List<?> things, StringBuilder to) {
        things.stream()
                .limit(LINES_MAX)
                .forEach(thing -> to.append(prefix).append(thing).append('\n'));
    }

    private static Map<String, Integer> givenUpReasons(Report report) {
        Map<String, Integer> reasons = new TreeMap<>();
        for (SeenHandoff handoff : report.givenUp()) {
            int detail = handoff.reason().indexOf(": ");
            String reason = detail < 0 ? handoff.reason() : handoff.reason().substring(0, detail);
            reasons.merge(reason, 1, Integer::sum);
        }
        return reasons;
    }

    private static String figures(Report report) {
        Stalls stalls = new Stalls(report.history().operations(), report.table());
        StringBuilder table = new StringBuilder("| use | times | what | p50 ms | p90 ms | p99 ms | max ms |\n")
                .append("|---|---|---|---|---|---|---|\n");
        for (HandoffUse use : HandoffUse.values()) {
            List<Long> switchStalls = new ArrayList<>();
            List<Long> stallsOfAll = new ArrayList<>();
            List<Long> switches = new ArrayList<>();
            List<Long> prepares = new ArrayList<>();
            for (SeenHandoff handoff : report.undisturbed(use)) {
                long switching = handoff.switchMicros() * NANOS_PER_MICRO;
                long until = handoff.ended() + SLACK_NANOS;
                long from = handoff.ended() - switching - SLACK_NANOS;
                addSeen(stalls.longest(handoff.interval(), from, until), switchStalls);
                addSeen(stalls.longest(handoff.interval(), handoff.begun(), until), stallsOfAll);
                switches.add(switching);
                prepares.add(handoff.prepareMillis() * NANOS_PER_MILLI);
            }
            row(use, "longest wait of a client around the switch", switchStalls, table);
            row(use, "longest wait of a client, from beginning to end", stallsOfAll, table);
            row(use, "switch, as its owner measured it", switches, table);
            row(use, "prepare and catch up", prepares, table);
        }
        return table.toString();
    }

    private static void addSeen(long nanos, List<Long> to) {
        if (nanos >= 0) {
            to.add(nanos);
        }
    }

    private static void row(HandoffUse use, String what, List<Long> nanos, StringBuilder to) {
        to.append("| ")
                .append(use.name().toLowerCase(Locale.ROOT))
                .append(" | ")
                .append(nanos.size())
                .append(" | ")
                .append(what)
                .append(" | ")
                .append(Distribution.of(nanos).cells())
                .append(" |\n");
    }
}
