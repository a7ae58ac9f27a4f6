package cleave.dfs.node;

import cleave.dfs.Dfs.Space;
import cleave.dfs.link.ExtentStatus;
import cleave.dfs.link.NodeLink;
import cleave.dfs.link.NodeLink.Append;
import cleave.dfs.link.NodeLink.LengthAnswer;
import cleave.dfs.link.SessionEvents;
import cleave.dfs.metrics.DfsMetrics;
import cleave.dfs.node.JournalFormat.Kind;
import cleave.dfs.state.ExtentPlace;
import cleave.dfs.state.FileEntry;
import cleave.dfs.state.NamesAnswer;
import cleave.dfs.state.NamesAnswer.Outcome;
import cleave.dfs.state.NamesCommand;
import cleave.runtime.loop.EventLoop;
import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * One node: takes appends, barriers, fences and commands on names, collects what must be durable into groups, and
 * answers once these are synced. Confined to the node's loop.
 *
 * <p>While one group is being synced the next one forms, over all extents: no caller waits for more than two syncs, and
 * one sync serves all calls that arrived meanwhile. An answer contains only durable facts: if it shows a change, it
 * waits for the group with that change. Only refusals and passed barriers are answered at once: after a refusal the
 * caller requests something durable, and a passed barrier is valid because no fence had arrived.
 *
 * <p>Invariant I3: an append or a fence is answered when its group was synced; a fenced extent takes no appends, and
 * whatever was fenced or deleted remains so after restarts.
 */
public final class NodeCore {
    /**
     * The identity of a node.
     *
     * @param id on its disk
     * @param salt a random number, for the checksums of the segments that it begins
     */
    public record Self(String id, NodeLimits limits, long salt) {}

    /**
     * The surroundings of a node's core.
     *
     * @param reader executes plans outside the loop; fails with a {@link cleave.dfs.DfsException}
     */
    public record Outside(
            EventLoop loop, NodeIo io, Function<ReadPlan, CompletableFuture<ByteString>> reader, DfsMetrics metrics) {}

    private static final long MEASURED_NANOS = 1_000_000_000;

    private final Self self;
    private final Outside outside;
    private final EventLoop loop;
    private final NodeIo io;
    private final NodeLimits limits;
    private final DfsMetrics metrics;
    private final Journal journal;
    private final NodeNames names;
    private final ExtentTable extents;
    private final SpaceWatch spaceWatch;

    /** Extents with appends that wait for space on the disk. */
    private final TreeSet<Long> held = new TreeSet<>();

    private NodeCore(Self self, NodeImage image, long segment, Outside outside) {
        this.self = self;
        this.outside = outside;
        this.loop = outside.loop();
        this.io = outside.io();
        this.limits = self.limits();
        this.metrics = outside.metrics();
        this.extents = new ExtentTable(image, metrics);
        this.spaceWatch = new SpaceWatch(self.id(), limits.space(), metrics);
        this.journal =
                new Journal(loop, io, limits, metrics, new Journal.Place(segment, self.salt()), image.sequence());
        journal.checkpointsBy(this::capture, extents::captured);
        journal.whenWritten(spaceWatch::wrote);
        this.names = new NodeNames(self.id(), loop, journal, metrics, image.names);
    }

    /**
     * Wires a node's core, in every environment, and starts it in its loop.
     *
     * @param image what was on its disk
     * @param segment number of a new segment, whose file does not exist
     */
    public static NodeCore of(Self self, NodeImage image, long segment, Outside outside) {
        NodeCore core = new NodeCore(self, image, segment, outside);
        outside.loop().submit(core::start);
        return core;
    }

    Self self() {
        return self;
    }

    Outside outside() {
        return outside;
    }

    /** Completes deletes that a crash interrupted. */
    private void start() {
        loop.assertInside();
        for (FileEntry file : names.state().deleting().values()) {
            drop(file.extents().stream().map(ExtentPlace::id).toList(), () -> {});
            names(List.of(new NamesCommand.FinishDelete(file.path())), answers -> {});
        }
        if (spaceWatch.isOn()) {
            watchSpace();
        }
    }

