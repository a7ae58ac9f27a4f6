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

/**
 * Looks at stored entities one after the other and gives those that match, cut to what was asked for. Pure but for the clock.
 *
 * <p>Invariant I7: the answer says exactly which keys were examined; whoever goes on at {@code examined_until} misses nothing and
 * sees nothing twice. At least one entity is examined whatever the limits, so every call makes progress.
 */
public final class Scanner {
    /** What a row costs in an answer besides its bytes. */
    private static final int ROW_OVERHEAD_BYTES = 16;
    /** The clock is read once for so many entities. */
    private static final int CLOCK_STRIDE = 16;

    private Scanner() {}

    public static ScanReply scan(EntityCursor cursor, ScanSpec spec, LongSupplier nanos) {
        ScanReply.Builder reply =
                ScanReply.newBuilder().setStatus(Status.newBuilder().setCode(ErrorCode.OK));
        long bytes = 0;
        int examined = 0;
        for (; cursor.valid(); cursor.next()) {
            byte[] key = cursor.key();
            if (examined > 0 && mustStop(reply.getRowsCount(), bytes, examined, spec, nanos)) {
                return reply.setEnded(ScanEnd.STOPPED)
                        .setExaminedUntil(UnsafeByteOperations.unsafeWrap(key))
                        .setExamined(examined)
                        .build();
            }
            examined++;
            byte[] entity = cursor.entity();
            if (spec.filter() == null || spec.filter().matches(Key.wrap(key), entity)) {
                byte[] cut = spec.projection().apply(entity);
                reply.addRows(ScanRow.newBuilder()
                        .setKey(UnsafeByteOperations.unsafeWrap(key))
                        .setEntity(UnsafeByteOperations.unsafeWrap(cut)));
                bytes += key.length + cut.length + ROW_OVERHEAD_BYTES;
            }
        }
        Key end = spec.end();
        return reply.setEnded(spec.endsInside() ? ScanEnd.END_OF_SCAN : ScanEnd.END_OF_RANGE)
                .setExaminedUntil(end == null ? ByteString.EMPTY : end.toWire())
                .setExamined(examined)
                .build();
    }

    private static boolean mustStop(int rows, long bytes, int examined, ScanSpec spec, LongSupplier nanos) {
        return rows >= spec.limit()
                || bytes >= spec.bytesMax()
                || (examined % CLOCK_STRIDE == 0 && nanos.getAsLong() - spec.stopNanos() >= 0);
    }
}
