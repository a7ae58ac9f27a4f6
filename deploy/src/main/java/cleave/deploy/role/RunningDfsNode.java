package cleave.deploy.role;

import cleave.dfs.DfsNode;
import cleave.dfs.metrics.DfsMetrics;
import cleave.dfs.settings.DfsNodeConfig;
import cleave.model.Readiness;
import cleave.runtime.rpc.Transport;
import cleave.runtime.settings.Settings;
import cleave.runtime.tls.PeerRole;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.Function;

/** A node of the DFS in this process. Thread-safe. */
final class RunningDfsNode implements RunningRole {
    private final DfsNodeConfig config;
    private final DfsNode node;

    private RunningDfsNode(DfsNodeConfig config, Transport transport, CollectorRegistry registry) {
        this.config = config;
        node = new DfsNode(config, transport, new DfsMetrics(registry));
    }

    /** Reads the settings now; the node is made later. */
    static Function<CollectorRegistry, RunningRole> configure(Settings settings) {
        DfsNodeConfig config = DfsNodeConfig.from(settings);
        Transport transport = Peers.transport(settings, PeerRole.DFS);
        transport.checkListen("dfs-node.listen", config.listen());
        return registry -> new RunningDfsNode(config, transport, registry);
    }

    @Override
    public String name() {
        return "dfs " + config.id();
    }

    @Override
    public void start() {
        try {
            node.start();
        } catch (IOException failed) {
            throw new UncheckedIOException("dfs-node.dir " + config.dir() + ": " + failed.getMessage(), failed);
        }
    }

    @Override
    public Readiness readiness() {
        return node.readiness();
    }

    @Override
    public String address() {
        return node.address();
    }

    @Override
    public void close() {
        node.close();
    }
}
