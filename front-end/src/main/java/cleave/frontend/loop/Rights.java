package cleave.frontend.loop;

import cleave.frontend.protocol.auth.Grant;
import cleave.frontend.protocol.auth.Right;
import cleave.frontend.protocol.odata.Headers;
import cleave.frontend.protocol.odata.Resource;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.wire.WriteKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which rights requests need. The gate refuses what can be told from the head; {@link EntityStore} asks again, with the keys and
 * for each operation of a batch, so that nothing reaches an entity past it.
 */
final class Rights {
    private Rights() {}

    /** Refuses a request whose bearer may not do what it asks for, as far as its head tells. */
    static void check(Grant grant, Operation operation, Resource resource, Headers headers) {
        Right right = needed(operation, headers);
        if (right != null) {
            grant.check(right, tableOf(resource));
        }
        if (resource instanceof Resource.EntityAddress address) {
            grant.checkKeys(address.partitionKey(), address.rowKey());
        }
    }

    /** Refuses writes that the bearer may not do, with the index of the first such. */
    static void check(Grant grant, List<EntityWrite> writes) {
        for (int i = 0; i < writes.size(); i++) {
            EntityWrite write = writes.get(i);
            try {
                grant.check(needed(write.kind()), write.table());
                grant.checkKeys(write.partitionKey(), write.rowKey());
            } catch (ServiceError refused) {
                throw refused.ofOperation(i, writes.size());
            }
        }
    }

    /** Null for a transaction, whose operations need rights of their own. */
    private static @Nullable Right needed(Operation operation, Headers headers) {
        return switch (operation) {
            case GET, QUERY -> Right.QUERY;
            case INSERT -> Right.INSERT;
            case REPLACE, MERGE -> headers.first("If-Match") == null ? Right.UPSERT : Right.UPDATE;
            case DELETE -> Right.DELETE;
            case LIST_TABLES, GET_TABLE -> Right.LIST_TABLES;
            case CREATE_TABLE -> Right.CREATE_TABLE;
            case DELETE_TABLE -> Right.DELETE_TABLE;
            case GET_ACL, SET_ACL -> Right.ACCESS_POLICIES;
            case GET_PROPERTIES, GET_STATS -> Right.READ_SERVICE;
            case SET_PROPERTIES -> Right.WRITE_SERVICE;
            case TRANSACTION -> null;
            case OTHER -> throw new AssertionError("no request is this");
        };
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

    private static String tableOf(Resource resource) {
        if (resource instanceof Resource.EntitySet set) {
            return set.table();
        }
        return resource instanceof Resource.EntityAddress address ? address.table() : "";
    }
}
