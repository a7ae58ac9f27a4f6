package cleave.chaos.load.report;

import cleave.chaos.load.run.Schedule;
import cleave.chaos.load.run.Step;
import cleave.chaos.load.run.Tally.Count;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/** A summary as lines for the terminal. Stateless. */
public final class TerminalReport {
    private static final int FAILURES_SHOWN = 5;

    private TerminalReport() {}

    public static String of(Summary summary) {
        StringBuilder text = new StringBuilder();
        Summary.Setting setting = summary.setting();
        line(text, "%s: %s", setting.workload(), setting.does());
        line(
                text,
                "on %s, table %s; %s, %d connections%s; retries: %s",
                setting.endpoint(),
                setting.table(),
                setting.loop(),
                setting.clients(),
                setting.processes() == 1 ? "" : " of " + setting.processes() + " processes",
                setting.retries());
        line(text, "%s", summary.warmUp());
        line(text, "");
        line(
                text,
                "%-18s %10s %9s %9s %9s %9s %9s %9s %9s",
                summary.steps().isEmpty() ? "latency in ms" : "all steps, in ms",
                "operations",
                "per s",
                "p50",
                "p90",
                "p99",
                "p99.9",
                "max",
                "failed");
        Count total = summary.total();
        summary.counts().forEach((action, count) -> row(text, summary, action.id(), count, summary.latency(action)));
        if (summary.counts().size() != 1) {
            row(text, summary, "all", total, summary.latency());
        }
        if (total.failed() > 0) {
            failed(text, summary);
        }
        steps(text, summary.steps());
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

    static String load(Provenance provenance) {
        return provenance.machineLoad() < 0
                ? ""
                : String.format(Locale.ROOT, ", load average %.1f before", provenance.machineLoad());
    }

    private static void steps(StringBuilder text, List<Step> steps) {
        if (steps.isEmpty()) {
            return;
        }
        line(text, "");
        line(
                text,
                "%-18s %10s %9s %9s %9s %9s %9s %9s %9s",
                "step, in ms",
                "due",
                "done",
                "p50",
                "p90",
                "p99",
                "p99.9",
                "max",
                "failed");
        for (Step step : steps) {
            line(
                    text,
                    "%-18s %,10d %,9d %s %,9d",
                    name(step),
                    step.due(),
                    step.done(),
                    percentiles(step.latency()),
                    step.failed());
        }
    }

    /** Such as {@code 500/s for 10 s}. */
    static String name(Step step) {
        return Schedule.text(step.rate()) + "/s for " + Schedule.text(step.seconds()) + " s";
    }

    private static void row(StringBuilder text, Summary summary, String name, Count count, Histogram latencies) {
        line(
                text,
                "%-18s %,10d %,9.0f %s %,9d",
                name,
                count.operations(),
                count.done() / summary.seconds(),
                percentiles(latencies),
                count.failed());
    }

    /** The other rows have latencies of operations that succeeded alone. */
    private static void failed(StringBuilder text, Summary summary) {
        long failed = summary.total().failed();
        line(
                text,
                "%-18s %,10d %,9.0f %s",
                "(failed)",
                failed,
                failed / summary.seconds(),
                percentiles(summary.failedLatency()));
    }

    private static String percentiles(Histogram latencies) {
        return latencies.getTotalCount() == 0
                ? String.format(Locale.ROOT, "%9s %9s %9s %9s %9s", "-", "-", "-", "-", "-")
                : String.format(
                        Locale.ROOT,
                        "%9.2f %9.2f %9.2f %9.2f %9.2f",
                        Latencies.millis(latencies, 50),
                        Latencies.millis(latencies, 90),
                        Latencies.millis(latencies, 99),
                        Latencies.millis(latencies, 99.9),
                        Latencies.maxMillis(latencies));
    }

    private static void open(StringBuilder text, Summary summary) {
        if (summary.service().getTotalCount() > 0) {
            line(
                    text,
                    "latency counts from when an operation was due; from when it was sent, p99 is %.2f ms and the maximum"
                            + " %.2f ms",
                    Latencies.millis(summary.service(), 99),
                    Latencies.maxMillis(summary.service()));
        }
        long sent = summary.total().operations();
        if (summary.neverSent() > 0) {
            line(
                    text,
                    "%s: of %,d operations that were due, %,d were never sent, since all %d connections were waiting"
                            + " for answers. The latencies lack those. Either the service cannot do this rate, or the load"
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

    private static void line(StringBuilder text, String format, Object... arguments) {
        text.append(String.format(Locale.ROOT, format, arguments).stripTrailing())
                .append('\n');
    }
}
