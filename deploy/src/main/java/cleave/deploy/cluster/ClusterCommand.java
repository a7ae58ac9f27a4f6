package cleave.deploy.cluster;

import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.deploy.access.AdminToken;
import cleave.deploy.access.DataFolder;
import cleave.deploy.access.Deployment;
import cleave.deploy.access.FoundedFile;
import cleave.deploy.admin.AdminClient;
import cleave.deploy.admin.ServedRanges;
import cleave.deploy.cluster.LocalCluster.NodeStatus;
import cleave.deploy.role.Logs;
import cleave.deploy.terminal.Progress;
import cleave.deploy.terminal.TerminalCommand;
import cleave.deploy.terminal.TextTable;
import cleave.deploy.terminal.Wait;
import cleave.runtime.files.FolderLock;
import cleave.wire.FoundReply;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;

/** {@code cleave cluster}: separate processes on this machine. */
@Command(
        name = "cluster",
        mixinStandardHelpOptions = true,
        header = "all roles as separate processes on this machine, to try out failures",
        customSynopsis = {
            "cleave cluster --dir DIR [OPTIONS]",
            "cleave cluster status|stop --dir DIR",
            "cleave cluster kill|start|pause|resume|wipe --dir DIR ROLE N"
        },
        description = {
            "Starts masters, partition servers, front ends and a DFS node as processes of their own, waits until they are"
                    + " ready, and returns. Their configuration, data and logs are kept below DIR; a later 'cleave cluster"
                    + " --dir DIR' starts the same ones again, on the same ports and data.",
            "",
            "With --dfs bookkeeper the DFS is Apache BookKeeper in place of one node: ZooKeeper, bookies and autorecovery"
                    + " are started before the others and stopped after them. Each file is kept on three bookies; a bookie's"
                    + " data folder may be lost, and autorecovery then copies what was on it.",
            "",
            "A board shows the cluster in a browser; its URL is printed, and it remembers what it saw in DIR/board-1. With --play"
                    + " the cluster can be played with there, and a tour tells a story with it.",
            "",
            "Unless --accounts gives others, one account named 'cleave' is made with a random"
                    + " key, kept in DIR/accounts.",
            "",
            "With --set tls=DIR the processes talk to each other with mutual TLS, by DIR/tls.crt, DIR/tls.key and"
                    + " DIR/ca.crt, or by those in DIR/ROLE; ZooKeeper, bookies and autorecovery by those of the role dfs.",
            "",
            "ROLE is master, server, front-end, dfs or board, or with BookKeeper zookeeper, bookie or autorecovery; N counts from"
                    + " 1. Only processes that were started for DIR are ever signalled."
        },
        footer = {
            "EXAMPLES",
            "",
            "  cleave cluster --dir /tmp/c --masters 3 --servers 3 --front-ends 2",
            "  cleave cluster --dir /tmp/c --play             (end processes and put load on them in a browser)",
            "  cleave cluster status --dir /tmp/c",
            "  cleave cluster kill --dir /tmp/c server 2      (SIGKILL)",
            "  cleave cluster start --dir /tmp/c server 2",
            "  cleave cluster pause --dir /tmp/c master 1     (SIGSTOP; resume: SIGCONT)",
            "  cleave demo --dir /tmp/c --ranges 8",
            "  cleave cluster stop --dir /tmp/c",
            "",
            "  cleave cluster --dir /tmp/b --dfs bookkeeper --port 0",
            "  cleave cluster kill --dir /tmp/b bookie 1",
            "  cleave cluster wipe --dir /tmp/b bookie 1      (as if its disk had failed for good)",
            "  cleave cluster start --dir /tmp/b bookie 1"
        })
