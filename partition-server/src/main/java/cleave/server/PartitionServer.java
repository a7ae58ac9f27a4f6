package cleave.server;

import cleave.dfs.Dfs;
import cleave.model.Facts;
import cleave.model.Incarnation;
import cleave.model.Readiness;
import cleave.route.RangeClient;
import cleave.route.rpc.MapWatcher;
import cleave.route.rpc.MasterClient;
import cleave.route.rpc.UnaryCalls;
import cleave.runtime.loop.EventLoop;
import cleave.runtime.loop.ThreadLoop;
import cleave.runtime.rpc.Advertised;
import cleave.runtime.rpc.Channels;
import cleave.runtime.rpc.NetworkLoops;
import cleave.runtime.rpc.RpcServer;
import cleave.runtime.rpc.Transport;
import cleave.server.dfs.DfsProbe;
import cleave.server.dfs.FileTransfer;
import cleave.server.membership.Membership;
import cleave.server.metrics.ServerMetrics;
import cleave.server.policy.AnswerOrder;
import cleave.server.rpc.GrpcMasters;
import cleave.server.rpc.GrpcTargetServers;
import cleave.server.rpc.TableNames;
import cleave.server.settings.ServerConfig;
import cleave.server.store.ReaderPool;
import cleave.server.store.RocksRangeStores;
import cleave.server.store.ServerFolder;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One partition server. Thread-safe; started and closed once. Wiring only.
 *
 * <p>Requests arrive on the threads that run the ranges. Its conversations with masters and with other servers are on threads of their own, so
 * that a range that waits for its disk does not make the server look dead.
 */
public final class PartitionServer implements AutoCloseable {
    /** Ranges that are opened at the same time: an opening mostly waits, for the DFS and the masters. */
    private static final int OPENINGS = Math.max(8, 4 * Runtime.getRuntime().availableProcessors());

    private final ServerConfig config;
    private final ServerMetrics metrics;
    private final Dfs dfs;
    private final ThreadLoop loop;
    private final List<EventLoop> rangeLoops;
    private final Transport requests;
    private final Channels channels;
    private final MapWatcher map;
    private volatile String admin = "";
    private volatile @Nullable Running running;

    /** The parts of a started server. */
    private record Running(
            RpcServer rpc,
            ServerCore core,
            DfsProbe probe,
            TableNames names,
            ServerFolder folder,
            RocksRangeStores stores,
            ReaderPool readers) {}

    /**
     * @param network runs the ranges and receives their requests; best the DFS's as well. The caller closes the DFS and then this, after
     *     the server
     */
    public PartitionServer(
            ServerConfig config, Transport transport, NetworkLoops network, ServerMetrics metrics, Dfs dfs) {
        this(config, transport, network, metrics, dfs, ThreadLoop::haltOnFault);
    }

    /** @param onFault called with a bug; must end the process */
    public PartitionServer(
            ServerConfig config,
            Transport transport,
            NetworkLoops network,
            ServerMetrics metrics,
            Dfs dfs,
            Consumer<Throwable> onFault) {
        this.config = config;
        this.requests = transport.on(network);
        this.channels = new Channels(transport);
        this.metrics = metrics;
        this.dfs = dfs;
        this.loop = new ThreadLoop("server-" + config.id(), onFault);
        this.rangeLoops = network.loops(onFault);
        this.map = new MapWatcher(loop, channels, config.seeds(), new Random());
        channels.keep(() -> map.current().peers());
        channels.ofCluster(this::cluster);
    }

    /** Has the masters know where the process serves its metrics. Called before the start, if at all. */
    public void metricsAt(String address) {
        admin = address;
    }

