package cleave.chaos.load;

import cleave.chaos.command.RecordOption;
import cleave.chaos.load.report.Condition;
import cleave.chaos.load.report.Observer;
import cleave.chaos.load.report.Provenance;
import cleave.chaos.load.report.Summary;
import cleave.chaos.load.report.TerminalReport;
import cleave.chaos.load.run.Filling;
import cleave.chaos.load.run.Http2Connections;
import cleave.chaos.load.run.Ledger;
import cleave.chaos.load.run.LoadPlan;
import cleave.chaos.load.run.LoadRun;
import cleave.chaos.load.run.Schedule;
import cleave.chaos.load.run.TableTarget;
import cleave.chaos.load.run.Verification;
import cleave.chaos.load.workload.Workload;
import cleave.client.Http2Connection;
import cleave.client.Requests;
import cleave.client.RetryPolicy;
import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.deploy.admin.MastersOption;
import cleave.deploy.board.ClusterRecording;
import cleave.deploy.role.AdminServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code cleave load}: puts a workload on any Table endpoint and reports what it saw. */
@Command(
        name = "load",
        mixinStandardHelpOptions = true,
        header = "puts a workload on a Table endpoint and reports latency, rate and errors",
        subcommands = {StressCommand.class, WorkloadsCommand.class, MergeCommand.class, CompareCommand.class},
        description = {
            "Creates a table, fills it with the entities of the workload, puts the workload on it, and deletes it: in"
                    + " a closed loop as fast as the answers come, or with --rate, --steps or --ramp in an open loop, in"
                    + " which latency counts from when an operation was due. Progress goes to stderr once a second, the"
                    + " summary to stdout. The first seconds (--warm-up) are not measured.",
            "With --masters or --dir, the page and the JSON mark where ranges split, moved or failed over.",
            "With --beside, the same is measured once more while another workload runs on a table of its own.",
            "Ends with 1 if an operation failed, or --verify found an entity lost or wrong, or could not read the"
                    + " table; and with 5 if a --fail-if is so, or cannot be judged, or if no rate keeps what --find-rate"
                    + " says."
        })
public final class LoadCommand implements Callable<Integer> {
    private static final double FOR_EVER_SECONDS = 86_400;
    private static final double FIRST_RATE = 100;

    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli before anything runs.
    private CommandSpec spec;

    @Option(
            names = "--workload",
            paramLabel = "NAME|FILE",
            description =
                    "a built-in workload, or a file of one; 'cleave load workloads' lists and explains (default: get)")
    private String workloadName = "get";

    @Mixin
    private final TargetOption target = new TargetOption();

    private final RangeMarks marks = new RangeMarks(target, this::progress);

    @Mixin
    private final PaceOptions pace = new PaceOptions();

    @Mixin
    private final RetryOptions retry = new RetryOptions();

    @Mixin
    private final ReportOptions report = new ReportOptions();

    @Mixin
    private final MetricsOption metrics = new MetricsOption();

    @Mixin
    private final FailIfOption failIf = new FailIfOption();

    @Option(
            names = "--http2",
            paramLabel = "CONNECTIONS",
            description = "sends over HTTP/2, on this many connections of https, which the requests in flight share"
                    + " (default: HTTP/1.1, where each has a connection of its own)")
    private int http2;

    @Option(
            names = "--find-rate",
            paramLabel = "CONDITION",
            description =
                    "finds the greatest rate that keeps this, such as 'p99 < 20ms' or 'errors < 0.1%%': doubles --rate"
                            + " (100) until it breaks, and then bisects; may be repeated for conditions that must all be"
                            + " kept")
    private List<String> findRate = List.of();

    @Option(
            names = "--table",
            paramLabel = "NAME",
            description = "the table to work on, which stays; one that has entities must have been filled by the same"
                    + " workload (default: a new one, which is deleted at the end)")
    private @Nullable String tableName;

    @Option(
            names = "--shards",
            paramLabel = "N",
            description = "N processes of this machine share the load and its connections; their reports become one"
                    + " (default: 1)")
    private int shards = 1;

    @Option(
            names = "--shard",
            paramLabel = "I/N",
            converter = Shard.Converter.class,
            description =
                    "this process is number I of N, on any machines, that share the load on one --table; merge their"
                            + " --json files")
    private @Nullable Shard shard;

