package cleave.dfs.node;

import cleave.dfs.node.JournalFormat.Group;
import cleave.dfs.node.JournalFormat.Kind;
import cleave.model.RequestId;
import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The records of any extents that one sync makes durable, and the callers to answer afterwards. It is filled inside the node's
 * loop; while the disk has it, only its position and bytes are read.
 */
public final class JournalGroup {
    private static final int REQUESTS_MAX = 100;

    private final long sequence;
    private final long salt;
    private ByteBuffer buffer;
    private final int bytesMax;
    private final List<Extent> extents = new ArrayList<>();
    private long[] lengths = new long[16];
    private final List<RequestId> requests = new ArrayList<>(0);
    private final List<Timed> timed = new ArrayList<>(0);
    private final List<Runnable> replies = new ArrayList<>();
    private int appends;
    private long appendedBytes;
    private long carriedBytes;
    private long segment;
    private long position;
    private boolean beginsSegment;
    private long begunNanos;

    /**
     * An append whose writer asked how long it takes.
     *
     * @param length of the extent behind it
     */
    record Timed(Extent extent, long length, long arrivedNanos) {}

    JournalGroup(long sequence, long salt, ByteBuffer buffer, int bytesMax) {
        this.bytesMax = bytesMax;
        this.sequence = sequence;
        this.salt = salt;
        this.buffer = buffer.clear().position(JournalFormat.GROUP_HEADER_BYTES);
    }

    /** The time of its first record. */
    void began(long nanos) {
        begunNanos = nanos;
    }

    long begunNanos() {
        return begunNanos;
    }

    boolean hasSpaceFor(int bodyBytes) {
        return bytesMax - buffer.position() >= JournalFormat.RECORD_HEADER_BYTES + bodyBytes;
    }

    void add(Kind kind, long extent, long offset, ByteString body) {
        int needed = buffer.position() + JournalFormat.RECORD_HEADER_BYTES + body.size();
        if (needed > buffer.capacity()) {
            int larger = Math.max(needed, Math.min(bytesMax, buffer.capacity() * 2));
            buffer = ByteBuffer.allocateDirect(larger).put(buffer.flip());
        }
        if (kind == Kind.APPEND) {
            carriedBytes += body.size();
        }
        JournalFormat.putRecord(buffer, salt, sequence, kind, extent, offset, body);
    }

    /** Has the extent's writer notified when the group is durable. */
    void touch(Extent extent, int bytes, RequestId request) {
        if (!request.isNone() && requests.size() < REQUESTS_MAX) {
            requests.add(request);
        }
        appends++;
        appendedBytes += bytes;
        if (extent.touchedBy != sequence) {
            extent.touchedBy = sequence;
            extent.touchedAt = extents.size();
            extents.add(extent);
            if (extents.size() > lengths.length) {
                lengths = java.util.Arrays.copyOf(lengths, lengths.length * 2);
            }
        }
        lengths[extent.touchedAt] = extent.length();
    }

    /** Has the extent's writer told how long the append took that was the last to touch it. */
    void times(Extent extent, long arrivedNanos) {
        timed.add(new Timed(extent, extent.length(), arrivedNanos));
    }

    void whenDurable(Runnable reply) {
        replies.add(reply);
    }

    /** Sets its position. */
    void place(long atSegment, long atPosition, boolean first) {
        segment = atSegment;
        position = atPosition;
        beginsSegment = first;
        int end = buffer.position();
        buffer.position(0);
        JournalFormat.putGroup(buffer, new Group(end - JournalFormat.GROUP_HEADER_BYTES, sequence), salt, atPosition);
        buffer.position(0).limit(end);
    }

    boolean isEmpty() {
        return buffer.position() == JournalFormat.GROUP_HEADER_BYTES;
    }

    public long sequence() {
        return sequence;
    }

    public long segment() {
        return segment;
    }

    public long salt() {
        return salt;
    }

    /** Its offset in the segment's file. */
    public long position() {
        return position;
    }

    public boolean beginsSegment() {
        return beginsSegment;
    }

    /** A view of the bytes to write. */
    public ByteBuffer bytes() {
        return buffer.duplicate();
    }

    ByteBuffer buffer() {
        return buffer;
    }

    /** The first of the client requests whose writes it contains. */
    List<RequestId> requests() {
        return requests;
    }

    List<Timed> timed() {
        return timed;
    }

    int appends() {
        return appends;
    }

    long appendedBytes() {
        return appendedBytes;
    }

    /** The bytes in the group itself; large appends are only in their extent's file. */
    long carriedBytes() {
        return carriedBytes;
    }

    List<Extent> extents() {
        return extents;
    }

    long lengthOf(int extent) {
        return lengths[extent];
    }

    List<Runnable> replies() {
        return replies;
    }
}
