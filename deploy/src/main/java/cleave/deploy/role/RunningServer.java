package cleave.deploy.role;

import cleave.dfs.Dfs;
import cleave.dfs.DfsClients;
import cleave.dfs.DfsException;
import cleave.dfs.metrics.DfsMetrics;
import cleave.model.Readiness;
import cleave.server.PartitionServer;
import cleave.server.metrics.ServerMetrics;
import cleave.server.settings.ServerConfig;
import cleave.settings.Settings;
import cleave.settings.Settings.BadSetting;
import io.prometheus.client.CollectorRegistry;
import java.util.function.Function;

/** A partition server in this process, with its own client of the DFS. Thread-safe. */
public final class RunningServer implements RunningRole {
    private final ServerConfig config;
    private final Dfs dfs;
    private final PartitionServer server;

    private RunningServer(ServerConfig config, String dfsUri, CollectorRegistry registry) {
        this.config = config;
        dfs = open(dfsUri, registry);
        server = new PartitionServer(config, new ServerMetrics(registry), dfs);
    }

    private static Dfs open(String uri, CollectorRegistry registry) {
        try {
            return DfsClients.open(uri, new DfsMetrics(registry));
        } catch (DfsException refused) {
            throw refused.reason() == DfsException.Reason.INVALID
                    ? new BadSetting("setting dfs is '" + uri + "' but must be file:/some/folder or dfs:host:port: "
                            + refused.getMessage())
                    : refused;
        }
    }

    /** Reads the settings now; the server is made later. */
    public static Function<CollectorRegistry, RunningRole> configure(Settings settings) {
        ServerConfig config = ServerConfig.from(settings);
        String dfsUri = settings.text("dfs");
        return registry -> new RunningServer(config, dfsUri, registry);
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
        dfs.close();
    }
}