    @Option(names = "--fill-only", description = "create and fill the table, and put no load on it")
    private boolean fillOnly;

    @Option(names = "--seed", paramLabel = "N", description = "seed of all choices (default: 1)")
    private long seed = 1;

    @Option(
            names = "--histogram",
            paramLabel = "FILE",
            description = "writes the latencies of every second and operation, as HdrHistogram's interval log")
    private @Nullable Path histogram;

    @Option(
            names = "--verify",
            description = "at the end read the whole table back, and compare every entity with what was acknowledged")
    private boolean verify;

    @Option(
            names = "--beside",
            paramLabel = "NAME|FILE",
            description = "a workload of another account at the same time, in a closed loop")
    private @Nullable String besideName;

    @Option(
            names = "--beside-connection-file",
            paramLabel = "FILE",
            description = "file with the connection string of the other account (default: the same account)")
    private @Nullable Path besideFile;

    @Option(names = "--beside-connections", paramLabel = "N", description = "of the other account (default: 64)")
    private int besideConnections = 64;

    @Mixin
    private final RecordOption record = new RecordOption();

    @Override
    @SuppressWarnings("try") // The recording and the port are only closed.
    public Integer call() {
        Workload workload = Workloads.of(workloadName);
        check(workload);
        Requests requests = target.requests();
        try (ClusterRecording recording = begun();
                AdminServer port = metrics.begin(this::progress)) {
            int status = besideName == null
                    ? alone(requests, workload)
                    : besides(requests, workload, Workloads.of(besideName));
            print(record.told());
            return status;
        } catch (IOException failed) {
            throw TargetOption.failure(requests, failed);
        }
    }

    private @Nullable ClusterRecording begun() {
        MastersOption masters = target.masters();
        return masters == null ? null : record.begin(masters::watcher);
    }

    private void check(Workload workload) {
        checkSearch(workload);
        Schedule schedule = pace.schedule();
        checkHttp2(target.requests(), "--connections", pace.connections());
        retry.policy();
        retry.patience();
        report.check();
        if (findRate.isEmpty() && (schedule == null || schedule.phases().size() < 2)) {
            report.requireNoSteps();
        }
        List<Condition> conditions = failIf.conditions();
        FailIfOption.requireOperations("--fail-if", conditions, workload);
        if (fillOnly && !conditions.isEmpty()) {
            throw CommandFailure.usage("--fail-if judges a load, and --fill-only puts none on the table");
        }
        if (!verify && conditions.stream().anyMatch(Condition::needsVerification)) {
            throw CommandFailure.usage("--fail-if 'wrong' needs --verify, which finds what is wrong");
        }
        record.check();
        metrics.check();
        if (metrics.isGiven() && shards != 1) {
            throw CommandFailure.usage("--metrics-port is of one process, and excludes --shards");
        }
        if (record.isGiven() && target.masters() == null) {
            throw CommandFailure.usage("--record needs the masters, by --masters or --dir");
        }
        ReportOptions.writable(histogram);
        if (besideName == null && besideFile != null) {
            throw CommandFailure.usage("--beside-connection-file needs --beside NAME|FILE");
        }
        if (besideConnections < 1) {
            throw CommandFailure.usage("--beside-connections must be at least 1");
        }
        if (besideName != null && (verify || fillOnly)) {
            throw CommandFailure.usage("--beside compares two runs; leave --verify and --fill-only out");
        }
        if (shards < 1 || (shards > 1 && (verify || shard != null || histogram != null || besideName != null))) {
            throw CommandFailure.usage(
                    "--shards must be at least 1, and excludes --shard, --beside, --histogram (each process writes its"
                            + " own) and --verify (no process knows what the others wrote)");
        }
        if (shard != null && (verify || tableName == null)) {
            throw CommandFailure.usage(
                    "--shard needs the --table that all processes share, which --fill-only makes before, and excludes"
                            + " --verify, since no process knows what the others wrote");
        }
        if (tableName != null && !tableName.matches("[A-Za-z][A-Za-z0-9]{2,62}")) {
            throw CommandFailure.usage(
                    "--table '" + tableName + "' is no table name: 3 to 63 letters and digits, the first a letter");
        }
    }

