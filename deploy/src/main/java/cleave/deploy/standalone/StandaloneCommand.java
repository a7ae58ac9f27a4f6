package cleave.deploy.standalone;

import cleave.deploy.CommandFailure;
import cleave.deploy.access.Deployment;
import cleave.deploy.access.TableAccount;
import cleave.deploy.role.GivenSettings;
import cleave.deploy.role.ListenAddress;
import cleave.deploy.role.Logs;
import cleave.deploy.role.RoleProcess;
import cleave.deploy.terminal.TerminalCommand;
import io.prometheus.client.CollectorRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code cleave standalone}: everything in one process. */
@Command(
        name = "standalone",
        mixinStandardHelpOptions = true,
        header = "all roles in one process, for development and tests",
        customSynopsis =
                "cleave standalone [--port PORT] [--host HOST] [--data DIR] [--admin-port PORT] [--no-board|--play] [--set KEY=VALUE]...",
        description = {
            "Runs a master, a partition server and a front end in one process, on files in a folder, and serves the account"
                    + " that every SDK knows as UseDevelopmentStorage=true. Prints the connection string when it is ready, and"
                    + " runs until SIGTERM or SIGINT (Ctrl-C). The board, whose URL it prints, shows in a browser what happens inside. Every acknowledged write is on disk; started again on the same"
                    + " folder, it has all of them."
        },
        footer = {
            "EXAMPLES",
            "",
            "  cleave standalone",
            "  cleave standalone --port 0 --data /tmp/cleave",
            "",
            "FILES",
            "",
            "  DIR/cleave.log               the log",
            "  DIR/deployment.properties    where it is reached while it runs; 'cleave demo' and 'cleave admin' read it",
            "  DIR/board                    what the board remembers; may be deleted",
            "  DIR/dfs, DIR/master          the data; DIR/server can be fetched again"
        })
public final class StandaloneCommand extends TerminalCommand implements Callable<Integer> {
    @Option(names = "--port", paramLabel = "PORT", description = "port of HTTP; 0: any free port (default: 10002)")
    private int port = 10_002;

    @Option(names = "--host", paramLabel = "HOST", description = "the address to listen on (default: 127.0.0.1)")
    private String host = "127.0.0.1";

    @Option(names = "--data", paramLabel = "DIR", description = "folder of all data (default: ./cleave-data)")
    private Path data = Deployment.DEFAULT_FOLDER;

    @Option(
            names = "--admin-port",
            paramLabel = "PORT",
            description = "port of /metrics, /healthz and /readyz; 0: any free port (default: 0)")
    private int adminPort;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "a setting of a role, such as server.loops=1. May be given many times")
    private List<String> settings = List.of();

    @Option(
            names = "--board-port",
            paramLabel = "PORT",
            description = "port of the board, a page that shows what happens inside; 0: any free port (default: 0)")
    private int boardPort;

    @Option(names = "--no-board", description = "without the board")
    private boolean noBoard;

    @Option(
            names = "--play",
            description =
                    "the board gets buttons that put load on this process, and change the balancer's settings; only who"
                            + " has the URL that is printed can use them")
    private boolean play;

    @Override
    public Integer call() {
        if (play && noBoard) {
            throw CommandFailure.usage("--play is for the board; leave --no-board out");
        }
        ListenAddress listen = new ListenAddress(host, port);
        ListenAddress admin = new ListenAddress("127.0.0.1", adminPort);
        CollectorRegistry registry = new CollectorRegistry();
        StandaloneConfig config = new StandaloneConfig(data, listen, GivenSettings.ofAssignments(settings));
        Standalone standalone = new Standalone(config, registry);
        Path folder = data.toAbsolutePath().normalize();
        boolean isNew = !Files.exists(folder);
        standalone.claim();
        Logs.toFile(folder.resolve("cleave.log"), Logs.Format.TEXT);
        say("Data: " + folder + (isNew ? " (made now)" : ""));
        try (StandaloneBoard board = new StandaloneBoard(config, boardPort, play, this::say)) {
            standalone.beforeEnd(board::close); // Play deletes its table.
            return new RoleProcess(admin, registry, new Console(standalone, board)).run(() -> standalone);
        }
    }

    /** Shows the progress of the start at the terminal. */
    private final class Console implements RoleProcess.Announcer {
        private final Standalone standalone;
        private final StandaloneBoard board;

        Console(Standalone standalone, StandaloneBoard board) {
            this.standalone = standalone;
            this.board = board;
        }

        @Override
        public void ready(int adminAt) {
            say("Metrics: http://127.0.0.1:" + adminAt + "/metrics (also /healthz, /readyz)");
            say("Ready. Connection string:");
            for (String endpoint : standalone.endpoints()) {
                say("  " + TableAccount.development(endpoint).connectionString());
            }
            if (standalone.address().equals("127.0.0.1:10002")) {
                say("or, as it is the default of every SDK:");
                say("  UseDevelopmentStorage=true");
            }
            if (!noBoard) {
                board.start(adminAt, standalone.account());
            }
        }

        @Override
        public void waiting(String missing) {
            say("Not ready yet: " + missing);
        }
    }
}
