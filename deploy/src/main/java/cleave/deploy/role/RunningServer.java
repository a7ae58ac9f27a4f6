package cleave.deploy.role;

import cleave.model.Readiness;
import cleave.runtime.rpc.Transport;
import cleave.runtime.settings.Settings;
import cleave.runtime.settings.Settings.BadSetting;
import cleave.runtime.tls.PeerRole;
import cleave.server.PartitionServer;
import cleave.server.metrics.ServerMetrics;
import cleave.server.settings.ServerConfig;
import io.prometheus.client.CollectorRegistry;
import java.util.function.Function;

/** A partition server in this process, with a client of the DFS. Thread-safe. */
public final class RunningServer implements RunningRole {
    /** Well below the time after which the process ends in any case. */
    private static final long DRAIN_NANOS_MAX = 15_000_000_000L;

    private final ServerConfig config;
    private final long drainNanos;
    private final Transport transport;
    private final SharedDfs dfs;
    private final PartitionServer server;

    private RunningServer(
            ServerConfig config, long drainNanos, Transport transport, SharedDfs dfs, CollectorRegistry registry) {
        this.transport = transport;
        this.config = config;
        this.drainNanos = drainNanos;
        this.dfs = dfs;
        server = new PartitionServer(config, transport, new ServerMetrics(registry), dfs.take(registry));
    }

    /** Reads the settings now; the server is made later. */
    public static Function<CollectorRegistry, RunningRole> configure(Settings settings) {
        Transport transport = Peers.transport(settings, PeerRole.SERVER);
        ServerConfig config = ServerConfig.from(settings);
        transport.checkListen("server.listen", config.listen());
        return recipe(settings, config, transport, SharedDfs.from(settings, transport));
    }

    /** The same inside one process, with a DFS that its other roles use, too. */
    public static Function<CollectorRegistry, RunningRole> configure(Settings settings, SharedDfs dfs) {
        return recipe(settings, ServerConfig.from(settings), Transport.PLAIN, dfs);
    }

    private static Function<CollectorRegistry, RunningRole> recipe(
            Settings settings, ServerConfig config, Transport transport, SharedDfs dfs) {
        long drainNanos = settings.nanos("server.drain-deadline", "5s");
        if (drainNanos > DRAIN_NANOS_MAX) {
            throw new BadSetting(
                    "setting server.drain-deadline must be at most 15s, for a process that is told to end does so"
                            + " soon; to take more time, use 'cleave admin drain' first");
        }
        return registry -> new RunningServer(config, drainNanos, transport, dfs, registry);
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

    /** Its ranges are moved away first, if there is somebody to have them. */
    @Override
    public void close() {
        if (server.readiness().ready()) {
            Departure.prepare(transport, config.masters(), config.id(), drainNanos);
        }
        server.close();
        dfs.giveBack();
    }
}