    private void checkHttp2(Requests to, String option, int inFlight) {
        if (http2 < 0 || http2 > inFlight) {
            throw CommandFailure.usage("--http2 " + http2 + ": from 1 to " + inFlight + " connections can carry the "
                    + inFlight + " requests in flight of " + option);
        }
        if (http2 > 0 && inFlight > http2 * Http2Connection.STREAMS_MAX) {
            throw CommandFailure.usage("--http2 " + http2 + ": a server may refuse more than "
                    + Http2Connection.STREAMS_MAX + " streams on a connection, and " + option + " asks for " + inFlight
                    + " requests in flight");
        }
        if (http2 > 0 && !to.endpoint().scheme().equals("https")) {
            throw CommandFailure.usage(
                    "--http2 needs an endpoint of https, in whose handshake HTTP/2 is agreed on, not " + to.endpoint());
        }
    }

    private void checkSearch(Workload workload) {
        if (findRate.isEmpty()) {
            return;
        }
        FailIfOption.requireOperations("--find-rate", kept(), workload);
        if (verify || fillOnly || shards != 1 || shard != null || histogram != null || besideName != null) {
            throw CommandFailure.usage("--find-rate is of one process, and excludes --verify, --fill-only, --shards,"
                    + " --shard, --histogram and --beside");
        }
        pace.search(FIRST_RATE);
    }

    private int alone(Requests requests, Workload workload) throws IOException {
        try (Cleanup cleanup = new Cleanup(this::progress)) {
            String table = table(requests, cleanup);
            Ledger ledger = verify ? new Ledger() : null;
            boolean isFilled = filled(requests, table, workload, ledger, cleanup);
            if (fillOnly) {
                cleanup.keepAll();
                print(isFilled ? "filled table " + table + "\n" : "table " + table + " has entities already\n");
                return isFilled ? 0 : 1;
            }
            if (verify && !isFilled) {
                throw CommandFailure.usage(
                        "--verify needs a new or an empty table: what is in " + table + " already is not known");
            }
            Summary summary = loaded(requests, table, workload, ledger);
            if (ledger != null) {
                summary = summary.with(verified(requests, table, ledger, workload));
            }
            if (!summary.verification().isRight()) {
                cleanup.keepAll();
                progress("table " + table + " is kept");
            }
            return reported("", summary);
        }
    }

    private Summary loaded(Requests requests, String table, Workload workload, @Nullable Ledger ledger)
            throws IOException {
        if (shards > 1) {
            return shared(table);
        }
        LoadPlan plan = plan(requests, table, workload);
        if (findRate.isEmpty()) {
            return run(plan, ledger);
        }
        return new RateFinding(kept(), workload, this::progress)
                .find(pace.firstRate(), pace.stepSeconds(), (rate, seconds) -> run(plan.step(rate, seconds), null));
    }

    private List<Condition> kept() {
        return FailIfOption.parsed("--find-rate", findRate, Condition::ofSuccess);
    }

    /** Judges, prints and writes a summary, and returns the exit status. */
    private int reported(String before, Summary summary) {
        Summary judged = failIf.judged(summary);
        print(before + TerminalReport.of(judged));
        report.write(judged);
        return failIf.status(judged);
    }

    private static boolean filled(
            Requests requests, String table, Workload workload, @Nullable Ledger ledger, Cleanup cleanup)
            throws IOException {
        try {
            return Filling.fill(requests, table, workload, ledger);
        } catch (ConnectException | UnknownHostException silent) {
            cleanup.keepAll(); // There is no table, and no service to delete it.
            throw silent;
        }
    }

    /** Reports the load's figures even if the table cannot be read. */
    private Summary.Verified verified(Requests requests, String table, Ledger ledger, Workload workload) {
        progress("reading " + table + " back");
        try {
            Verification.Result found = Verification.of(
                    requests,
                    table,
                    ledger,
                    workload.shape().entityBytes(),
                    retry.patience().multipliedBy(2));
            return new Summary.Verified(true, "", found.entities(), found.wrong(), found.problems());
        } catch (IOException unreadable) {
            return Summary.Verified.failed(unreadable.toString());
        }
    }