    private void watchSpace() {
        measure();
        loop.schedule(MEASURED_NANOS, this::watchSpace);
    }

    private void measure() {
        long written = spaceWatch.written();
        io.measure(bytes -> loop.submit(() -> measured(bytes, written)));
    }

    /** Notes how much space is free on the disk. */
    public void measured(long freeBytes) {
        loop.assertInside();
        measured(freeBytes, spaceWatch.written());
    }

    private void measured(long freeBytes, long writtenBefore) {
        spaceWatch.measured(freeBytes, writtenBefore);
        judgeSpace();
        List<Long> waited = List.copyOf(held);
        held.clear();
        for (long id : waited) {
            Extent extent = extents.get(id);
            if (extent != null) {
                takeWaiting(extent);
            }
        }
    }

    private boolean judgeSpace() {
        Space before = spaceWatch.space();
        boolean changed = spaceWatch.judge(loop.nanos());
        if (changed && before == Space.ROOMY) {
            journal.freeSoon();
        }
        return changed;
    }

    /** The state of the disk space. Thread-safe. */
    public Space space() {
        return spaceWatch.space();
    }

    /** The free space on the disk when it was measured last, in bytes; -1: not measured yet. Thread-safe. */
    public long freeBytes() {
        return spaceWatch.freeBytes();
    }

    void append(SessionEvents session, Append append) {
        loop.assertInside();
        long id = append.extent();
        long offset = append.offset();
        ByteString bytes = append.bytes();
        Extent extent = extents.get(id);
        ExtentStatus status = extents.status(extent, id, offset);
        if (status == ExtentStatus.OK && !spaceWatch.admits(append.purpose())) {
            judgeSpace();
            status = ExtentStatus.NO_SPACE;
        }
        if (status != ExtentStatus.OK) {
            refuse(session, id, status);
            return;
        }
        if (extent == null) {
            extent = extents.create(id);
        }
        extent.session = session;
        long arrivedNanos = append.timed() ? loop.nanos() : 0;
        if (extent.bulkUnderWay || !extent.waiting.isEmpty() || spaceWatch.delays(append.purpose())) {
            Extent waitedFor = extent;
            spaceWatch.takes(bytes.size());
            extent.waitingBytes += bytes.size();
            extent.waiting.add(new Extent.Waiting(
                    append.purpose(), () -> appendWaiting(session, waitedFor, append, arrivedNanos)));
            if (!extent.bulkUnderWay) {
                held.add(id);
            }
        } else {
            take(extent, append, arrivedNanos);
        }
    }

    private void appendWaiting(SessionEvents session, Extent extent, Append append, long arrivedNanos) {
        ByteString bytes = append.bytes();
        spaceWatch.givesUp(bytes.size());
        extent.waitingBytes -= bytes.size();
        if (!extents.holds(extent)) {
            refuse(session, extent.id(), ExtentStatus.DELETED);
        } else if (extent.isFenced() || extent.length() != append.offset()) {
            refuse(session, extent.id(), extent.isFenced() ? ExtentStatus.FENCED : ExtentStatus.WRONG_OFFSET);
        } else if (!spaceWatch.admits(append.purpose())) {
            refuse(session, extent.id(), ExtentStatus.NO_SPACE);
        } else {
            take(extent, append, arrivedNanos);
        }
    }

    private void takeWaiting(Extent extent) {
        boolean ends = extent.isFenced() || !extents.holds(extent); // Waiting appends will be refused.
        while (!extent.bulkUnderWay
                && !extent.waiting.isEmpty()
                && (ends || !spaceWatch.delays(extent.waiting.element().purpose()))) {
            extent.waiting.remove().take().run();
        }
        if (!extent.bulkUnderWay && !extent.waiting.isEmpty()) {
            held.add(extent.id());
        }
    }

