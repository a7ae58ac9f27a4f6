package cleave.dfs.store;

import cleave.dfs.DfsFile.Purpose;
import cleave.dfs.link.ExtentStatus;
import cleave.dfs.link.NodeLink;
import cleave.dfs.metrics.DfsMetrics;
import cleave.dfs.node.CoreLink;
import cleave.dfs.node.ExtentWork;
import cleave.dfs.node.JournalGroup;
import cleave.dfs.node.NodeCore;
import cleave.dfs.node.NodeIo;
import cleave.dfs.node.NodeLimits;
import cleave.model.RequestId;
import com.google.protobuf.ByteString;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** A node whose disk work is done at once, in the thread that asks: every call makes its own group. */
final class DirectNode {
    static final String ID = "direct";

    final ForgetfulDisk disk;
    final NodeLink link;
    private final CombiningLoop loop;
    private final NodeCore core;
    final List<String> heard = new ArrayList<>();
    private final List<Runnable> heldCommits = new ArrayList<>();
    private boolean commitsHeld;
    private final List<Runnable> heldWork = new ArrayList<>();
    private boolean workHeld;
    private int heldCheckpoints;
    private NodeLink.@Nullable Session session;

    DirectNode(ForgetfulDisk disk, NodeLimits limits) throws IOException {
        this.disk = disk;
        ExtentFiles extents = new ExtentFiles(disk);
        NodeRecovery.Recovered recovered = NodeRecovery.recover(disk, extents);
        loop = new CombiningLoop("direct", fault -> {
            throw new AssertionError(fault);
        });
        CoreLink way = recovered.start(
                new NodeCore.Self(ID, limits, 4711),
                new NodeCore.Outside(
                        loop,
                        new DirectIo(new JournalFiles(disk), extents),
                        plan -> read(extents, plan),
                        new DfsMetrics(new CollectorRegistry())));
        core = way.core();
        link = way;
        link.connect(new Ear());
    }

    private static CompletableFuture<ByteString> read(ExtentFiles extents, cleave.dfs.node.ReadPlan plan) {
        try {
            return CompletableFuture.completedFuture(extents.read(plan));
        } catch (RuntimeException failed) {
            return CompletableFuture.failedFuture(failed);
        }
    }

    /** The node looks how much is free on its disk. */
    void measured() {
        loop.submit(() -> core.measured(disk.freeBytes()));
    }

    /** Holds groups up on their way to the disk until they are released. */
    void holdCommits() {
        commitsHeld = true;
    }

    void releaseCommits() {
        commitsHeld = false;
        List<Runnable> held = List.copyOf(heldCommits);
        heldCommits.clear();
        held.forEach(Runnable::run);
    }

    /** Holds the writes to extents' files up until they are released. */
    void holdWork() {
        workHeld = true;
    }

    int heldCheckpoints() {
        return heldCheckpoints;
    }

    void releaseWork() {
        workHeld = false;
        heldCheckpoints = 0;
        List<Runnable> held = List.copyOf(heldWork);
        heldWork.clear();
        held.forEach(Runnable::run);
    }

    private final class DirectIo implements NodeIo {
        private final JournalFiles journal;
        private final ExtentFiles extents;

        DirectIo(JournalFiles journal, ExtentFiles extents) {
            this.journal = journal;
            this.extents = extents;
        }

        @Override
        public void commit(JournalGroup group, Runnable done) {
            if (commitsHeld) {
                heldCommits.add(() -> commit(group, done));
                return;
            }
            try {
                journal.commit(group);
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
            done.run();
        }

        /** By {@link #measured} only: the disk is one thread's. */
        @Override
        public void measure(LongConsumer free) {}

        @Override
        public void execute(ExtentWork work, Runnable done) {
            if (workHeld) {
                heldCheckpoints += work instanceof ExtentWork.WriteCheckpoint ? 1 : 0;
                heldWork.add(() -> execute(work, done));
                return;
            }
            try {
                extents.execute(work);
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
            done.run();
        }
    }

    void append(long extent, long offset, ByteString bytes) {
        append(extent, offset, Purpose.ESSENTIAL, bytes);
    }

    void append(long extent, long offset, Purpose purpose, ByteString bytes) {
        append(extent, offset, purpose, bytes, RequestId.NONE);
    }

    void append(long extent, long offset, Purpose purpose, ByteString bytes, RequestId request) {
        append(extent, offset, purpose, bytes, request, false);
    }

    /** An append whose duration the node says. */
    void appendTimed(long extent, long offset, ByteString bytes) {
        append(extent, offset, Purpose.WRITE, bytes, RequestId.NONE, true);
    }

    private void append(long extent, long offset, Purpose purpose, ByteString bytes, RequestId request, boolean timed) {
        session().append(new NodeLink.Append(extent, offset, purpose, bytes, request, timed));
    }

    void barrier(long extent, long offset, long tag) {
        session().barrier(extent, offset, tag);
    }

    private NodeLink.Session session() {
        if (session == null) {
            throw new AssertionError("no session");
        }
        return session;
    }

    NodeLink.LengthAnswer fence(long extent) {
        return link.fence(ID, List.of(extent)).getNow(List.of()).get(0);
    }

    NodeLink.LengthAnswer visible(long extent) {
        return link.visible(ID, List.of(extent)).getNow(List.of()).get(0);
    }

    NodeLink.ExtentBytes read(long extent, long offset, int length, long end) {
        return link.read(ID, new NodeLink.Piece(extent, offset, length, end)).getNow(null);
    }

    /** The same bytes on another disk, all synced. */
    static ForgetfulDisk copy(Disk disk) throws IOException {
        ForgetfulDisk copy = new ForgetfulDisk();
        for (String folder : List.of("", "journal", "extents")) {
            for (String name : disk.list(folder)) {
                String path = folder.isEmpty() ? name : folder + "/" + name;
                put(copy, path, bytes(disk, path));
            }
            copy.syncFolder(folder);
        }
        return copy;
    }

    static byte[] bytes(Disk disk, String name) throws IOException {
        try (Disk.File file = disk.open(name)) {
            byte[] bytes = new byte[(int) file.size()];
            file.read(0, ByteBuffer.wrap(bytes));
            return bytes;
        }
    }

    static void put(Disk disk, String name, byte[] bytes) throws IOException {
        try (Disk.File file = disk.open(name)) {
            file.truncate(0);
            file.write(0, ByteBuffer.wrap(bytes));
            file.sync();
        }
    }

    private final class Ear implements NodeLink.Events {
        @Override
        public void connected(String node, NodeLink.Session opened) {
            session = opened;
        }

        @Override
        public void durable(long extent, long length) {
            heard.add("durable " + extent + " " + length);
        }

        @Override
        public void timed(long extent, long length, int queueMicros, int syncMicros) {
            heard.add("timed " + extent + " " + length + " " + queueMicros + " " + syncMicros);
        }

        @Override
        public void passed(long tag) {
            heard.add("passed " + tag);
        }

        @Override
        public void refused(long extent, ExtentStatus status) {
            heard.add("refused " + extent + " " + status);
        }

        @Override
        public void flush() {}

        @Override
        public void broken(String why) {
            heard.add("broken " + why);
        }
    }
}
