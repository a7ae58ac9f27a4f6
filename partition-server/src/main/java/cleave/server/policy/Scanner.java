package cleave.server.policy;

import cleave.model.Key;
import cleave.server.state.EntityCursor;
import cleave.wire.ErrorCode;
import cleave.wire.ScanEnd;
import cleave.wire.ScanReply;
import cleave.wire.ScanRow;
import cleave.wire.Status;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Examines stored entities in order and returns those that match, projected as requested. Pure except for the clock. A
 * scan can pause between entities, and continues in the same snapshot. Not thread-safe.
 *
 * <p>Invariant I7: the answer says exactly which keys were examined; a scan that continues at {@code examined_until} misses nothing and
 * sees nothing twice. At least one entity is examined whatever the limits, so every call makes progress.
 */
public final class Scanner {
    /** What a row costs in an answer besides its bytes. */
    private static final int ROW_OVERHEAD_BYTES = 16;
    /** The clock is read once for this number of entities. */
    private static final int CLOCK_STRIDE = 16;

    private final EntityCursor cursor;
    private final ScanSpec spec;
    private final ScanReply.Builder reply =
            ScanReply.newBuilder().setStatus(Status.newBuilder().setCode(ErrorCode.OK));
    private final @Nullable PartitionCounts counts;
    private long bytes;
    private int examined;

    /** @param counts counts what is examined; null if nothing is charged */
    public Scanner(EntityCursor cursor, ScanSpec spec, @Nullable PartitionCounts counts) {
        this.cursor = cursor;
        this.spec = spec;
        this.counts = counts;
    }

    /** Tells a scan to pause. */
    public interface Pause {
        boolean isDue(long nowNanos);
    }

    /**
     * Continues until the answer is complete and returns it, or until it must pause and returns null. Each call
     * examines at least one entity, if there is one.
     *
     * @param stopNanos when the answer is complete with what it has
     */
    public @Nullable ScanReply go(LongSupplier nanos, long stopNanos, Pause pause) {
        boolean mayPause = false;
        for (; cursor.valid(); cursor.next()) {
            byte[] key = cursor.key();
            if (examined > 0 && (reply.getRowsCount() >= spec.limit() || bytes >= spec.bytesMax())) {
                return stopped(key);
            }
            if (examined > 0 && examined % CLOCK_STRIDE == 0) {
                long now = nanos.getAsLong();
                if (now - stopNanos >= 0) {
                    return stopped(key);
                }
                if (mayPause && pause.isDue(now)) {
                    return null;
                }
            }
            mayPause = true;
            examine(key);
        }
        Key end = spec.end();
        return reply.setEnded(spec.endsInside() ? ScanEnd.END_OF_SCAN : ScanEnd.END_OF_RANGE)
                .setExaminedUntil(end == null ? ByteString.EMPTY : end.toWire())
                .setExamined(examined)
                .build();
    }

    private void examine(byte[] key) {
        examined++;
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

    private ScanReply stopped(byte[] key) {
        return reply.setEnded(ScanEnd.STOPPED)
                .setExaminedUntil(UnsafeByteOperations.unsafeWrap(key))
                .setExamined(examined)
                .build();
    }

    /** Bytes that the answer has come to. */
    public long bytes() {
        return bytes;
    }
}