    /** @param arrivedNanos of an append that is timed */
    private void take(Extent extent, Append append, long arrivedNanos) {
        ByteString bytes = append.bytes();
        extents.change(extent);
        spaceWatch.takes(bytes.size());
        if (judgeSpace()) {
            measure(); // The journal may have been freed meanwhile.
        }
        if (bytes.size() >= limits.bulkBytes()) {
            writeBulk(extent, append, arrivedNanos);
            return;
        }
        JournalGroup group = journal.groupWithSpaceFor(bytes.size());
        group.add(Kind.APPEND, extent.id(), extent.length(), bytes);
        extent.take(bytes, block -> write(extent, block));
        touch(group, extent, append, arrivedNanos);
        journal.commitNext();
    }

    private static void touch(JournalGroup group, Extent extent, Append append, long arrivedNanos) {
        group.touch(extent, append.bytes().size(), append.request());
        if (append.timed()) {
            group.times(extent, arrivedNanos);
        }
    }

    private void write(Extent extent, ExtentWork.WriteBlock block) {
        journal.leaves(Blocks.BYTES);
        spaceWatch.takes(Blocks.BYTES);
        io.execute(
                block,
                () -> loop.submit(() -> {
                    extent.written(block);
                    spaceWatch.wrote(Blocks.BYTES);
                    journal.written(Blocks.BYTES);
                }));
    }

    private void writeBulk(Extent extent, Append append, long arrivedNanos) {
        ByteString bytes = append.bytes();
        extent.bulkUnderWay = true;
        extent.waitingBytes += bytes.size();
        long offset = extent.length();
        ExtentWork.WriteBulk work = new ExtentWork.WriteBulk(extent.id(), offset, extent.tailCopy(), bytes);
        io.execute(work, () -> loop.submit(() -> bulkWritten(extent, append, arrivedNanos, work.head())));
    }

    private void bulkWritten(Extent extent, Append append, long arrivedNanos, ByteString head) {
        long offset = append.offset();
        ByteString bytes = append.bytes();
        extent.bulkUnderWay = false;
        extent.waitingBytes -= bytes.size();
        spaceWatch.wrote(bytes.size());
        if (extents.holds(extent)) {
            byte[] tail = tailOf(head, bytes);
            extent.takeBulk(offset + bytes.size(), tail);
            ByteBuffer body = ByteBuffer.allocate(Long.BYTES + Integer.BYTES);
            body.putLong(bytes.size())
                    .putInt(Blocks.checksum(tail, 0, tail.length))
                    .flip();
            JournalGroup group = journal.groupWithSpaceFor(body.remaining());
            group.add(Kind.BULK, extent.id(), offset, ByteString.copyFrom(body));
            extents.change(extent);
            touch(group, extent, append, arrivedNanos);
            journal.commitNext();
        } else if (extent.session != null) {
            refuse(extent.session, extent.id(), ExtentStatus.DELETED);
        }
        while (!extent.fences.isEmpty()) {
            extent.fences.remove().run();
        }
        takeWaiting(extent);
    }

    private static byte[] tailOf(ByteString head, ByteString bytes) {
        ByteString all = head.concat(bytes);
        byte[] tail = new byte[Blocks.within(all.size())];
        all.substring(all.size() - tail.length).copyTo(tail, 0);
        return tail;
    }

    /** An append without bytes: shows whether the extent was fenced when it arrived. */
    void barrier(SessionEvents session, long id, long offset, long tag) {
        loop.assertInside();
        Extent extent = extents.get(id);
        ExtentStatus status = extents.status(extent, id, offset);
        if (status != ExtentStatus.OK) {
            refuse(session, id, status);
            return;
        }
        metrics.barrier();
        session.passed(tag);
        session.flush();
    }

    private void refuse(SessionEvents session, long id, ExtentStatus status) {
        metrics.refusal();
        session.refused(id, status);
        session.flush();
    }

