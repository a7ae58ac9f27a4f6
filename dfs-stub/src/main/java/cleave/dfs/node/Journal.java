package cleave.dfs.node;

import cleave.dfs.link.SessionEvents;
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
 * Forms groups and passes them to the disk, one at a time; while one is being synced, the next forms. Confined to the
 * node's loop.
 *
 * <p>When a segment is full and only the group that fills it is being written, the node's state is captured as a
 * checkpoint. Once the checkpoint is durable, older segments are freed.
 */
final class Journal {
    private static final int GROUP_BYTES_FIRST = 64 * 1024;
    private static final int BUFFERS_KEPT = 4;

    /** The segment in which a node begins to write, and the salt of its checksums. */
    record Place(long segment, long salt) {}

    /** Captures the state at the beginning of a segment, after the group of a sequence. */
    interface Capture {
        ExtentWork.WriteCheckpoint capture(long segment, long sequence);
    }

    private static final Logger LOG = LoggerFactory.getLogger(Journal.class);
    private static final long SLOW_NANOS = 500_000_000;
    private static final int SLOW_PER_SECOND = 10;

    private final EventLoop loop;
    private final NodeIo io;
    private final NodeLimits limits;
    private final DfsMetrics metrics;
    private final long salt;
    private final ArrayDeque<ByteBuffer> buffers = new ArrayDeque<>();
    private final ArrayDeque<JournalGroup> closed = new ArrayDeque<>();
    private JournalGroup forming;
    /** When the forming group got its first record. */
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

    Journal(EventLoop loop, NodeIo io, NodeLimits limits, DfsMetrics metrics, Place place, long sequence) {
        this.loop = loop;
        this.io = io;
        this.limits = limits;
        this.metrics = metrics;
        this.salt = place.salt();
        this.segment = place.segment();
        this.committed = sequence;
        this.forming = newGroup(sequence + 1);
    }

    /** Sets the function that captures checkpoints, and the one called when a checkpoint is durable. */
    void checkpointsBy(Capture by, Consumer<ExtentWork.WriteCheckpoint> done) {
        capture = by;
        captured = done;
    }

    /** Sets the function called with the number of bytes that appends wrote to the journal. */
    void whenWritten(LongConsumer told) {
        wrote = told;
    }

    /** The group for the next record. */
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

    /** Runs the reply once the group of this sequence is durable, at once if it already is. */
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

    /** Requests that the journal be freed soon, however small it is. */
    void freeSoon() {
        checkpointDue = true;
    }

    /** Notes that this many bytes of the journal are being written to an extent's file. */
    void leaves(long bytes) {
        unwritten += bytes;
    }

    /** Notes that this many bytes were written. */
    void written(long bytes) {
        unwritten -= bytes;
        commitNext();
    }

    /** Passes the oldest group to the disk, unless the disk is busy, has too much else to write, or there is no group. */
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
            return; // The current state is not that of these segments; a later checkpoint frees them.
        }
        checkpointing = true;
        ExtentWork.WriteCheckpoint checkpoint = capture.capture(segment, last.sequence());
        // At once, so that it precedes all later writes to extents. It contains the records of the last group, so it
        // may
        // become durable before that group.
        io.execute(checkpoint, () -> loop.submit(() -> checkpointed(checkpoint)));
    }

    /** True if the whole state is in groups up to the one that is now passed to the disk. */
    private boolean mayCapture() {
        return !checkpointing && closed.size() == 1 && forming.isEmpty();
    }

    private void committed(JournalGroup group) {
        Invariant.check(closed.poll() == group, "group %s was not the oldest", group.sequence());
        committed = group.sequence();
        committing = false;
        wrote.accept(group.carriedBytes());
        long now = loop.nanos();
        long since = committingSince;
        metrics.group(group.appends(), group.appendedBytes(), now - since, now - group.begunNanos());
        if (now - since >= SLOW_NANOS && slowGroups.admits(now)) {
            slow(group, now - since);
        }
        commitNext(); // First, so that the disk works while callers are answered.
        tellTimes(group, since, now);
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

    private static void tellTimes(JournalGroup group, long sinceNanos, long nowNanos) {
        for (JournalGroup.Timed append : group.timed()) {
            SessionEvents session = append.extent().session;
            if (session != null) {
                session.timed(
                        append.extent().id(),
                        append.length(),
                        micros(sinceNanos - append.arrivedNanos()),
                        micros(nowNanos - sinceNanos));
            }
        }
    }

    private static int micros(long nanos) {
        return (int) Math.min(Integer.MAX_VALUE, nanos / 1_000);
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
