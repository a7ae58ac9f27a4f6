package cleave.dfs.loop;

import cleave.dfs.metrics.DfsMetrics;
import cleave.model.Invariant;
import cleave.runtime.loop.EventLoop;
import cleave.runtime.loop.LogLimit;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forms groups and hands them to the disk, one at a time: while one is being synced the next one forms. Confined to the node's
 * loop.
 *
 * <p>When a segment is full and nothing but the group that fills it is on its way, what the node knows then is captured as a
 * checkpoint; once that is durable the journal before it can be freed.
 */
final class Journal {
    private static final int GROUP_BYTES_FIRST = 64 * 1024;
    private static final int BUFFERS_KEPT = 4;

    /** Where a node begins to write, and the salt of its checksums. */
    record Place(long segment, long salt) {}

    /** Captures what is known when a segment begins, behind the group of a sequence. */
    interface Capture {
        ExtentWork.WriteCheckpoint capture(long segment, long sequence);
    }

    private static final Logger LOG = LoggerFactory.getLogger(Journal.class);
    private static final long SLOW_NANOS = 500_000_000;
    private static final int SLOW_PER_SECOND = 10;

    private final EventLoop loop;
    private final NodeIo io;
    private final NodeCore.Limits limits;
    private final DfsMetrics metrics;
    private final long salt;
    private final ArrayDeque<ByteBuffer> buffers = new ArrayDeque<>();
    private final ArrayDeque<JournalGroup> closed = new ArrayDeque<>();
    private JournalGroup forming;
    /** When the first record came into the group that forms. */
    private long formingSince;

    private long committed;
    private long segment;
    private long position;
    private boolean committing;
    private long unwritten;
    private long committingSince;
    private final LogLimit slowGroups = new LogLimit(SLOW_PER_SECOND);
    private boolean checkpointing;
    private boolean checkpointDue;
    private Capture capture = (ofSegment, ofSequence) -> {
        throw new IllegalStateException("no one captures checkpoints");
    };
    private Consumer<ExtentWork.WriteCheckpoint> captured = checkpoint -> {};
    private LongConsumer wrote = bytes -> {};

    Journal(EventLoop loop, NodeIo io, NodeCore.Limits limits, DfsMetrics metrics, Place place, long sequence) {
        this.loop = loop;
        this.io = io;
        this.limits = limits;
        this.metrics = metrics;
        this.salt = place.salt();
        this.segment = place.segment();
        this.committed = sequence;
        this.forming = newGroup(sequence + 1);
    }

    /** Sets what captures checkpoints, and what is called when one is durable. */
    void checkpointsBy(Capture by, Consumer<ExtentWork.WriteCheckpoint> done) {
        capture = by;
        captured = done;
    }

    /** Sets what is called with the number of bytes that appends put into the journal. */
    void whenWritten(LongConsumer told) {
        wrote = told;
    }

    /** The group into which the next record goes. */
    JournalGroup groupWithSpaceFor(int bodyBytes) {
        loop.assertInside();
        if (!forming.hasSpaceFor(bodyBytes)) {
            close();
        }
        Invariant.check(forming.hasSpaceFor(bodyBytes), "a record of %s bytes is too large for a group", bodyBytes);
        if (forming.isEmpty()) {
            formingSince = loop.nanos();
        }
        return forming;
    }

    /** The sequence of the group that holds the last record. */
    long lastWritten() {
        return forming.isEmpty() ? forming.sequence() - 1 : forming.sequence();
    }

    /** Runs the reply when the group of this sequence is durable: at once if it is. */
    void whenCommitted(long sequence, Runnable reply) {
        loop.assertInside();
        if (sequence <= committed) {
            reply.run();
        } else {
            group(sequence).whenDurable(reply);
            commitNext();
        }
    }

    private JournalGroup group(long sequence) {
        for (JournalGroup group : closed) {
            if (group.sequence() == sequence) {
                return group;
            }
        }
        Invariant.check(forming.sequence() == sequence, "no group %s, forming is %s", sequence, forming.sequence());
        return forming;
    }

    private void close() {
        forming.began(formingSince);
        closed.add(forming);
        forming = newGroup(forming.sequence() + 1);
    }

