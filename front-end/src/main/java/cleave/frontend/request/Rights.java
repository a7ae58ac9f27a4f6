package cleave.frontend.request;

import cleave.frontend.protocol.auth.Grant;
import cleave.frontend.protocol.auth.Right;
import cleave.frontend.protocol.odata.Headers;
import cleave.frontend.protocol.odata.Resource;
import org.jspecify.annotations.Nullable;

/**
 * Which rights requests need. The gate checks them by the head; routing checks again, with the keys and for each operation of a
 * batch, so that no access to an entity bypasses it.
 */
public final class Rights {
    private Rights() {}

    /** Refuses a request that its grant does not permit, judged by its head. */
    public static void check(Grant grant, Operation operation, Resource resource, Headers headers) {
        Right right = needed(operation, headers);
        if (right == null) {
            return;
        }
        grant.check(right, tableOf(resource));
        if (resource instanceof Resource.EntityAddress address) {
            grant.checkKeys(right, address.partitionKey(), address.rowKey());
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

    private static String tableOf(Resource resource) {
        if (resource instanceof Resource.EntitySet set) {
            return set.table();
        }
        return resource instanceof Resource.EntityAddress address ? address.table() : "";
    }
}
