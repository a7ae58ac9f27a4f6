package cleave.deploy.role;

import cleave.deploy.terminal.Wait;
import cleave.dfs.DfsNode;
import cleave.dfs.metrics.DfsMetrics;
import cleave.dfs.settings.DfsNodeConfig;
import cleave.frontend.FrontEnd;
import cleave.frontend.metrics.FrontEndMetrics;
import cleave.frontend.settings.FrontEndConfig;
import cleave.frontend.settings.FrontEndConfig.Listen;
import cleave.frontend.settings.FrontEndConfig.Tls;
import cleave.master.PartitionMaster;
import cleave.master.metrics.MasterMetrics;
import cleave.master.settings.MasterConfig;
import cleave.model.Facts;
import cleave.model.Incarnation;
import cleave.model.Readiness;
import cleave.runtime.files.FileProblem;
import cleave.runtime.rpc.Channels;
import cleave.runtime.rpc.NetworkLoops;
import cleave.runtime.rpc.Transport;
import cleave.runtime.settings.ProcessFiles;
import cleave.runtime.settings.ProcessMemory;
import cleave.runtime.settings.Settings;
import cleave.runtime.settings.Settings.BadSetting;
import cleave.runtime.tls.CredentialsFolder;
import cleave.runtime.tls.PeerRole;
import cleave.server.PartitionServer;
import cleave.server.metrics.ServerMetrics;
import cleave.server.settings.ServerConfig;
import io.netty.handler.ssl.SslContext;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The roles, each made in two steps: its settings are read at once, and the function that is returned makes the role from them.
 * Stateless.
 */
public final class Roles {
    private static final Logger LOG = LoggerFactory.getLogger(Roles.class);
    private static final long HAND_OVER_NANOS = 5_000_000_000L;
    private static final Duration POLL = Duration.ofMillis(10);
    private static final long DRAIN_NANOS_MAX = 3_600_000_000_000L;

    private Roles() {}

    /** One role, by all its settings; the caller serves the port that {@code admin.listen} names, if anybody does. */
    public static RunningRole of(PeerRole role, Map<String, String> given, CollectorRegistry registry) {
        Settings settings = new Settings(given);
        RoleCommand.admin(settings);
        Function<CollectorRegistry, RunningRole> recipe = switch (role) {
            case DFS -> dfs(settings);
            case MASTER -> master(settings);
            case SERVER -> server(settings);
            case FRONT_END -> frontEnd(settings);
            case ADMIN, VIEWER -> throw new IllegalArgumentException("no process has the role " + role);
        };
        settings.refuseUnknown();
        return recipe.apply(registry);
    }

    /** The steps by which a role hands over its ranges before it ends. */
    private record Shutdown(long nanosMax, Consumer<EndSignals> steps) {
        private static final Shutdown AT_ONCE = new Shutdown(0, signals -> {});
    }

    /** What operators see of a role. */
    private record Shown(PeerRole role, SortedMap<String, String> settings, Supplier<Facts> status) {}

    /** One role in this process. */
    private record Single(
            String name,
            Transport transport,
            ProcessMemory memory,
            Consumer<String> metrics,
            Runnable starting,
            Supplier<Readiness> ready,
            Supplier<Map<String, Executor>> running,
            Supplier<String> reached,
            Shown shown,
            Shutdown shutdown,
            Runnable closing)
            implements RunningRole {
        @Override
        public @Nullable SslContext adminTls() {
            return transport.ofHttpPort();
        }

        @Override
        public SortedMap<String, String> settings() {
            return shown.settings;
        }

        @Override
        public Facts status() {
            return Facts.NONE.and(shown.role.word(), shown.status.get());
        }

        @Override
        public void metricsAt(String address) {
            metrics.accept(address);
        }

        @Override
        public void start() {
            starting.run();
        }

        @Override
        public Readiness readiness() {
            return ready.get();
        }

        @Override
        public Map<String, Executor> loops() {
            return running.get();
        }

        @Override
        public CredentialsFolder.@Nullable Use certificate() {
            return transport.certificate();
        }

        @Override
        public String address() {
            return reached.get();
        }

        @Override
        public long leaveNanosMax() {
            return shutdown.nanosMax;
        }

        @Override
        public void leave(EndSignals signals) {
            shutdown.steps.accept(signals);
        }

        @Override
        public void close() {
            closing.run();
        }
    }