public final class ClusterCommand extends TerminalCommand implements Callable<Integer> {
    private static final Duration PAUSE = Duration.ofMillis(200);
    private static final DataFolder FOLDER = new DataFolder(
            "cluster", "--dir", Pattern.compile("accounts|(?:" + String.join("|", NodeId.Role.words()) + ")-\\d+"));

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            required = true,
            scope = ScopeType.INHERIT,
            description = "the folder of the cluster")
    private Path dir = Path.of("");

    @Option(names = "--masters", paramLabel = "N", description = "masters: 1, 3 or 5 (default: 3)")
    private @Nullable Integer masters;

    @Option(names = "--servers", paramLabel = "N", description = "partition servers (default: 3)")
    private @Nullable Integer servers;

    @Option(names = "--front-ends", paramLabel = "N", description = "front ends (default: 2)")
    private @Nullable Integer frontEnds;

    @Mixin
    private final DfsOption dfs = new DfsOption();

    @Option(
            names = "--port",
            paramLabel = "PORT",
            description =
                    "port of the first front end, the others use the next ones; 0: any free ports (default: 10002)")
    private @Nullable Integer port;

    @Option(
            names = "--host",
            paramLabel = "HOST",
            description = "address that all processes listen on (default: 127.0.0.1)")
    private @Nullable String host;

    @Option(names = "--accounts", paramLabel = "FILE", description = "accounts to serve: lines of name=key")
    private @Nullable Path accounts;

    @Option(
            names = "--development-account",
            description = "serve the development account (UseDevelopmentStorage=true), too")
    private boolean developmentAccount;

    @Option(names = "--no-board", description = "make the cluster without a board, the page that shows it")
    private boolean noBoard;

    @Option(
            names = "--play",
            description =
                    "the board gets buttons that end these processes, start them again, cut the links between them, and"
                            + " put load on them; only who has the URL that is printed can use them")
    private boolean play;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "a setting for all processes of the role that the key begins with, such as"
                    + " server.checkpoint-log-bytes=1MiB. May be given many times")
    private List<String> settings = List.of();

    @Option(
            names = "--wait",
            paramLabel = "SECONDS",
            description = "how long to wait until they are ready (default: 60)")
    private int waitSeconds = 60;

    @Override
    @SuppressWarnings("try") // The lock is only held.
    public Integer call() {
        Logs.onlyErrors();
        ClusterPlan plan = new ClusterPlan(
                dir,
                masters,
                servers,
                frontEnds,
                dfs.plan(),
                port,
                host,
                accounts,
                developmentAccount,
                !noBoard,
                settings);
        if (play && noBoard) {
            throw CommandFailure.usage("--play is for the board; leave --no-board out");
        }
        plan.check();
        try (FolderLock held = FOLDER.take(plan.dir())) {
            start(plan);
        }
        return ExitCode.OK;
    }

    private void start(ClusterPlan plan) {
        Layout layout = plan.settle();
        LocalCluster cluster = new LocalCluster(layout);
        err().println("Starting " + layout.nodes().size() + " processes below " + layout.dir());
        Duration patience = Duration.ofSeconds(waitSeconds);
        List<NodeId> boards = layout.nodes(NodeId.Role.BOARD);
        if (play && boards.isEmpty()) {
            throw CommandFailure.usage(
                    "the cluster in " + layout.dir() + " was made without a board, so nobody can play");
        }
        String token = play ? AdminToken.random() : null;
        boards.forEach(board -> cluster.letPlay(board, token));
        try (Progress progress = progress()) {
            cluster.startAll(progress, patience);
            if (!FoundedFile.isIn(layout.dir())) {
                found(cluster, plan.deployment(layout).deployment(), layout.dir());
            }
            cluster.awaitReady(progress, patience);
            awaitServed(plan.deployment(layout).deployment(), progress, patience);
        }
        print(table(cluster.status()));
        say("");
        say("Connection string:");
        say("  " + plan.deployment(layout).connectionString());
        for (NodeId board : boards) {
            say("Board: http://" + layout.address(board, "port") + "/"
                    + (token == null ? "" : AdminToken.fragment(token)));
        }
    }

    /** Processes that are ready serve nothing while ranges cannot be opened. */
    private static void awaitServed(Deployment deployment, Progress progress, Duration patience) {
        AtomicReference<String> missing = new AtomicReference<>("");
        try (AdminClient client = AdminClient.of(deployment.masters(), deployment.tls())) {
            BooleanSupplier served = () -> {
                ServedRanges ranges = ServedRanges.of(client.status());
                missing.set(ranges.missing());
                progress.show(
                        "all processes are ready; " + ranges.serving() + " of " + ranges.all() + " ranges served");
                return ranges.isAll();
            };
            if (!Wait.until(served, patience, PAUSE)) {
                throw CommandFailure.failed("all processes are ready, but after " + patience.toSeconds() + " s "
                        + missing.get() + "; 'cleave admin ranges' shows more");
            }
        }
    }

    /** Founds the cluster at the first start, and after one that ended before that was done. */
    private void found(LocalCluster cluster, Deployment deployment, Path folder) {
        Duration patience = Duration.ofSeconds(waitSeconds);
        try (AdminClient client = AdminClient.of(deployment.masters(), deployment.tls())) {
            FoundReply founded = cluster.await(CompletableFuture.supplyAsync(() -> client.found("", patience)));
            FoundedFile.write(folder, founded.getCluster());
        }
    }

    @Command(name = "status", mixinStandardHelpOptions = true, header = "state and readiness of each process")
    int status() {
        Logs.onlyErrors();
        List<NodeStatus> all = LocalCluster.in(folder()).status();
        print(table(all));
        return all.stream().allMatch(node -> node.readiness().equals("ready")) ? ExitCode.OK : ExitCode.FAILED;
    }

    @Command(name = "stop", mixinStandardHelpOptions = true, header = "stop all processes in order; the data stays")
    int stop() {
        Logs.onlyErrors();
        int ended = LocalCluster.in(folder()).stop();
        say(ended == 0 ? "No process was running." : "Stopped " + ended + " processes.");
        return ExitCode.OK;
    }

    @Command(name = "kill", mixinStandardHelpOptions = true, header = "kill one process with SIGKILL")
    int kill(@Parameters(paramLabel = "ROLE") String role, @Parameters(paramLabel = "N") int number) {
        LocalCluster.in(folder()).kill(role, number);
        say("Killed " + role + " " + number + ".");
        return ExitCode.OK;
    }

    @Command(
            name = "start",
            mixinStandardHelpOptions = true,
            header = "start one process again, and wait until it is ready")
    int start(
            @Option(
                            names = "--wait",
                            paramLabel = "SECONDS",
                            defaultValue = "60",
                            description = "how long to wait until it is ready (default: 60)")
                    int seconds,
            @Parameters(paramLabel = "ROLE") String role,
            @Parameters(paramLabel = "N") int number) {
        Logs.onlyErrors();
        LocalCluster cluster = LocalCluster.in(folder());
        cluster.start(role, number);
        try (Progress progress = progress()) {
            cluster.awaitReady(role, number, progress, Duration.ofSeconds(seconds));
        }
        return ExitCode.OK;
    }

    @Command(name = "pause", mixinStandardHelpOptions = true, header = "pause one process with SIGSTOP")
    int pause(@Parameters(paramLabel = "ROLE") String role, @Parameters(paramLabel = "N") int number) {
        LocalCluster.in(folder()).pause(role, number);
        say("Paused " + role + " " + number + ".");
        return ExitCode.OK;
    }

    @Command(name = "resume", mixinStandardHelpOptions = true, header = "resume a paused process with SIGCONT")
    int resume(@Parameters(paramLabel = "ROLE") String role, @Parameters(paramLabel = "N") int number) {
        LocalCluster.in(folder()).resume(role, number);
        say("Resumed " + role + " " + number + ".");
        return ExitCode.OK;
    }

    @Command(
            name = "wipe",
            mixinStandardHelpOptions = true,
            header = "destroy what a stopped bookie or server has stored",
            description =
                    "A server has only copies, which it fetches again. A bookie begins anew with an empty disk, under"
                            + " another id, and autorecovery copies what was on the old one. A bookie is not wiped while another one is"
                            + " down, or while copies of what was on a disk that was destroyed before are missing: the last copy of"
                            + " something may be on this one.")
    int wipe(
            @Option(names = "--force", description = "wipe it whatever is lost by that") boolean isForced,
            @Parameters(paramLabel = "ROLE") String role,
            @Parameters(paramLabel = "N") int number) {
        Logs.onlyErrors();
        LocalCluster.in(folder()).wipe(role, number, isForced);
        say("Wiped " + role + " " + number + ".");
        return ExitCode.OK;
    }

    private Path folder() {
        if (dir.toString().isEmpty()) {
            throw CommandFailure.usage("name the cluster's folder with --dir DIR");
        }
        return dir.toAbsolutePath().normalize();
    }

    static String table(List<NodeStatus> all) {
        TextTable table = new TextTable("ROLE", "N", "STATE", "PID", "ADDRESS", "ADMIN", "READINESS");
        for (NodeStatus node : all) {
            table.row(
                    node.role(),
                    node.number(),
                    node.state(),
                    node.pid() == 0 ? "-" : node.pid(),
                    node.address(),
                    node.admin(),
                    node.readiness().isEmpty() ? "-" : node.readiness());
        }
        return table.text();
    }
}
