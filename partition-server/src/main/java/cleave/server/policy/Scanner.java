package cleave.server.policy;

import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.server.state.EntityCursor;
import cleave.wire.ErrorCode;
import cleave.wire.KeyInterval;
import cleave.wire.ScanEnd;
import cleave.wire.ScanReply;
import cleave.wire.ScanRow;
import cleave.wire.Status;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Examines stored entities in order and returns those that match, projected as requested. Pure except for the clock. A
 * scan can pause between entities, and continues in the same snapshot. Not thread-safe.
 *
 * <p>Invariant I7: the answer says exactly which keys were examined; a scan that continues at {@code examined_until} misses nothing and
 * sees nothing twice. At least one entity is examined, regardless of the limits, so every call makes progress.
 *
 * <p>Keys that a cursor passes over because they cannot be read count as examined: the answer says where that was.
 */
public final class Scanner {
    /** The cost of a row in an answer besides its bytes. */
    private static final int ROW_OVERHEAD_BYTES = 16;
    /** The clock is read once for this number of entities. */
    private static final int CLOCK_STRIDE = 16;
    /** The limit for the bounds of unreadable intervals in one answer. */
    private static final int UNREADABLE_BYTES_MAX = 4 << 10;

    private final EntityCursor cursor;
    private final ScanSpec spec;
    private final ScanReply.Builder reply =
            ScanReply.newBuilder().setStatus(Status.newBuilder().setCode(ErrorCode.OK));
    private final @Nullable PartitionCounts counts;
    /** The intervals that were passed over, ascending and disjoint. */
    private final List<KeyRange> unreadable = new ArrayList<>();

    private long unreadableBytes;
    private long bytes;
    private int examined;
    private byte[] first = {};
    private byte[] last = {};

    /** @param counts counts the examined entities; null if nothing is charged */
    public Scanner(EntityCursor cursor, ScanSpec spec, @Nullable PartitionCounts counts) {
        this.cursor = cursor;
        this.spec = spec;
        this.counts = counts;
    }

    /** Decides when a scan pauses. */
    public interface Pause {
        boolean isDue(long nowNanos);
    }

    /**
     * Continues until the answer is complete and returns it, or until it must pause and returns null. Each call
     * examines at least one entity, if there is one.
     *
     * @param stopNanos the time at which the answer is complete with its rows so far
     */
    public @Nullable ScanReply go(LongSupplier nanos, long stopNanos, Pause pause) {
        boolean mayPause = false;
        for (; cursor.valid(); cursor.next()) {
            byte[] key = cursor.key();
            KeyRange passed = cursor.unreadable();
            ScanEnd full = full();
            if (full != null && mayStop(key)) {
                return ended(full, Key.wrap(key));
            }
            if (passed != null || (examined > 0 && examined % CLOCK_STRIDE == 0)) {
                long now = nanos.getAsLong();
                if (now - stopNanos >= 0 && mayStop(key)) {
                    return ended(ScanEnd.STOPPED, Key.wrap(key));
                }
                if (mayPause && pause.isDue(now)) {
                    return null;
                }
            }
            mayPause = true;
            first = hasProgressed() ? first : key;
            if (passed == null) {
                examine(key);
            } else {
                passOver(passed);
            }
        }
        return ended(spec.endsInside() ? ScanEnd.END_OF_SCAN : ScanEnd.END_OF_RANGE, spec.end());
    }

    /** False at the key with which it began: a scan that continued there would make no progress. */
    private boolean mayStop(byte[] key) {
        return hasProgressed() && Arrays.compareUnsigned(key, first) > 0;
    }

    /** True if an entity was examined, or something passed over. */
    private boolean hasProgressed() {
        return examined > 0 || !unreadable.isEmpty();
    }

    /** How an answer ends that takes no more; null if it does. */
    private @Nullable ScanEnd full() {
        if (reply.getRowsCount() >= spec.limit() || unreadableBytes >= UNREADABLE_BYTES_MAX) {
            return ScanEnd.STOPPED;
        }
        return bytes >= spec.bytesMax() ? spec.endAtBytesMax() : null;
    }

    private void examine(byte[] key) {
        examined++;
        last = key;
        if (counts != null) {
            counts.add(Key.wrap(key));
        }
        byte[] entity = cursor.entity();
        if (spec.filter() == null || spec.filter().matches(Key.wrap(key), entity)) {
            byte[] cut = spec.projection().apply(entity);
            reply.addRows(ScanRow.newBuilder()
                    .setKey(UnsafeByteOperations.unsafeWrap(key))
                    .setEntity(UnsafeByteOperations.unsafeWrap(cut)));
            bytes += key.length + cut.length + ROW_OVERHEAD_BYTES;
        }
    }

    private void passOver(KeyRange passed) {
        int before = unreadable.size() - 1;
        KeyRange joined = before < 0 ? null : unreadable.get(before).joined(passed);
        if (joined == null) {
            unreadable.add(passed);
            unreadableBytes += length(passed.start()) + length(passed.end());
        } else {
            unreadable.set(before, joined);
        }
    }

    private static int length(@Nullable Key bound) {
        return bound == null ? 0 : bound.bytes().length;
    }

    /** The answer with what was examined before damage stopped the cursor; null if nothing was. */
    public @Nullable ScanReply stoppedByDamage() {
        return examined == 0 ? null : ended(ScanEnd.STOPPED, Key.wrap(last).next());
    }

    private ScanReply ended(ScanEnd how, @Nullable Key until) {
        for (KeyRange passed : unreadable) {
            KeyRange here = passed.intersection(new KeyRange(spec.interval().start(), until));
            if (here != null) {
                reply.addUnreadable(
                        KeyInterval.newBuilder().setStart(here.startToWire()).setEnd(here.endToWire()));
            }
        }
        return reply.setEnded(how)
                .setExaminedUntil(until == null ? ByteString.EMPTY : until.toWire())
                .setExamined(examined)
                .build();
    }

    /** The bytes of the answer so far. */
    public long bytes() {
        return bytes;
    }
}