    /** A node of the DFS. */
    static Function<CollectorRegistry, RunningRole> dfs(Settings settings) {
        DfsNodeConfig config = DfsNodeConfig.from(settings);
        Transport transport = Peers.transport(settings, PeerRole.DFS);
        transport.checkListen("dfs-node.listen", config.listen());
        ProcessMemory memory = ProcessMemory.withStores(0).check();
        return registry -> {
            DfsNode node = new DfsNode(config, transport, DfsMetrics.ofNode(registry));
            return new Single(
                    "dfs " + config.id(),
                    transport,
                    memory,
                    address -> {},
                    () -> {
                        try {
                            node.start();
                        } catch (IOException failed) {
                            throw new UncheckedIOException(
                                    "dfs-node.dir " + config.dir() + " cannot be used: " + FileProblem.text(failed),
                                    failed);
                        }
                    },
                    node::readiness,
                    node::loops,
                    node::address,
                    new Shown(PeerRole.DFS, settings.inForce(), node::status),
                    Shutdown.AT_ONCE,
                    node::close);
        };
    }

    /** A partition master, with a client of the DFS for its sweep. */
    static Function<CollectorRegistry, RunningRole> master(Settings settings) {
        Transport transport = Peers.transport(settings, PeerRole.MASTER);
        // Checked before the config, whose complaint about a missing name would hide that the port is open to a
        // network.
        transport.checkListen("master.listen", settings.text("master.listen", MasterConfig.LISTEN));
        transport.checkListen("master.raft-listen", settings.text("master.raft-listen", MasterConfig.RAFT_LISTEN));
        MasterConfig config = MasterConfig.from(settings);
        return master(settings, config, transport, SharedDfs.from(settings), master -> {});
    }

    /**
     * The same in a process with other roles, which use the DFS, too.
     *
     * @param started is called at the end of the start
     */
    public static Function<CollectorRegistry, RunningRole> master(
            Settings settings, SharedDfs dfs, Consumer<PartitionMaster> started) {
        MasterConfig config = MasterConfig.from(settings);
        Transport.PLAIN.checkListen("master.raft-listen", config.raftListen());
        return master(settings, config, Transport.PLAIN, dfs, started);
    }

    private static Function<CollectorRegistry, RunningRole> master(
            Settings settings,
            MasterConfig config,
            Transport transport,
            SharedDfs dfs,
            Consumer<PartitionMaster> started) {
        ProcessMemory memory = ProcessMemory.withStores(0).check();
        return registry -> {
            PartitionMaster master =
                    new PartitionMaster(config, transport, new MasterMetrics(registry), dfs.take(registry, transport));
            return new Single(
                    "master " + config.id(),
                    transport,
                    memory,
                    master::metricsAt,
                    () -> {
                        master.start();
                        started.accept(master);
                    },
                    master::readiness,
                    master::loops,
                    master::address,
                    new Shown(PeerRole.MASTER, settings.inForce(), master::status),
                    new Shutdown(HAND_OVER_NANOS, signals -> handOver(master, signals)),
                    () -> {
                        master.close();
                        dfs.giveBack();
                    });
        };
    }

    /** Another master leads before this one ends, as far as the time allows. */
    private static void handOver(PartitionMaster master, EndSignals signals) {
        CompletableFuture<Boolean> handed = master.handOver();
        Wait.until(() -> handed.isDone() || signals.isHurried(), Duration.ofNanos(HAND_OVER_NANOS), POLL);
        LOG.info("master leaves leads={}", !handed.getNow(false));
    }

    /** A partition server, with a client of the DFS. */
    static Function<CollectorRegistry, RunningRole> server(Settings settings) {
        Transport transport = Peers.transport(settings, PeerRole.SERVER);
        transport.checkListen("server.listen", settings.text("server.listen", ServerConfig.LISTEN));
        ServerConfig config = ServerConfig.from(settings);
        return server(settings, config, transport, SharedDfs.from(settings));
    }

    /** The same in a process with other roles, which use the DFS, too. */
    public static Function<CollectorRegistry, RunningRole> server(Settings settings, SharedDfs dfs) {
        return server(settings, ServerConfig.from(settings), Transport.PLAIN, dfs);
    }

