package cleave.chaos.load;

import cleave.chaos.command.RunFolder;
import cleave.chaos.load.report.Observer;
import cleave.chaos.load.report.Provenance;
import cleave.chaos.load.report.Summary;
import cleave.chaos.load.report.TerminalReport;
import cleave.chaos.load.run.Filling;
import cleave.chaos.load.run.LoadPlan;
import cleave.chaos.load.run.LoadRun;
import cleave.chaos.load.run.TableTarget;
import cleave.chaos.load.run.Tally.Count;
import cleave.chaos.load.workload.Action;
import cleave.chaos.load.workload.Workload;
import cleave.chaos.process.Patience;
import cleave.chaos.process.Standalone;
import cleave.client.Requests;
import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code cleave load stress}: the stress test of one partition from Azure's guide to scalable partitioning. */
@Command(
        name = "stress",
        mixinStandardHelpOptions = true,
        header = "puts an application's peak load on one partition, and judges its PartitionKey",
        description = {
            "The four steps of Azure's guide: creates a test table, loads it with entities of one PartitionKey, puts"
                    + " the peak load of the workload on that partition alone, and compares its GET and PUT rates with the"
                    + " 2,000 entities a second that the Table service aims at for one partition on one server.",
            "Give --rate the peak of the application for one value of its PartitionKey. Without it nothing is demanded and"
                    + " nothing judged: the test tells what a partition can do on this machine. Without an endpoint it starts"
                    + " a standalone of its own; if that exceeds the target, another one follows with the target enforced"
                    + " (throttle.partition-entities-per-second).",
            "Ends with 1 if the key is too coarse, or the demanded rate could not be measured."
        })
public final class StressCommand implements Callable<Integer> {
    private static final double TARGET = 2000;
    private static final Patience START = Patience.ofSeconds(120);
    private static final long SEED = 1;

    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli before anything runs.
    private CommandSpec spec;

    @Option(
            names = "--workload",
            paramLabel = "NAME|FILE",
            description = "the application's mix; its rows are loaded into the one partition (default: mixed)")
    private String workloadName = "mixed";

    @Mixin
    private final TargetOption target = new TargetOption();

    @Mixin
    private final PaceOptions pace = new PaceOptions();

    @Mixin
    private final RetryOptions retry = new RetryOptions();

    @Override
    public Integer call() {
        Workload workload = Workloads.of(workloadName).onOnePartition();
        pace.connections();
        pace.schedule();
        retry.policy();
        if (target.isGiven()) {
            Requests requests = target.requests();
            return judged(onEndpoint(requests, workload)) ? 0 : 1;
        }
        Summary free = onOwn("the throttle off", Map.of(), workload);
        boolean isFine = judged(free);
        if (rate(free) <= TARGET) {
            print(String.format(
                    Locale.ROOT,
                    "There is no second half with the throttle on: it would have refused none of %,.0f entities/s.%n",
                    rate(free)));
            return isFine ? 0 : 1;
        }
        Summary throttled = onOwn(
                "the throttle on",
                Map.of("throttle.partition-entities-per-second", Long.toString((long) TARGET)),
                workload);
        print(rates(throttled));
        print(String.format(
                Locale.ROOT,
                "With the target enforced, %,d of %,d requests were answered with 503 Server Busy.%n",
                throttled.problems().getOrDefault("503", 0L),
                throttled.total().attempts()));
        return isFine ? 0 : 1;
    }

