package cleave.frontend.handlers;

import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.odata.EntityBody;
import cleave.frontend.protocol.odata.EntityMembers;
import cleave.frontend.protocol.odata.Headers;
import cleave.frontend.protocol.odata.IfMatch;
import cleave.frontend.protocol.odata.Method;
import cleave.frontend.protocol.odata.Resource;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.frontend.request.PayloadFormats;
import cleave.frontend.routing.EntityWrite;
import cleave.model.entity.Entity;
import cleave.wire.WriteKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads writes of entities from requests and from the operations of changesets. */
final class EntityWriteReader {
    private static final Entity NOTHING = new Entity(0, List.of());

    private EntityWriteReader() {}

    /** Reads the write in a request. Refuses a malformed one. */
    static EntityWrite read(PayloadFormats formats, Method method, Resource resource, Headers headers, Body body) {
        if (!body.isEmpty()) {
            formats.checkType(headers);
        }
        if (resource instanceof Resource.EntitySet set && method == Method.POST) {
            return insert(set, formats.entity(headers, body).ofInsert());
        }
        if (resource instanceof Resource.EntityAddress address) {
            return switch (method) {
                case PUT ->
                    update(
                            address,
                            headers,
                            members(formats, headers, body),
                            WriteKind.REPLACE,
                            WriteKind.INSERT_OR_REPLACE);
                case MERGE ->
                    update(
                            address,
                            headers,
                            members(formats, headers, body),
                            WriteKind.MERGE,
                            WriteKind.INSERT_OR_MERGE);
                case DELETE -> delete(address, headers);
                case GET, HEAD, POST, OPTIONS -> throw ServiceError.of(ServiceCode.METHOD_NOT_ALLOWED);
            };
        }
        throw ServiceError.of(ServiceCode.METHOD_NOT_ALLOWED);
    }

    /** An update without a body is one of no property. */
    private static EntityMembers members(PayloadFormats formats, Headers headers, Body body) {
        return body.isEmpty() ? new EntityMembers() : formats.entity(headers, body);
    }

    private static EntityWrite insert(Resource.EntitySet set, EntityBody read) {
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
            Resource.EntityAddress address, Headers headers, EntityMembers members, WriteKind existing, WriteKind any) {
        IfMatch condition = IfMatch.ofUpdate(headers);
        EntityBody read = condition == null ? members.ofUpsert(address) : members.ofUpdate(address);
        return at(address, condition == null ? any : existing, read.entity(), condition);
    }

    private static EntityWrite delete(Resource.EntityAddress address, Headers headers) {
        IfMatch condition = IfMatch.ofDelete(headers);
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
}
