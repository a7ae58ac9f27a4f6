package cleave.frontend.routing;

import cleave.frontend.protocol.auth.Grant;
import cleave.frontend.protocol.auth.Right;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.model.Key;
import cleave.model.entity.Entity;
import cleave.model.entity.EntityCodec;
import cleave.wire.WriteKind;
import cleave.wire.WriteOperation;
import com.google.protobuf.UnsafeByteOperations;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A write of one entity, with the name of its table: a request, or one operation of a changeset. Immutable.
 *
 * @param table its name as in the address
 * @param entity without properties for a delete
 * @param ifMatch ticks of the expected timestamp; null: no condition beyond that of the kind
 */
public record EntityWrite(
        WriteKind kind,
        String table,
        String partitionKey,
        String rowKey,
        Entity entity,
        @Nullable Long ifMatch) {
    /** Refuses the first write that a grant does not permit, with its index. */
    static void check(Grant grant, List<EntityWrite> writes) {
        for (int i = 0; i < writes.size(); i++) {
            EntityWrite write = writes.get(i);
            try {
                Right right = needed(write.kind);
                grant.check(right, write.table);
                grant.checkKeys(right, write.partitionKey, write.rowKey);
            } catch (ServiceError refused) {
                throw refused.ofOperation(i, writes.size());
            }
        }
    }

    private static Right needed(WriteKind kind) {
        return switch (kind) {
            case INSERT -> Right.INSERT;
            case REPLACE, MERGE -> Right.UPDATE;
            case INSERT_OR_REPLACE, INSERT_OR_MERGE -> Right.UPSERT;
            case DELETE -> Right.DELETE;
            default -> throw new AssertionError("no write is " + kind);
        };
    }

    WriteOperation toWire(long tableId) {
        return toWire(kind, Key.of(tableId, partitionKey, rowKey), entity, ifMatch);
    }

    /** A write of the entity with this key; the entity of a delete is not sent. */
    public static WriteOperation toWire(WriteKind kind, Key key, Entity entity, @Nullable Long ifMatch) {
        WriteOperation.Builder wire = WriteOperation.newBuilder().setKind(kind).setKey(key.toWire());
        if (kind != WriteKind.DELETE) {
            wire.setEntity(UnsafeByteOperations.unsafeWrap(EntityCodec.encode(entity)));
        }
        if (ifMatch != null) {
            wire.setIfMatch(ifMatch);
        }
        return wire.build();
    }
}