    private Summary onEndpoint(Requests requests, Workload workload) {
        if (!TargetOption.signedTable(requests).isEmpty()) {
            throw CommandFailure.usage("the test creates a table of its own, which a signature of one table does not"
                    + " permit; give an account's key or signature");
        }
        try (Cleanup cleanup = new Cleanup(this::progress)) {
            String table = "Stress" + Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);
            cleanup.table(requests, table);
            return run(requests, table, workload);
        } catch (IOException failed) {
            throw TargetOption.failure(requests, failed);
        }
    }

    private Summary onOwn(String with, Map<String, String> settings, Workload workload) {
        try (RunFolder folder = RunFolder.temporary("cleave-stress-", this::progress)) {
            progress("starting a standalone with " + with + " in " + folder.path());
            Summary summary = onOwn(with, folder.path(), settings, workload);
            folder.succeeded();
            return summary;
        } catch (IOException failed) {
            throw CommandFailure.failed("no load on a standalone with " + with + ": " + failed);
        }
    }

    private Summary onOwn(String with, Path folder, Map<String, String> settings, Workload workload)
            throws IOException {
        try (Standalone standalone = Standalone.planned(folder, List.of("-Xmx1g"), settings)) {
            start(standalone);
            print("With " + with + ":\n");
            return run(new Requests(standalone.endpoint()), "Stress", workload);
        }
    }

    private static void start(Standalone standalone) {
        try {
            standalone.start(START);
        } catch (IllegalStateException notStarted) {
            throw CommandFailure.failed("the standalone did not start; it wrote " + notStarted.getMessage());
        }
    }

    private Summary run(Requests requests, String table, Workload workload) throws IOException {
        Filling.fill(requests, table, workload, null);
        LoadPlan plan = new LoadPlan(
                new TableTarget(requests),
                table,
                workload,
                pace.connections(),
                pace.schedule(),
                pace.seconds(),
                pace.warmUpSeconds(),
                retry.policy(),
                retry.patience(),
                SEED,
                "stress");
        Provenance provenance =
                Provenance.here(spec.commandLine().getParseResult().originalArgs(), SEED);
        try (Observer observer = new Observer(null, this::progress)) {
            Summary summary = observer.watch(LoadRun.started(plan, null), plan, provenance);
            print(TerminalReport.of(summary));
            return summary;
        }
    }

    /** Prints the rates and the verdict; false if the key is too coarse, or what was demanded was not measured. */
    private boolean judged(Summary summary) {
        print(rates(summary));
        print(verdict(summary));
        return !summary.setting().isOpen() || (isMeasured(summary) && rate(summary) <= TARGET);
    }

    /** False if the partition was not asked for the demanded rate, or refused some of it: what it did is then not what was demanded. */
    private static boolean isMeasured(Summary summary) {
        return summary.isRateReached() && summary.total().failed() == 0;
    }

    static String rates(Summary summary) {
        double reads = 0;
        double writes = 0;
        for (Map.Entry<Action, Count> each : summary.counts().entrySet()) {
            double entities = each.getValue().entities() / summary.seconds();
            double written = each.getKey() == Action.READ_MODIFY_WRITE
                    ? entities / 2
                    : each.getKey().isWrite() ? entities : 0;
            writes += written;
            reads += entities - written;
        }
        return String.format(
                Locale.ROOT,
                "%nOne partition: GET %,.0f entities/s, PUT %,.0f entities/s, together %,.0f of %,.0f.%n",
                reads,
                writes,
                reads + writes,
                TARGET);
    }

    private static double rate(Summary summary) {
        return summary.total().entities() / summary.seconds();
    }

    static String verdict(Summary summary) {
        double rate = rate(summary);
        if (!summary.setting().isOpen()) {
            return String.format(
                    Locale.ROOT,
                    "No verdict, since nothing was demanded: one partition can do %,.0f entities/s here, from %d connections%s. Whether"
                            + " the key is fine enough depends on what the application needs of its busiest partition: give that as"
                            + " --rate.%n",
                    rate,
                    summary.setting().clients(),
                    summary.total().failed() == 0
                            ? ""
                            : String.format(
                                    Locale.ROOT,
                                    ", while %,d operations failed",
                                    summary.total().failed()));
        }
        if (rate <= TARGET && !isMeasured(summary)) {
            List<String> why = new ArrayList<>();
            if (summary.total().failed() > 0) {
                why.add(String.format(
                        Locale.ROOT, "%,d operations failed", summary.total().failed()));
            }
            if (!summary.isRateReached()) {
                why.add("the demanded rate was not reached");
            }
            return String.format(
                    Locale.ROOT,
                    "No verdict: the partition did %,.0f entities/s, but %s. A throttle, or a machine that is too slow, hides what the key"
                            + " can do.%n",
                    rate,
                    String.join(" and ", why));
        }
        return rate > TARGET
                ? String.format(
                        Locale.ROOT,
                        "This key is too coarse: its partition does %,.0f entities/s, and one partition on one server"
                                + " is meant for %,.0f. In production its server may run too hot, and no split can divide"
                                + " a partition. Choose a PartitionKey with more values, so that partitions are spread"
                                + " over servers.%n",
                        rate,
                        TARGET)
                : String.format(
                        Locale.ROOT,
                        "This key is fine enough for this load: %,.0f of %,.0f entities/s.%n",
                        rate,
                        TARGET);
    }

    private void progress(String line) {
        PrintWriter err = spec.commandLine().getErr();
        err.println(line);
        err.flush();
    }

    private void print(String text) {
        PrintWriter out = spec.commandLine().getOut();
        out.print(text);
        out.flush();
    }
}
