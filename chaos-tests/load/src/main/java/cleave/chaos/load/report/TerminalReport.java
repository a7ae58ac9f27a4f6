package cleave.chaos.load.report;

import cleave.chaos.load.run.Tally.Count;
import java.util.Locale;

/** A summary as lines for the terminal. Stateless. */
public final class TerminalReport {
    private static final int FAILURES_SHOWN = 5;
    private static final String ROW = "%-18s %10s %9s %9s %9s %9s %9s %9s %9s";

    private TerminalReport() {}

    public static String of(Summary summary) {
        StringBuilder text = new StringBuilder();
        Summary.Setting setting = summary.setting();
        line(text, "%s: %s", setting.workload(), setting.does());
        line(
                text,
                "on %s, table %s; %s, %d in flight%s; retries: %s",
                setting.endpoint(),
                setting.table(),
                setting.loop(),
                setting.clients(),
                setting.processes() == 1 ? "" : " of " + setting.processes() + " processes",
                setting.retries());
        line(text, "%s", summary.warmUp());
        line(text, "");
        table(text, Table.ofOperations(summary));
        if (!summary.steps().isEmpty()) {
            line(text, "");
            table(text, Table.ofSteps(summary.steps()));
        }
        Count total = summary.total();
        line(text, "");
        line(
                text,
                "throughput %,.0f requests/s, goodput %,.0f operations/s, %,.0f entities/s; %,d of %,d failed, %,d"
                        + " retries",
                summary.throughput(),
                summary.goodput(),
                total.entities() / summary.seconds(),
                total.failed(),
                total.operations(),
                total.retries());
        if (setting.isOpen()) {
            open(text, summary);
        }
        if (total.cutOff() > 0) {
            line(
                    text,
                    "cut off by the end: %,d operations were waiting for a retry, and are neither done nor failed",
                    total.cutOff());
        }
        if (total.missing() > 0) {
            line(text, "%,d operations found their entity deleted, as they may", total.missing());
        }
        summary.problems().forEach((title, count) -> line(text, "answered with %s: %,d", title, count));
        summary.failures().stream().limit(FAILURES_SHOWN).forEach(each -> line(text, "FAILED %s", each));
        verification(text, summary.verification());
        if (summary.search() != null) {
            line(text, "");
            summary.search().lines().forEach(each -> line(text, "%s", each));
        }
        summary.judgements().forEach(each -> line(text, "%s", told(each)));
        Provenance provenance = setting.provenance();
        line(
                text,
                "sent by %s%s; seed %s%n  %s",
                provenance.machine(),
                load(provenance),
                provenance.seed(),
                provenance.command());
        return text.toString();
    }

    /** Such as {@code fail if p99 > 50ms: p99 is 12.31 ms, passed}. */
    static String told(Judgement each) {
        return "fail if " + each.condition() + ": " + each.found() + (each.isFailed() ? ", FAILED" : ", passed");
    }

    static String load(Provenance provenance) {
        return provenance.machineLoad() < 0
                ? ""
                : String.format(Locale.ROOT, ", load average %.1f before", provenance.machineLoad());
    }

    private static void table(StringBuilder text, Table table) {
        line(text, ROW, table.heads().toArray());
        table.rows().forEach(row -> line(text, ROW, row.cells("%.2f").toArray()));
    }

    private static void open(StringBuilder text, Summary summary) {
        if (summary.service().getTotalCount() > 0) {
            line(
                    text,
                    "latency counts from when an operation was due; from when it was sent, p99 is %.2f ms and the"
                            + " maximum %.2f ms",
                    Latencies.millis(summary.service(), 99),
                    Latencies.maxMillis(summary.service()));
        }
        long sent = summary.total().operations();
        if (summary.neverSent() > 0) {
            line(
                    text,
                    "%s: of %,d operations that were due, %,d were never sent, since %d others were waiting for"
                            + " answers. The latencies lack those. Either the service cannot do this rate, or the load"
                            + " needs more --connections.",
                    summary.isRateReached() ? "The end was cut off" : "THE RATE WAS NOT REACHED",
                    sent + summary.neverSent(),
                    summary.neverSent(),
                    summary.setting().clients());
        }
    }

    private static void verification(StringBuilder text, Summary.Verified verified) {
        if (!verified.isAsked()) {
            return;
        }
        if (!verified.failure().isEmpty()) {
            line(text, "VERIFICATION FAILED: the table could not be read back: %s", verified.failure());
            return;
        }
        if (verified.wrong() == 0) {
            line(text, "verified: %,d entities are as they were acknowledged", verified.entities());
            return;
        }
        line(text, "VERIFICATION FAILED: %,d entities are lost or wrong", verified.wrong());
        verified.problems().forEach(problem -> line(text, "  %s", problem));
    }

    static void line(StringBuilder text, String format, Object... arguments) {
        text.append(String.format(Locale.ROOT, format, arguments).stripTrailing())
                .append('\n');
    }
}
