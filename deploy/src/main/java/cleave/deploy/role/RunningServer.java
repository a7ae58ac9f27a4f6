package cleave.deploy.role;

import cleave.model.Readiness;
import cleave.server.PartitionServer;
import cleave.server.metrics.ServerMetrics;
import cleave.server.settings.ServerConfig;
import cleave.settings.Settings;
import io.prometheus.client.CollectorRegistry;
import java.util.function.Function;

/** A partition server in this process, with a client of the DFS. Thread-safe. */
public final class RunningServer implements RunningRole {
    private final ServerConfig config;
    private final SharedDfs dfs;
    private final PartitionServer server;

    private RunningServer(ServerConfig config, SharedDfs dfs, CollectorRegistry registry) {
        this.config = config;
        this.dfs = dfs;
        server = new PartitionServer(config, new ServerMetrics(registry), dfs.take(registry));
    }

    /** Reads the settings now; the server is made later. */
    public static Function<CollectorRegistry, RunningRole> configure(Settings settings) {
        return configure(settings, new SharedDfs(settings.text("dfs")));
    }

    /** The same with a DFS that other roles of the process use, too. */
    public static Function<CollectorRegistry, RunningRole> configure(Settings settings, SharedDfs dfs) {
        ServerConfig config = ServerConfig.from(settings);
        return registry -> new RunningServer(config, dfs, registry);
    }

    @Override
    public String name() {
        return "server " + config.id();
    }

    @Override
    public void start() {
        server.start();
    }

    @Override
    public Readiness readiness() {
        return server.readiness();
    }

    @Override
    public String address() {
        return server.address();
    }

    @Override
    public void close() {
        server.close();
        dfs.giveBack();
    }
}
