package cleave.dfs;

import cleave.dfs.metrics.DfsMetrics;
import cleave.dfs.node.NodeLimits;
import cleave.dfs.node.SpaceMarks;
import cleave.dfs.rpc.DfsStubService;
import cleave.dfs.settings.DfsNodeConfig;
import cleave.dfs.store.Disk;
import cleave.dfs.store.FolderDisk;
import cleave.dfs.store.LocalNode;
import cleave.model.Facts;
import cleave.model.Readiness;
import cleave.runtime.rpc.NetworkLoops;
import cleave.runtime.rpc.RpcServer;
import cleave.runtime.rpc.Transport;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** One dfs-stub process: a node on a folder, and its gRPC service. To be started and closed by one thread. */
public final class DfsNode implements AutoCloseable {
    /** Opens the disk: the folder of the configuration, or in tests one that forgets. */
    interface DiskSource {
        Disk open() throws IOException;
    }

    private final DfsNodeConfig config;
    private final Transport transport;
    private final DfsMetrics metrics;
    private final Consumer<Throwable> faultHandler;
    private final DiskSource disks;
    private volatile @Nullable LocalNode node;
    private volatile @Nullable RpcServer server;
    private @Nullable NetworkLoops network;

    /** A fault ends the process. */
    public DfsNode(DfsNodeConfig config, Transport transport, DfsMetrics metrics) {
        this(config, transport, metrics, DfsNode::haltOnFault, () -> disk(config));
    }

    /** @param faultHandler is called when the node cannot go on: after a failed sync, or by a bug */
    public DfsNode(DfsNodeConfig config, DfsMetrics metrics, Consumer<Throwable> faultHandler) {
        this(config, Transport.PLAIN, metrics, faultHandler, () -> disk(config));
    }

    DfsNode(
            DfsNodeConfig config,
            Transport transport,
            DfsMetrics metrics,
            Consumer<Throwable> faultHandler,
            DiskSource disks) {
        this.config = config;
        this.transport = transport;
        this.metrics = metrics;
        this.faultHandler = faultHandler;
        this.disks = disks;
    }

    private static Disk disk(DfsNodeConfig config) throws IOException {
        return FolderDisk.open(Path.of(config.dir()), config.syncDelayNanos());
    }

    static void haltOnFault(Throwable fault) {
        LoggerFactory.getLogger(DfsNode.class).error("the DFS node cannot go on, the process halts", fault);
        Runtime.getRuntime().halt(70);
    }

    /** Reads the node back from its disk, then listens. Throws if the disk is in use, damaged, or another node's. */
    public void start() throws IOException {
        Disk disk = disks.open();
        SpaceMarks marks = SpaceMarks.of(config.spaceReserve(), disk.totalBytes());
        NodeLimits limits = new NodeLimits(config.segmentBytes(), (int) config.bulkBytes(), marks);
        LocalNode.Start start = new LocalNode.Start(config.id(), limits, new SecureRandom(), faultHandler);
        LocalNode started = LocalNode.start(disk, start, metrics);
        node = started;
        NetworkLoops threads = NetworkLoops.start("dfs-node", NetworkLoops.COUNT);
        network = threads;
        try {
            server = RpcServer.start(
                    transport.on(threads), config.listen(), new DfsStubService(started.link(), metrics));
        } catch (RuntimeException cannotListen) {
            threads.close();
            started.close();
            throw cannotListen;
        }
    }

    /** The address it listens on, with the port it got; of a started node only. */
    public String address() {
        RpcServer started = server;
        if (started == null) {
            throw new IllegalStateException("the node was not started");
        }
        return started.address();
    }

    /** The id that lies on its disk; of a started node only. */
    public String id() {
        LocalNode started = node;
        if (started == null) {
            throw new IllegalStateException("the node was not started");
        }
        return started.id();
    }

    public Readiness readiness() {
        LocalNode started = node;
        return started == null || server == null
                ? Readiness.missing("the journal is not read back yet")
                : started.readiness();
    }

    /** What an operator wants to know of it first. */
    public Facts status() {
        LocalNode started = node;
        return started == null
                ? Facts.NONE.and("id", config.id())
                : Facts.NONE
                        .and("id", started.id())
                        .and("space", started.space().name())
                        .and("freeBytes", started.freeBytes());
    }

    /** Its loop, by its name; of a started node only. */
    public Map<String, Executor> loops() {
        LocalNode started = node;
        return started == null ? Map.of() : Map.of("dfs-node", started.loop());
    }

    /** Stops at once: everything that was answered is on the disk. */
    @Override
    public void close() {
        RpcServer listening = server;
        if (listening != null) {
            listening.close(java.time.Duration.ZERO);
        }
        LocalNode started = node;
        if (started != null) {
            started.close();
        }
        NetworkLoops threads = network;
        if (threads != null) {
            threads.close();
        }
    }
}