    /** UncheckedIOException if the address or the folder is taken or cannot be used; then nothing runs. */
    public void start() {
        boolean started = false;
        ServerFolder folder = null;
        RocksRangeStores stores = null;
        RpcServer rpc = null;
        try {
            folder = ServerFolder.open(config.dir(), new Random());
            stores = new RocksRangeStores(
                    folder.stores(),
                    folder.cached(),
                    new FileTransfer(dfs),
                    new RocksRangeStores.Sizes(
                            config.blockCacheBytes(),
                            config.writeBufferBytes(),
                            config.transfers(),
                            config.spaceReserveBytes()));
            MasterClient masters = new MasterClient(loop, channels, config.masters(), new Random());
            masters.follow(map);
            ReaderPool readers = new ReaderPool(config.readers());
            ServerCore core = ServerCore.of(
                    loop,
                    new Membership.Self(
                            config.id(), config.heartbeatNanos(), OPENINGS, config.ranges(), config.scrub()),
                    new Membership.Outside(
                            dfs,
                            new GrpcMasters(masters),
                            new GrpcTargetServers(channels),
                            stores,
                            readers,
                            metrics,
                            rangeLoops,
                            AnswerOrder.OF_THE_LOG));
            rpc = RpcServer.start(requests, List.of(config.listen()), this::cluster, core.services(map));
            RocksRangeStores measured = stores;
            metrics.measure(() -> measured.figures(readers.waiting()), core.directory()::loads);
            RangeClient ranges = new RangeClient(loop, new UnaryCalls(channels), map, new Random());
            TableNames names = new TableNames(loop, ranges, core.directory()::tables, new Random());
            metrics.measureTables(core.directory()::tables, names::known);
            DfsProbe probe = new DfsProbe(loop, dfs);
            running = new Running(rpc, core, probe, names, folder, stores, readers);
            probe.start();
            names.start();
            core.membership()
                    .start(
                            Advertised.at(config.advertise(), rpc.port()),
                            new Membership.Host(admin, new ProcessCpu(), probe::silentNanos),
                            identity -> map.start(identity.cluster().text()));
            started = true;
        } finally {
            if (!started) {
                if (rpc != null) {
                    rpc.close();
                }
                if (stores != null) {
                    stores.close();
                }
                if (folder != null) {
                    folder.close();
                }
                close();
            }
        }
    }

    /** The id of its cluster, from the DFS; empty while it is unknown. */
    public String cluster() {
        return map.current().cluster();
    }

    /** The incarnation that the masters registered last; null while none is registered. */
    public @Nullable Incarnation incarnation() {
        Running now = running;
        return now == null ? null : now.core().membership().incarnation();
    }

    /** The address of its gRPC services, with the assigned port. */
    public String address() {
        Running now = running;
        return now == null ? config.listen() : now.rpc().address();
    }

    /** Ready once it is registered, a master answers its heartbeats, and the DFS can append. */
    public Readiness readiness() {
        Running now = running;
        if (now == null) {
            return Readiness.missing("not started");
        }
        Readiness membership = now.core().membership().readiness();
        Readiness dfs = now.probe().readiness();
        return membership.ready() && (!dfs.ready() || membership.missing().isEmpty()) ? dfs : membership;
    }

    /** What an operator wants to know of it first. */
    public Facts status() {
        Running now = running;
        Incarnation own = incarnation();
        return Facts.NONE
                .and("id", config.id())
                .and("incarnation", own == null ? "" : own.toString())
                .and("cluster", cluster())
                .and("mapVersion", map.current().version())
                .and("mapUnconfirmedMillis", map.unconfirmedNanos() / 1_000_000)
                .andTexts("masters", map.current().masters().addresses())
                .and("leader", map.current().leader())
                .andEach(
                        "ranges",
                        now == null ? List.of() : now.core().directory().phases());
    }

    /** Its loops, by their names. */
    public Map<String, Executor> loops() {
        Map<String, Executor> loops = new TreeMap<>(Map.of("server", loop::submit));
        for (int i = 0; i < rangeLoops.size(); i++) {
            loops.put("server-ranges-" + i, rangeLoops.get(i)::submit);
        }
        return loops;
    }

    /** Drops the ranges and reports nothing: the next owners find all in the DFS. */
    @Override
    public void close() {
        Running was = running;
        running = null;
        if (was != null) {
            was.probe().stop();
            was.names().stop();
            was.core().leave();
            was.rpc().close();
            was.core().membership().stop();
            drain();
            was.readers().close();
            was.stores().close();
            was.folder().close();
        }
        map.close();
        loop.close();
        channels.close();
    }

    /** Waits until the loops have run their events: first the membership's, which submits to those of the ranges. */
    private void drain() {
        Drain.of(loop);
        rangeLoops.forEach(Drain::of);
    }
}
