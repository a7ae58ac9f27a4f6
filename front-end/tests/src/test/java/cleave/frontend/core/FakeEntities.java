package cleave.frontend.core;

import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Limits;
import cleave.model.entity.EntityCodec;
import cleave.model.entity.FilterCodec;
import cleave.model.entity.FilterEvaluator;
import cleave.model.entity.Projection;
import cleave.wire.ErrorCode;
import cleave.wire.KeyInterval;
import cleave.wire.ReadReply;
import cleave.wire.ScanEnd;
import cleave.wire.ScanReply;
import cleave.wire.ScanRequest;
import cleave.wire.ScanRow;
import cleave.wire.Status;
import cleave.wire.WriteKind;
import cleave.wire.WriteOperation;
import cleave.wire.WriteReply;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The entities of a {@link FakeCluster}, and what its servers do with them. Not thread-safe. */
final class FakeEntities {
    final TreeMap<Key, byte[]> stored = new TreeMap<>();
    /** What lies there cannot be read. */
    final List<KeyRange> damaged = new ArrayList<>();
    /** A scan stops after this number of examined entities. */
    int scannedMax = Integer.MAX_VALUE;

    private long lastTimestamp = 17_000_000_000_000_000L;

    static Status status(ErrorCode code) {
        return Status.newBuilder().setCode(code).build();
    }

    WriteReply write(List<WriteOperation> operations) {
        Map<Key, byte[]> changed = new TreeMap<>();
        WriteReply.Builder reply = WriteReply.newBuilder().setStatus(status(ErrorCode.OK));
        for (int i = 0; i < operations.size(); i++) {
            WriteOperation operation = operations.get(i);
            Key key = Key.fromWire(operation.getKey());
            byte[] before = stored.get(key);
            ErrorCode refusal = refusal(operation, before);
            long timestamp = operation.getKind() == WriteKind.DELETE ? 0 : ++lastTimestamp;
            byte[] result = refusal == ErrorCode.OK ? result(operation, before, timestamp) : new byte[0];
            if (result.length > 0) {
                refusal = refusal(key, result);
            }
            if (refusal != ErrorCode.OK) {
                return WriteReply.newBuilder()
                        .setStatus(status(refusal))
                        .setFailedOperation(i)
                        .build();
            }
            changed.put(key, result);
            reply.addTimestamps(timestamp);
        }
        changed.forEach((key, entity) -> stored.compute(key, (same, before) -> entity.length == 0 ? null : entity));
        return reply.build();
    }

    private static ErrorCode refusal(WriteOperation operation, byte @Nullable [] before) {
        return switch (operation.getKind()) {
            case INSERT -> before == null ? ErrorCode.OK : ErrorCode.ALREADY_EXISTS;
            case INSERT_OR_REPLACE, INSERT_OR_MERGE -> ErrorCode.OK;
            default ->
                before == null
                        ? ErrorCode.NOT_FOUND
                        : !operation.hasIfMatch() || operation.getIfMatch() == EntityCodec.timestamp(before)
                                ? ErrorCode.OK
                                : ErrorCode.CONDITION_FAILED;
        };
    }

    private static ErrorCode refusal(Key key, byte[] result) {
        return EntityCodec.size(key, result) > Limits.ENTITY_BYTES_MAX
                ? ErrorCode.ENTITY_TOO_LARGE
                : EntityCodec.propertyCount(result) > Limits.PROPERTIES_MAX
                        ? ErrorCode.TOO_MANY_PROPERTIES
                        : ErrorCode.OK;
    }

    /** No bytes if the entity is deleted. */
    private static byte[] result(WriteOperation operation, byte @Nullable [] before, long timestamp) {
        if (operation.getKind() == WriteKind.DELETE) {
            return new byte[0];
        }
        boolean merges = operation.getKind() == WriteKind.MERGE || operation.getKind() == WriteKind.INSERT_OR_MERGE;
        byte[] given = operation.getEntity().toByteArray();
        byte[] result = merges && before != null ? EntityCodec.merge(before, given) : given;
        EntityCodec.stampTimestamp(result, timestamp);
        return result;
    }

    ReadReply read(Key key) {
        byte[] entity = stored.get(key);
        return entity == null
                ? ReadReply.newBuilder().setStatus(status(ErrorCode.NOT_FOUND)).build()
                : ReadReply.newBuilder()
                        .setStatus(status(ErrorCode.OK))
                        .setEntity(ByteString.copyFrom(entity))
                        .build();
    }

    /** @param range the one that the request was sent to */
    ScanReply scan(ScanRequest request, KeyRange range) {
        KeyRange asked = Objects.requireNonNull(KeyRange.fromWire(request.getStart(), request.getEnd()));
        KeyRange within = Objects.requireNonNull(asked.intersection(range));
        ScanReply.Builder reply = ScanReply.newBuilder().setStatus(status(ErrorCode.OK));
        int examined = 0;
        int bytes = 0;
        Key behindLast = within.start();
        for (Map.Entry<Key, byte[]> entry : stored.tailMap(within.start(), true).entrySet()) {
            Key key = entry.getKey();
            if (!within.contains(key)) {
                break;
            }
            boolean isDamaged = damaged.stream().anyMatch(each -> each.contains(key));
            if (isDamaged && request.getSalvage()) {
                continue;
            }
            if (isDamaged && examined == 0) {
                return reply.setStatus(status(ErrorCode.DAMAGED)).build();
            }
            boolean stops = isDamaged || examined == scannedMax || reply.getRowsCount() == request.getLimit();
            if (stops || (request.getBytesMax() > 0 && bytes >= request.getBytesMax())) {
                Key until = isDamaged ? behindLast : key;
                passOver(request, reply, new KeyRange(within.start(), until));
                return reply.setEnded(stops ? ScanEnd.STOPPED : ScanEnd.CUT)
                        .setExaminedUntil(until.toWire())
                        .setExamined(examined)
                        .build();
            }
            behindLast = key.next();
            examined++;
            if (!request.hasFilter()
                    || FilterEvaluator.matches(FilterCodec.fromWire(request.getFilter()), key, entry.getValue())) {
                byte[] entity = Projection.of(request.getSelectList()).apply(entry.getValue());
                bytes += entity.length;
                reply.addRows(ScanRow.newBuilder().setKey(key.toWire()).setEntity(ByteString.copyFrom(entity)));
            }
        }
        passOver(request, reply, within);
        return reply.setEnded(range.contains(asked) ? ScanEnd.END_OF_SCAN : ScanEnd.END_OF_RANGE)
                .setExaminedUntil(within.endToWire())
                .setExamined(examined)
                .build();
    }

    private void passOver(ScanRequest request, ScanReply.Builder reply, KeyRange examined) {
        for (KeyRange each : request.getSalvage() ? damaged : List.<KeyRange>of()) {
            KeyRange here = each.intersection(examined);
            if (here != null) {
                reply.addUnreadable(
                        KeyInterval.newBuilder().setStart(here.startToWire()).setEnd(here.endToWire()));
            }
        }
    }
}
