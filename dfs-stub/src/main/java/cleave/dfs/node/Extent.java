package cleave.dfs.node;

import cleave.dfs.DfsFile.Purpose;
import cleave.dfs.link.ExtentStatus;
import cleave.dfs.link.SessionEvents;
import cleave.model.Invariant;
import cleave.wire.ExtentRecord;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The state of one extent on its node. Confined to the node's loop.
 *
 * <p>Complete blocks are written to the extent's file lazily. The last, incomplete block is kept here until it is
 * complete, or until the extent has ended and its file is synced. Blocks that are being written are kept too, so reads
 * find every byte here or there.
 *
 * <p>Invariant: the length never decreases, and once fenced never changes.
 */
final class Extent {
    /**
     * An append that waits.
     *
     * @param take takes it, or refuses it
     */
    record Waiting(Purpose purpose, Runnable take) {}

    private static final byte[] NOTHING = {};
    private static final int TAIL_BYTES_FIRST = 512;

    private final long id;
    private long length;
    private long durable;
    private boolean fenced;
    private boolean damaged;

    /** The incomplete last block; its buffer may be longer. */
    private byte[] tail = NOTHING;

    /** True for an ended extent whose last block is in the file, so that the tail is not kept. */
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

    /** Whether it is in the table's list of extents that changed since the last checkpoint. */
    boolean changed;

    /** A large append is being written to the file; all later requests wait for it. */
    boolean bulkUnderWay;

    /** Appends that wait for it, or for space on the disk. */
    final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    /** Fences that wait for it. */
    final ArrayDeque<Runnable> fences = new ArrayDeque<>();

    long waitingBytes;

    Extent(long id) {
        this.id = id;
    }

    /** From a checkpoint; {@link #restoreTail} supplies the last block. */
    static Extent restored(ExtentRecord record) {
        Extent extent = new Extent(record.getId());
        extent.length = record.getLength();
        extent.durable = record.getLength();
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

    /** Appends bytes; passes on every block that they complete. */
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

    /** Notes that the file holds all bytes up to a new length, synced; the last block is given. */
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

    void madeDurable(long newDurable) {
        durable = Math.max(durable, newDurable);
    }

    /** Notes that the file of an ended extent holds the last block, synced. */
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

    /** The length after all waiting appends. */
    long lengthToCome() {
        return length + waitingBytes;
    }

    boolean isFenced() {
        return fenced;
    }

    boolean isDamaged() {
        return damaged;
    }

    /** The limit for readers that know no sealed length. */
    long durable() {
        return durable;
    }

    /** Its record in a checkpoint. */
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
                    .build();
            record = kept;
        }
        return kept;
    }

    /** The places of up to {@code count} bytes from an offset, before {@code end}. */
    ReadPlan plan(long offset, int count, long end) {
        long until = Math.min(end, offset + count);
        if (offset >= until) {
            return ReadPlan.empty(id);
        }
        long fileEnd = fileEnd();
        int fromFile = (int) Math.max(0, Math.min(until, fileEnd) - offset);
        ByteString fromMemory = until > fileEnd ? memory(Math.max(offset, fileEnd), until) : ByteString.EMPTY;
        return new ReadPlan(ExtentStatus.OK, id, offset, fromFile, fileEnd, fromMemory);
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