    private JournalGroup newGroup(long sequence) {
        ByteBuffer buffer = buffers.poll();
        return new JournalGroup(
                sequence,
                salt,
                buffer == null ? ByteBuffer.allocateDirect(GROUP_BYTES_FIRST) : buffer,
                limits.groupBytes());
    }

    /** What the journal holds is to be freed soon, however little it is. */
    void freeSoon() {
        checkpointDue = true;
    }

    /** This much of the journal is being written to its extent's file. */
    void leaves(long bytes) {
        unwritten += bytes;
    }

    /** This much was written. */
    void written(long bytes) {
        unwritten -= bytes;
        commitNext();
    }

    /** Hands the oldest group to the disk, unless it is busy, has too much else to write, or there is nothing to write. */
    void commitNext() {
        loop.assertInside();
        if (committing || unwritten >= limits.unwrittenBytes() || (closed.isEmpty() && forming.isEmpty())) {
            return;
        }
        if (closed.isEmpty()) {
            close();
        }
        JournalGroup group = closed.element();
        boolean first = position == 0;
        position = first ? JournalFormat.SEGMENT_HEADER_BYTES : position;
        group.place(segment, position, first);
        position += group.bytes().remaining();
        if (position >= limits.segmentBytes() || (checkpointDue && mayCapture())) {
            endSegment(group);
        }
        committing = true;
        committingSince = loop.nanos();
        io.commit(group, () -> loop.submit(() -> committed(group)));
    }

    private void endSegment(JournalGroup last) {
        segment++;
        position = 0;
        checkpointDue = !mayCapture();
        if (checkpointDue) {
            return; // What is known now is not what these segments hold: a later checkpoint frees them too.
        }
        checkpointing = true;
        ExtentWork.WriteCheckpoint checkpoint = capture.capture(segment, last.sequence());
        // At once, so that it stands before whatever is written to extents from now on. That it may be durable before
        // the
        // last group is does no harm: it holds that group's records too.
        io.execute(checkpoint, () -> loop.submit(() -> checkpointed(checkpoint)));
    }

    /** True if all that is known lies in the group that is handed to the disk now and in those before it. */
    private boolean mayCapture() {
        return !checkpointing && closed.size() == 1 && forming.isEmpty();
    }

    private void committed(JournalGroup group) {
        Invariant.check(closed.poll() == group, "group %s was not the oldest", group.sequence());
        committed = group.sequence();
        committing = false;
        wrote.accept(group.carriedBytes());
        long now = loop.nanos();
        metrics.group(group.appends(), group.appendedBytes(), now - committingSince, now - group.begunNanos());
        if (now - committingSince >= SLOW_NANOS && slowGroups.admits(now)) {
            slow(group, now - committingSince);
        }
        commitNext(); // First: the disk goes on while the callers are answered.
        tellWriters(group);
        for (Runnable reply : group.replies()) {
            reply.run();
        }
        if (buffers.size() < BUFFERS_KEPT) {
            buffers.add(group.buffer());
        }
    }

    private void slow(JournalGroup group, long nanos) {
        LOG.atWarn()
                .addKeyValue("syncMillis", nanos / 1_000_000)
                .addKeyValue("appends", group.appends())
                .addKeyValue("bytes", group.appendedBytes())
                .addKeyValue("suppressed", slowGroups.suppressed())
                .addKeyValue("requestIds", group.requests())
                .log("slow sync");
    }

    private static void tellWriters(JournalGroup group) {
        List<SessionEvents> told = new ArrayList<>(2);
        for (int i = 0; i < group.extents().size(); i++) {
            Extent extent = group.extents().get(i);
            extent.madeDurable(group.lengthOf(i));
            SessionEvents session = extent.session;
            if (session != null) {
                session.durable(extent.id(), group.lengthOf(i));
                if (!told.contains(session)) {
                    told.add(session);
                }
            }
        }
        for (SessionEvents session : told) {
            session.flush();
        }
    }

    private void checkpointed(ExtentWork.WriteCheckpoint checkpoint) {
        checkpointing = false;
        metrics.checkpoint();
        captured.accept(checkpoint);
    }
}
