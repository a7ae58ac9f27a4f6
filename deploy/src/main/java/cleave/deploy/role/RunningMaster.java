package cleave.deploy.role;

import cleave.master.PartitionMaster;
import cleave.master.metrics.MasterMetrics;
import cleave.master.settings.MasterConfig;
import cleave.model.Readiness;
import cleave.runtime.rpc.Transport;
import cleave.runtime.settings.Settings;
import cleave.runtime.tls.PeerRole;
import cleave.wire.FoundReply;
import io.prometheus.client.CollectorRegistry;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** A partition master in this process, with a client of the DFS for its sweep. Thread-safe. */
public final class RunningMaster implements RunningRole {
    private final MasterConfig config;
    private final SharedDfs dfs;
    private final PartitionMaster master;

    private RunningMaster(MasterConfig config, Transport transport, SharedDfs dfs, CollectorRegistry registry) {
        this.config = config;
        this.dfs = dfs;
        master = new PartitionMaster(config, transport, new MasterMetrics(registry), dfs.take(registry));
    }

    /** Reads the settings now; the master is made later. */
    public static Function<CollectorRegistry, RunningRole> configure(Settings settings) {
        Transport transport = Peers.transport(settings, PeerRole.MASTER);
        MasterConfig config = MasterConfig.from(settings);
        transport.checkListen("master.listen", config.listen());
        transport.checkListen("master.raft-listen", config.raftListen());
        return recipe(config, transport, SharedDfs.from(settings, transport));
    }

    /** The same inside one process, with a DFS that its other roles use, too. */
    public static Function<CollectorRegistry, RunningRole> configure(Settings settings, SharedDfs dfs) {
        MasterConfig config = MasterConfig.from(settings);
        Transport.PLAIN.checkListen("master.raft-listen", config.raftListen());
        return recipe(config, Transport.PLAIN, dfs);
    }

    private static Function<CollectorRegistry, RunningRole> recipe(
            MasterConfig config, Transport transport, SharedDfs dfs) {
        return registry -> new RunningMaster(config, transport, dfs, registry);
    }

    @Override
    public String name() {
        return "master " + config.id();
    }

    @Override
    public void start() {
        master.start();
    }

    /** Founds a cluster of the masters that the settings name. */
    public CompletableFuture<FoundReply> found() {
        return master.found();
    }

    @Override
    public Readiness readiness() {
        return master.readiness();
    }

    @Override
    public String address() {
        return master.address();
    }

    @Override
    public void close() {
        master.close();
        dfs.giveBack();
    }
}