    private static Function<CollectorRegistry, RunningRole> server(
            Settings settings, ServerConfig config, Transport transport, SharedDfs dfs) {
        ProcessMemory memory =
                ProcessMemory.withStores(config.blockCacheBytes()).check();
        long drainNanos = drainNanos(settings);
        return registry -> {
            NetworkLoops network = NetworkLoops.start("server-" + config.id() + "-ranges", config.loops());
            PartitionServer server = new PartitionServer(
                    config, transport, network, new ServerMetrics(registry), dfs.take(registry, transport.on(network)));
            Shutdown shutdown = new Shutdown(drainNanos, signals -> {
                // Its ranges move to other servers first, if there are any.
                Incarnation own = server.incarnation();
                if (own != null && server.readiness().ready()) {
                    try (Channels channels = new Channels(transport)) {
                        channels.ofCluster(server::cluster); // Another one may have a server of this name, too.
                        Departure.prepare(channels, config.masters(), own, drainNanos, signals);
                    }
                }
            });
            return new Single(
                    "server " + config.id(),
                    transport,
                    memory,
                    server::metricsAt,
                    server::start,
                    server::readiness,
                    server::loops,
                    server::address,
                    new Shown(PeerRole.SERVER, settings.inForce(), server::status),
                    shutdown,
                    () -> {
                        server.close();
                        dfs.giveBack();
                        network.close();
                    });
        };
    }

    /** The time that a server that ends gives its ranges to move away. */
    static long drainNanos(Settings settings) {
        long drainNanos = settings.nanos("server.drain-deadline", "5s");
        if (drainNanos > DRAIN_NANOS_MAX) {
            throw new BadSetting("setting server.drain-deadline must be at most 1h");
        }
        return drainNanos;
    }

    /** A front end. */
    static Function<CollectorRegistry, RunningRole> frontEnd(Settings settings) {
        FrontEndConfig config = FrontEndConfig.from(settings);
        return frontEnd(settings, config, Peers.transport(settings, PeerRole.FRONT_END), endpoints -> {});
    }

    /**
     * The same with a given transport, in a process with a server.
     *
     * @param started is called at the end of the start, with the URLs for clients, that of HTTP first if there are two
     */
    public static Function<CollectorRegistry, RunningRole> frontEnd(
            Settings settings, Transport transport, Consumer<List<String>> started) {
        return frontEnd(
                settings,
                FrontEndConfig.from(
                        settings, Runtime.getRuntime().maxMemory(), ProcessFiles.besideStores(ProcessFiles.limit())),
                transport,
                started);
    }

    private static Function<CollectorRegistry, RunningRole> frontEnd(
            Settings settings, FrontEndConfig config, Transport transport, Consumer<List<String>> started) {
        ProcessMemory memory = ProcessMemory.withStores(0).check();
        return registry -> {
            FrontEnd frontEnd = frontEnd(config, transport, registry);
            return new Single(
                    "front-end",
                    transport,
                    memory,
                    frontEnd::metricsAt,
                    () -> {
                        try {
                            frontEnd.start();
                        } catch (IOException failed) {
                            throw new UncheckedIOException("the front end cannot listen on " + listens(config), failed);
                        }
                        started.accept(endpoints(config, frontEnd));
                    },
                    frontEnd::readiness,
                    frontEnd::loops,
                    () -> endpoints(config, frontEnd).get(0).replaceFirst("https?://", ""),
                    new Shown(PeerRole.FRONT_END, settings.inForce(), frontEnd::status),
                    new Shutdown(config.drainNanos(), signals -> drain(frontEnd, config.drainNanos(), signals)),
                    frontEnd::close);
        };
    }

    /** The front end serves on, so that load balancers notice that it is not ready. */
    private static void drain(FrontEnd frontEnd, long nanos, EndSignals signals) {
        frontEnd.leave();
        try {
            signals.awaitHurried(nanos);
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
    }

    private static FrontEnd frontEnd(FrontEndConfig config, Transport transport, CollectorRegistry registry) {
        try {
            return new FrontEnd(config, transport, new FrontEndMetrics(registry));
        } catch (IOException unreadable) {
            throw new BadSetting("setting front-end.accounts is '" + config.accountsFile() + "', which cannot be read: "
                    + FileProblem.text(unreadable));
        }
    }

    private static String listens(FrontEndConfig config) {
        Listen http = config.listen();
        Tls https = config.tls();
        return (http == null ? "" : "front-end.listen " + http)
                + (http == null || https == null ? "" : " and ")
                + (https == null ? "" : "front-end.listen-tls " + https.listen());
    }

    private static List<String> endpoints(FrontEndConfig config, FrontEnd frontEnd) {
        Listen http = config.listen();
        Tls https = config.tls();
        List<String> endpoints = new ArrayList<>();
        if (http != null) {
            endpoints.add("http://" + http.host() + ":" + frontEnd.port());
        }
        if (https != null) {
            endpoints.add("https://" + https.listen().host() + ":" + frontEnd.tlsPort());
        }
        return endpoints;
    }
}