    private int besides(Requests requests, Workload workload, Workload other) throws IOException {
        Requests beside = besideFile == null ? requests : new Requests(TargetOption.ofFile(besideFile));
        checkHttp2(beside, "--beside-connections", besideConnections);
        if (!TargetOption.signedTable(requests).isEmpty()
                || !TargetOption.signedTable(beside).isEmpty()) {
            throw CommandFailure.usage(
                    "--beside uses two tables; a signature of one table does not suffice, but one of an account does");
        }
        try (Cleanup cleanup = new Cleanup(this::progress)) {
            String table = table(requests, cleanup);
            if (tableName == null) {
                cleanup.table(beside, table + "b");
            }
            filled(requests, table, workload, null, cleanup);
            filled(beside, table + "b", other, null, cleanup);
            return besides(requests, workload, beside, other, table);
        }
    }

    private int besides(Requests requests, Workload workload, Requests beside, Workload other, String table)
            throws IOException {
        Summary alone = run(plan(requests, table, workload), null);
        print("alone: " + TerminalReport.of(alone) + "\n");
        LoadPlan neighbours =
                LoadPlan.closed(to(beside), table + "b", other, besideConnections, FOR_EVER_SECONDS, seed + 1);
        Summary both;
        Summary theirs;
        try (Observer quiet = new Observer(null, line -> {})) {
            LoadRun neighbour = LoadRun.started(neighbours, null);
            neighbour.awaitWarm();
            both = run(plan(requests, table, workload), null);
            neighbour.stop();
            theirs = quiet.watch(neighbour, neighbours, provenance());
        }
        print("the other account: " + TerminalReport.of(theirs) + "\n");
        int status = reported("beside: ", both);
        return status == ExitCode.OK && !(alone.isRight() && theirs.isRight()) ? ExitCode.FAILED : status;
    }

    private Summary shared(String table) throws IOException {
        long before = marks.begin();
        Provenance provenance = provenance();
        Summary all = new Shards(this::progress)
                .run(shards, table, spec.commandLine().getParseResult().originalArgs());
        return marks.on(all.by(provenance), before);
    }

    private Provenance provenance() {
        List<String> arguments = spec.commandLine().getParseResult().originalArgs();
        List<String> whole = new ArrayList<>(arguments.contains("load") ? List.of() : List.of("load"));
        whole.addAll(arguments);
        return Provenance.here(whole, seed);
    }

    private LoadPlan plan(Requests requests, String table, Workload workload) {
        RetryPolicy policy = retry.policy();
        Shard mine = shard == null ? Shard.WHOLE : shard;
        Schedule schedule = pace.schedule();
        return new LoadPlan(
                to(requests),
                table,
                workload,
                mine.of(pace.connections()),
                schedule == null ? null : schedule.dividedBy(mine.count()),
                pace.seconds(),
                pace.warmUpSeconds(),
                policy,
                retry.patience(),
                seed * mine.count() + mine.number(),
                Long.toString(System.currentTimeMillis(), Character.MAX_RADIX) + "s" + mine.number());
    }

    /** The service, over the protocol that was asked for. */
    private TableTarget to(Requests requests) {
        return http2 == 0
                ? new TableTarget(requests)
                : new TableTarget(requests, new Http2Connections(requests.endpoint(), http2, retry.patience()));
    }

    private Summary run(LoadPlan plan, @Nullable Ledger ledger) throws IOException {
        long before = marks.begin();
        Provenance provenance = provenance();
        try (Observer observer = new Observer(histogram, this::progress, metrics.metrics())) {
            return marks.on(observer.watch(LoadRun.started(plan, ledger), plan, provenance), before);
        }
    }

    /** The table that was named, or the one that the signature is for, or else one that exists for this run alone. */
    private String table(Requests requests, Cleanup cleanup) {
        String signed = TargetOption.signedTable(requests);
        if (!signed.isEmpty() && tableName != null && !tableName.equalsIgnoreCase(signed)) {
            throw CommandFailure.usage(
                    "--table is " + tableName + ", but the signature is of table " + signed + " alone");
        }
        if (tableName != null) {
            return tableName;
        }
        if (!signed.isEmpty()) {
            return signed;
        }
        String table = "Load" + Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);
        if (!fillOnly) {
            cleanup.table(requests, table);
        }
        progress("filling table " + table);
        return table;
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