    /**
     * Ends an extent forever; answers OK with its length, DELETED or DAMAGED. An unknown extent is created with length
     * 0 and ended.
     */
    public void fence(long id, BiConsumer<ExtentStatus, Long> reply) {
        loop.assertInside();
        Extent extent = extents.get(id);
        if (extent == null) {
            if (extents.isDropped(id)) {
                journal.whenCommitted(journal.lastWritten(), () -> reply.accept(ExtentStatus.DELETED, 0L));
                return;
            }
            extent = extents.create(id);
        }
        if (extent.bulkUnderWay) { // Both including and excluding the append would be right; including it is simpler.
            extent.fences.add(() -> fence(id, reply));
            return;
        }
        if (extent.isDamaged()) {
            reply.accept(ExtentStatus.DAMAGED, 0L);
            return;
        }
        if (!extent.isFenced()) {
            JournalGroup group = journal.groupWithSpaceFor(0);
            group.add(Kind.FENCE, id, extent.length(), ByteString.EMPTY);
            extent.fence();
            extent.fenceSequence = group.sequence();
            extents.change(extent);
            metrics.fence();
            takeWaiting(extent);
        }
        long length = extent.length();
        journal.whenCommitted(extent.fenceSequence, () -> reply.accept(ExtentStatus.OK, length));
    }

    /** Deletes extents forever, including those that were never created here. */
    public void drop(List<Long> ids, Runnable reply) {
        loop.assertInside();
        for (long id : ids) {
            if (!extents.isDropped(id)) {
                journal.groupWithSpaceFor(0).add(Kind.DROP, id, 0, ByteString.EMPTY);
                Extent extent = extents.drop(id);
                if (extent != null) {
                    takeWaiting(extent);
                    journal.whenCommitted(
                            journal.lastWritten(), () -> io.execute(new ExtentWork.DeleteFile(id), () -> {}));
                }
            }
        }
        journal.whenCommitted(journal.lastWritten(), reply);
    }

    /** Plans a read: finds the bytes that the reader may see. */
    public ReadPlan read(NodeLink.Piece piece) {
        loop.assertInside();
        return extents.plan(piece);
    }

    /** The limit for readers that know no sealed length: OK, DELETED or DAMAGED. */
    void visible(long id, BiConsumer<ExtentStatus, Long> reply) {
        loop.assertInside();
        LengthAnswer visible = extents.visible(id);
        reply.accept(visible.status(), visible.length());
    }

    /** Applies commands to the state machine of names; answers once they are durable. */
    public void names(List<NamesCommand> commands, Consumer<List<NamesAnswer>> reply) {
        loop.assertInside();
        List<NamesAnswer> answers = new ArrayList<>(commands.size());
        for (NamesCommand command : commands) {
            NamesAnswer answer = names.step(command);
            FileEntry file = answer.file();
            boolean marked = command instanceof NamesCommand.MarkSealing && answer.outcome() == Outcome.SEALING;
            answers.add(marked && file != null ? sealedHere(file, answer) : answer);
        }
        names.whenDurable(() -> reply.accept(answers));
    }

    /**
     * When a file is marked for its seal, its extent is fenced and the seal recorded in the same group: one round trip
     * and one sync for all three steps. If the extent is busy or damaged, the client takes the steps one by one.
     */
    private NamesAnswer sealedHere(FileEntry file, NamesAnswer marked) {
        ExtentPlace last = file.last();
        Extent extent = extents.get(last.id());
        boolean fits = extent == null ? !extents.isDropped(last.id()) : !extent.isDamaged() && !extent.bulkUnderWay;
        if (!fits) {
            return marked;
        }
        fence(last.id(), (status, length) -> {});
        Extent fenced = Objects.requireNonNull(extents.get(last.id()));
        return names.step(new NamesCommand.RecordSealed(file.path(), last.id(), fenced.length()));
    }

    public NodeNames names() {
        return names;
    }

    /** Replies once a new record is durable. */
    public void probe(Runnable reply) {
        loop.assertInside();
        journal.groupWithSpaceFor(0).add(Kind.NOTHING, 0, 0, ByteString.EMPTY);
        journal.whenCommitted(journal.lastWritten(), reply);
    }

    private ExtentWork.WriteCheckpoint capture(long segment, long sequence) {
        metrics.deletedNames(names.state().deleted().size());
        return extents.capture(self.id(), segment, sequence, names.state());
    }
}
