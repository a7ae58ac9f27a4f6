package cleave.chaos.load;

import cleave.chaos.client.Endpoint;
import cleave.chaos.client.SharedKey;
import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code cleave load}: puts one kind of load on one endpoint. */
@Command(
        name = "load",
        mixinStandardHelpOptions = true,
        header = "puts load on a Table endpoint and prints throughput and latency",
        description = {
            "Works on a new table of 10,000 entities, with the development account or a given one, in a closed loop: each connection sends its"
                    + " next request when it has the answer to the last one.",
            "With --beside, the same is measured once more while another account works on a table of its own."
        })
public final class LoadCommand implements Callable<Integer> {
    private static final Duration FOR_EVER = Duration.ofDays(1);

    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli before anything runs.
    private CommandSpec spec;

    @Option(
            names = "--endpoint",
            paramLabel = "URL",
            description = "endpoint of the account (default: http://127.0.0.1:10002)")
    private URI endpoint = URI.create("http://127.0.0.1:10002");

    @Option(
            names = "--kind",
            paramLabel = "KIND",
            description =
                    "GET, INSERT, MERGE, QUERY (100 entities), TRANSACTION, FEW (5 entities), SCAN (of all, finds nothing) or PAGE (1,000 entities; default: GET)")
    private LoadKind kind = LoadKind.GET;

    @Option(names = "--account", paramLabel = "NAME", description = "(default: the development account)")
    private String account = Endpoint.DEVELOPMENT_ACCOUNT;

    @Option(names = "--key", paramLabel = "BASE64", description = "key of the account")
    private String key = Endpoint.DEVELOPMENT_KEY;

    @Option(names = "--connections", paramLabel = "N", description = "concurrent clients (default: 16)")
    private int connections = 16;

    @Option(names = "--seconds", paramLabel = "N", description = "duration (default: 10)")
    private int seconds = 10;

    @Option(names = "--beside", paramLabel = "KIND", description = "kind of load of the other account at the same time")
    private @Nullable LoadKind besideKind;

    @Option(names = "--beside-account", paramLabel = "NAME", description = "(default: the same)")
    private @Nullable String besideAccount;

    @Option(names = "--beside-key", paramLabel = "BASE64", description = "of the other account (default: the same)")
    private @Nullable String besideKey;

    @Option(names = "--beside-connections", paramLabel = "N", description = "of the other account (default: 64)")
    private int besideConnections = 64;

    @Override
    public Integer call() {
        if (besideKind == null && (besideAccount != null || besideKey != null)) {
            throw CommandFailure.usage("--beside-account and --beside-key need --beside KIND");
        }
        if (connections < 1 || besideConnections < 1 || seconds < 1) {
            throw CommandFailure.usage("--connections, --beside-connections and --seconds must be at least 1");
        }
        try {
            return measured();
        } catch (IOException failed) {
            throw CommandFailure.unreachable("no load on " + endpoint + ": " + failed.getMessage());
        }
    }

    private int measured() throws IOException {
        String table = "Load" + Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);
        Endpoint at = as(account, key);
        Sample.load(at, table);
        LoadKind other = besideKind;
        if (other == null) {
            Figures figures = run(at, table, 0);
            print(figures, kind, connections, "");
            return figures.failures() == 0 ? 0 : 1;
        }
        Endpoint besideAt = as(besideAccount == null ? account : besideAccount, besideKey == null ? key : besideKey);
        String besideTable = table + "b";
        Sample.load(besideAt, besideTable);
        Figures alone = run(at, table, 0);
        print(alone, kind, connections, "alone: ");
        LoadRun neighbour = LoadRun.started(besideAt, besideTable, other, besideConnections, FOR_EVER, 0);
        neighbour.awaitWarm();
        Figures beside = run(at, table, connections);
        Figures neighbours = neighbour.stop();
        print(beside, kind, connections, "beside: ");
        print(neighbours, other, besideConnections, "the other account: ");
        return alone.failures() + beside.failures() + neighbours.failures() == 0 ? 0 : 1;
    }

    private Endpoint as(String name, String itsKey) {
        return new Endpoint(
                endpoint.getScheme(), endpoint.getHost(), endpoint.getPort(), "/" + name, new SharedKey(name, itsKey));
    }

    private Figures run(Endpoint at, String table, int firstClient) {
        return LoadRun.started(at, table, kind, connections, Duration.ofSeconds(seconds), firstClient)
                .end();
    }

    private void print(Figures figures, LoadKind its, int count, String which) {
        PrintWriter out = spec.commandLine().getOut();
        out.printf(
                Locale.ROOT,
                "%s%s, %d connections: %,.0f/s, median %.2f ms, p99 %.2f ms, longest %.1f ms, %d failures %s%n",
                which,
                its.title(),
                count,
                figures.operationsPerSecond(),
                figures.medianMillis(),
                figures.p99Millis(),
                figures.maxMillis(),
                figures.failures(),
                figures.failure());
        out.flush();
    }
}
