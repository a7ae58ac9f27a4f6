package cleave.frontend.loop;

import cleave.frontend.policy.Method;
import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.odata.EntityBody;
import cleave.frontend.protocol.odata.EntityJsonReader;
import cleave.frontend.protocol.odata.Headers;
import cleave.frontend.protocol.odata.IfMatch;
import cleave.frontend.protocol.odata.MetadataLevel;
import cleave.frontend.protocol.odata.Resource;
import cleave.frontend.protocol.odata.ServiceCode;
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
 * A write of one entity, fully read and checked, before it is known which id its table has. Immutable. Requests of their own
 * and operations of a changeset are the same here.
 *
 * @param kind follows from method and If-Match
 * @param table its name as in the address
 * @param entity without properties for a delete
 * @param ifMatch ticks of the expected timestamp; null: no condition beyond that of the kind
 */
record EntityWrite(
        WriteKind kind,
        String table,
        String partitionKey,
        String rowKey,
        Entity entity,
        @Nullable Long ifMatch) {
    private static final Entity NOTHING = new Entity(0, List.of());

    /** The write that a request means. Refuses what is none. */
    static EntityWrite of(Method method, Resource resource, Headers headers, Body body) {
        if (!body.isEmpty()) {
            MetadataLevel.checkContentType(headers.first("Content-Type"));
        }
        if (resource instanceof Resource.EntitySet set && method == Method.POST) {
            return insert(set, body);
        }
        if (resource instanceof Resource.EntityAddress address) {
            return switch (method) {
                case PUT -> update(address, headers, body, WriteKind.REPLACE, WriteKind.INSERT_OR_REPLACE);
                case MERGE -> update(address, headers, body, WriteKind.MERGE, WriteKind.INSERT_OR_MERGE);
                case DELETE -> delete(address, headers);
                case GET, HEAD, POST, OPTIONS -> throw ServiceError.of(ServiceCode.METHOD_NOT_ALLOWED);
            };
        }
        throw ServiceError.of(ServiceCode.METHOD_NOT_ALLOWED);
    }

    private static EntityWrite insert(Resource.EntitySet set, Body body) {
        EntityBody read = EntityJsonReader.readInsert(body);
        return new EntityWrite(
                WriteKind.INSERT,
                set.table(),
                present(read.partitionKey()),
                present(read.rowKey()),
                read.entity(),
                null);
    }

    private static String present(@Nullable String key) {
        if (key == null) {
            throw ServiceError.of(ServiceCode.PROPERTIES_NEED_VALUE);
        }
        return key;
    }

    /** Without a condition it inserts what does not exist. */
    private static EntityWrite update(
            Resource.EntityAddress address, Headers headers, Body body, WriteKind existing, WriteKind any) {
        IfMatch condition = IfMatch.parse(headers);
        EntityBody read = condition == null
                ? EntityJsonReader.readUpsert(body, address)
                : EntityJsonReader.readUpdate(body, address);
        return at(address, condition == null ? any : existing, read.entity(), condition);
    }

    private static EntityWrite delete(Resource.EntityAddress address, Headers headers) {
        IfMatch condition = IfMatch.parse(headers);
        if (condition == null) {
            throw ServiceError.of(ServiceCode.MISSING_REQUIRED_HEADER);
        }
        return at(address, WriteKind.DELETE, NOTHING, condition);
    }

    private static EntityWrite at(
            Resource.EntityAddress address, WriteKind kind, Entity entity, @Nullable IfMatch condition) {
        Long ifMatch = condition == null || condition.any() ? null : (Long) condition.ticks();
        return new EntityWrite(kind, address.table(), address.partitionKey(), address.rowKey(), entity, ifMatch);
    }

    WriteOperation toWire(long tableId) {
        WriteOperation.Builder wire = WriteOperation.newBuilder()
                .setKind(kind)
                .setKey(Key.of(tableId, partitionKey, rowKey).toWire());
        if (kind != WriteKind.DELETE) {
            wire.setEntity(UnsafeByteOperations.unsafeWrap(EntityCodec.encode(entity)));
        }
        if (ifMatch != null) {
            wire.setIfMatch(ifMatch);
        }
        return wire.build();
    }
}
