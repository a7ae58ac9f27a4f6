package cleave.dfs.loop;

import cleave.model.Invariant;
import cleave.wire.ExtentRecord;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The state of one extent on its node. Confined to the node's loop.
 *
 * <p>Complete blocks are written to the extent's file lazily; the last, incomplete block is kept here until it is
 * complete, or the extent has ended and its file is synced. Blocks on their way to the file are kept too, so reads find
 * every byte here or there.
 *
 * <p>Invariant: the length never decreases, and once fenced never changes.
 */
final class Extent {
    private static final byte[] NOTHING = {};
    private static final int TAIL_BYTES_FIRST = 512;

    private final long id;
    private long length;
    private long durable;
    private long acknowledged;
    private boolean fenced;
    private boolean damaged;

    /** The begun block: its first bytes count. */
    private byte[] tail = NOTHING;

    /** An ended extent whose begun block lies in the file: the tail is not kept. */
    private boolean tailInFile;

    private final ArrayDeque<ExtentWork.WriteBlock> onTheirWay = new ArrayDeque<>();
    private @Nullable ExtentRecord record;

    /** The writer's. */
    @Nullable
    SessionEvents session;

    /** The group in which the fence was written. */
    long fenceSequence;

    /** The last group that touched this, and its place there. */
    long touchedBy = -1;

    int touchedAt;

    /** Whether it is in the core's list of extents that changed since the last checkpoint. */
    boolean changed;

    /** A large append is being written to the file; whatever comes waits behind it. */
    boolean bulkUnderWay;

    /** Appends that wait behind it, or for space on the disk. */
    final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    /** Fences that wait behind it. */
    final ArrayDeque<Runnable> fences = new ArrayDeque<>();

    long waitingBytes;

    Extent(long id) {
        this.id = id;
    }

    /** As a checkpoint has it; the begun block is given by {@link #restoreTail}. */
    static Extent restored(ExtentRecord record) {
        Extent extent = new Extent(record.getId());
        extent.length = record.getLength();
        extent.durable = record.getLength();
        extent.acknowledged = record.getAcknowledged();
        extent.fenced = record.getFenced();
        extent.damaged = record.getDamaged();
        extent.tailInFile = record.getFenced();
        extent.record = record;
        return extent;
    }

    void restoreTail(byte[] bytes) {
        tail = bytes;
        tailInFile = false;
    }

    /** Takes bytes behind its end; every block that becomes whole is handed on. */
    void take(ByteString bytes, java.util.function.Consumer<ExtentWork.WriteBlock> whole) {
        int from = 0;
        while (from < bytes.size()) {
            int within = Blocks.within(length);
            int count = Math.min(Blocks.BYTES - within, bytes.size() - from);
            growTail(within + count);
            bytes.substring(from, from + count).copyTo(tail, within);
            from += count;
            length += count;
            if (Blocks.within(length) == 0) {
                ExtentWork.WriteBlock block = new ExtentWork.WriteBlock(
                        id, Blocks.blockOf(length) - 1, UnsafeByteOperations.unsafeWrap(tail));
                tail = NOTHING;
                onTheirWay.add(block);
                whole.accept(block);
            }
        }
        record = null;
    }

    private void growTail(int bytes) {
        if (tail.length < bytes) {
            int larger = Math.max(bytes, Math.max(TAIL_BYTES_FIRST, tail.length * 2));
            tail = java.util.Arrays.copyOf(tail, bytes == Blocks.BYTES ? bytes : Math.min(Blocks.BYTES, larger));
        }
    }

    /** Bytes up to a new length lie in the file, synced; the begun block is given. */
    void takeBulk(long newLength, byte[] newTail) {
        length = newLength;
        tail = newTail;
        record = null;
    }

    void written(ExtentWork.WriteBlock block) {
        ExtentWork.WriteBlock next = onTheirWay.poll();
        Invariant.check(
                next != null && next.block() == block.block(),
                "block %s of extent %s was not the next",
                block.block(),
                id);
    }

    /** Ends it. */
    void fence() {
        fenced = true;
        record = null;
    }

    void damage() {
        damaged = true;
        record = null;
    }

    void heardAcknowledged(long newAcknowledged) {
        acknowledged = Math.max(acknowledged, newAcknowledged);
    }

    void madeDurable(long newDurable) {
        durable = Math.max(durable, newDurable);
    }

    /** The begun block lies in the file of an ended extent, synced. */
    void dropTail() {
        tail = NOTHING;
        tailInFile = true;
    }

    ByteString tailCopy() {
        return ByteString.copyFrom(tail, 0, tailInFile ? 0 : Blocks.within(length));
    }

    boolean hasTail() {
        return !tailInFile && Blocks.within(length) > 0;
    }

    long id() {
        return id;
    }

    long length() {
        return length;
    }

    /** The length once all waiting appends are taken. */
    long lengthToCome() {
        return length + waitingBytes;
    }

    boolean isFenced() {
        return fenced;
    }

    boolean isDamaged() {
        return damaged;
    }

    /** How far readers that know no sealed length may read. */
    long visible(NodeLink.Replication replication) {
        return replication == NodeLink.Replication.SOLE ? durable : Math.min(acknowledged, durable);
    }

    long durable() {
        return durable;
    }

    /** What a checkpoint keeps of it. */
    ExtentRecord record() {
        ExtentRecord kept = record;
        if (kept == null) {
            int tailLength = tailInFile ? 0 : Blocks.within(length);
            kept = ExtentRecord.newBuilder()
                    .setId(id)
                    .setLength(length)
                    .setFenced(fenced)
                    .setDamaged(damaged)
                    .setTailChecksum(Blocks.checksum(tail, 0, tailLength))
                    .setAcknowledged(acknowledged)
                    .build();
            record = kept;
        }
        return kept;
    }

    /** Where the bytes from an offset are, at most {@code count} and none at or behind {@code end}. */
    ReadPlan plan(long offset, int count, long end) {
        long until = Math.min(end, offset + count);
        if (offset >= until) {
            return ReadPlan.empty(id);
        }
        long fileEnd = fileEnd();
        int fromFile = (int) Math.max(0, Math.min(until, fileEnd) - offset);
        ByteString fromMemory = until > fileEnd ? memory(Math.max(offset, fileEnd), until) : ByteString.EMPTY;
        return new ReadPlan(ExtentVerdict.OK, id, offset, fromFile, fileEnd, fromMemory);
    }

    private long fileEnd() {
        ExtentWork.WriteBlock next = onTheirWay.peek();
        if (next != null) {
            return Blocks.startOf(next.block());
        }
        return tailInFile ? length : length - Blocks.within(length);
    }

    private ByteString memory(long from, long until) {
        ByteString found = ByteString.EMPTY;
        for (ExtentWork.WriteBlock block : onTheirWay) {
            found = found.concat(part(block.bytes(), Blocks.startOf(block.block()), from, until));
        }
        return found.concat(part(tailCopy(), length - Blocks.within(length), from, until));
    }

    private static ByteString part(ByteString bytes, long start, long from, long until) {
        int first = (int) Math.max(0, from - start);
        int last = (int) Math.min(bytes.size(), until - start);
        return first < last ? bytes.substring(first, last) : ByteString.EMPTY;
    }
}
