package cleave.chaos.load;

import cleave.chaos.client.Endpoint;
import cleave.chaos.client.SharedKey;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code cleave load}: one kind of load on one endpoint. */
@Command(
        name = "load",
        mixinStandardHelpOptions = true,
        header = "puts load on a Table endpoint and prints throughput and latency",
        description = {
            "Works on a new table of 10,000 entities, with the development account or another one, in a closed loop: each connection sends its"
                    + " next request when it has the answer to the last one."
        })
public final class LoadCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli before anything runs.
    private CommandSpec spec;

    @Option(names = "--endpoint", paramLabel = "URL", description = "where to (default: http://127.0.0.1:10002)")
    private URI endpoint = URI.create("http://127.0.0.1:10002");

    @Option(
            names = "--kind",
            paramLabel = "KIND",
            description =
                    "GET, INSERT, MERGE, QUERY, TRANSACTION, FEW (5 entities) or SCAN (of all, finds nothing; default: GET)")
    private LoadKind kind = LoadKind.GET;

    @Option(names = "--account", paramLabel = "NAME", description = "(default: the development account)")
    private String account = Endpoint.DEVELOPMENT_ACCOUNT;

    @Option(names = "--key", paramLabel = "BASE64", description = "of the account")
    private String key = Endpoint.DEVELOPMENT_KEY;

    @Option(names = "--connections", paramLabel = "N", description = "concurrent clients (default: 16)")
    private int connections = 16;

    @Option(names = "--seconds", paramLabel = "N", description = "how long (default: 10)")
    private int seconds = 10;

    @Override
    public Integer call() throws IOException {
        Endpoint at = new Endpoint(
                endpoint.getScheme(),
                endpoint.getHost(),
                endpoint.getPort(),
                "/" + account,
                new SharedKey(account, key));
        String table = "Load" + Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);
        Sample.load(at, table);
        Figures figures = new LoadRun(at, table, kind, connections, Duration.ofSeconds(seconds), 0).run();
        PrintWriter out = spec.commandLine().getOut();
        out.printf(
                Locale.ROOT,
                "%s, %d connections: %,.0f/s, median %.2f ms, p99 %.2f ms, longest %.1f ms, %d failures %s%n",
                kind.title(),
                connections,
                figures.operationsPerSecond(),
                figures.medianMillis(),
                figures.p99Millis(),
                figures.maxMillis(),
                figures.failures(),
                figures.lastFailure());
        out.flush();
        return figures.failures() == 0 ? 0 : 1;
    }
}
