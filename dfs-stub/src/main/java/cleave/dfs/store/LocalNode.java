package cleave.dfs.store;

import cleave.dfs.Dfs.Space;
import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.link.NodeLink;
import cleave.dfs.metrics.DfsMetrics;
import cleave.dfs.node.CoreLink;
import cleave.dfs.node.NodeCore;
import cleave.dfs.node.NodeLimits;
import cleave.dfs.node.ReadPlan;
import cleave.dfs.node.SpaceMarks;
import cleave.model.Readiness;
import com.google.protobuf.ByteString;
import java.io.IOException;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A node in this process: its core, recovered from its disk, and its threads. Thread-safe. */
public final class LocalNode implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LocalNode.class);
    private static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(3);

    /**
     * The settings with which a node is started.
     *
     * @param name the id of a new disk begins with it; the id of a used disk must begin with it
     * @param faultHandler ends the process when the node cannot continue
     */
    public record Start(String name, NodeLimits limits, Random random, Consumer<Throwable> faultHandler) {}

    private final Disk disk;
    private final String id;
    private final CombiningLoop loop;
    private final NodeThreads threads;
    private final CoreLink link;
    private final CompletableFuture<Void> firstCommit;
    private volatile boolean closed;

    private LocalNode(Disk disk, String id, CombiningLoop loop, NodeThreads threads, CoreLink link) {
        this.disk = disk;
        this.id = id;
        this.loop = loop;
        this.threads = threads;
        this.link = link;
        this.firstCommit = link.probe();
    }

    /** Recovers the node and starts it; closes the disk if that fails. */
    public static LocalNode start(Disk disk, Start start, DfsMetrics metrics) throws IOException {
        try {
            return recovered(disk, start, metrics);
        } catch (IOException | RuntimeException failed) {
            disk.close();
            throw failed;
        }
    }

    private static LocalNode recovered(Disk disk, Start start, DfsMetrics metrics) throws IOException {
        String id = NodeId.readOrMake(disk, start.name(), start.random());
        ExtentFiles extents = new ExtentFiles(disk);
        NodeRecovery.Recovered recovered = NodeRecovery.recover(disk, extents);
        LOG.info(
                "a node was read back from its disk node={} sequence={} segment={}",
                id,
                recovered.image().sequence(),
                recovered.nextSegment());
        SpaceMarks marks = start.limits().space();
        metrics.disk(disk.totalBytes(), marks.low());
        NodeThreads threads = new NodeThreads(disk, extents, marks, metrics, start.faultHandler());
        CombiningLoop loop = new CombiningLoop("dfs-node-timers", start.faultHandler());
        long free = disk.freeBytes(); // Known before the first append comes.
        CoreLink link = recovered.start(
                new NodeCore.Self(id, start.limits(), start.random().nextLong()),
                new NodeCore.Outside(loop, threads, plan -> read(threads, extents, plan), metrics));
        loop.submit(() -> link.core().measured(free));
        return new LocalNode(disk, id, loop, threads, link);
    }

    private static CompletableFuture<ByteString> read(NodeThreads threads, ExtentFiles extents, ReadPlan plan) {
        try {
            return CompletableFuture.supplyAsync(() -> extents.read(plan), threads.readers());
        } catch (RejectedExecutionException full) {
            return CompletableFuture.failedFuture(new DfsException(Reason.UNAVAILABLE, "too many reads wait"));
        }
    }

    /** The id on its disk. */
    public String id() {
        return id;
    }

    /** Runs events on the loop that owns the node's state. */
    public Executor loop() {
        return loop::submit;
    }

    public NodeLink link() {
        return link;
    }

    /** Ready when a group was synced since the start and the disk currently accepts writes. A full disk can be read. */
    public Readiness readiness() {
        if (closed) {
            return Readiness.missing("the node is closed");
        }
        String problem = threads.problem(SLOW_NANOS);
        if (!problem.isEmpty()) {
            return Readiness.missing(problem);
        }
        if (!firstCommit.isDone()) {
            return Readiness.missing("nothing was synced yet");
        }
        return switch (link.core().space()) {
            case ROOMY -> Readiness.READY;
            case LOW -> Readiness.but("its disk is short of space: clients must not write");
            case FULL -> Readiness.but("its disk is full: appends wait until there is more space");
        };
    }

    /** The state of its disk's space. */
    public Space space() {
        return link.core().space();
    }

    /** The free space on its disk when it was measured last, in bytes; -1: not measured yet. */
    public long freeBytes() {
        return link.core().freeBytes();
    }

    /** Stops at once: what was answered is on the disk; the rest is dropped. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        loop.close();
        threads.close();
        try {
            threads.awaitEnd();
            disk.close();
        } catch (IOException failed) {
            LOG.warn("closing a node failed node={} cause={}", id, failed.toString());
        }
    }
}
