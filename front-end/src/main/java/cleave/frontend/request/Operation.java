package cleave.frontend.request;

import cleave.frontend.protocol.odata.Method;
import cleave.frontend.protocol.odata.QueryString;
import cleave.frontend.protocol.odata.Resource;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The operation of a request. */
public enum Operation {
    CREATE_TABLE,
    LIST_TABLES,
    GET_TABLE,
    DELETE_TABLE,
    INSERT,
    GET,
    QUERY,
    /** PUT, with and without a condition. */
    REPLACE,
    /** MERGE and PATCH, with and without a condition. */
    MERGE,
    DELETE,
    TRANSACTION,
    GET_ACL,
    SET_ACL,
    GET_PROPERTIES,
    SET_PROPERTIES,
    GET_STATS,
    /** A request that was refused before its operation was known. */
    OTHER;

    /** The operation of a method on a resource, or on the part of it that the query names. Refuses an unknown combination. */
    public static Operation of(Method method, Resource resource, QueryString query) {
        @Nullable String comp = query.value("comp");
        @Nullable String restype = query.value("restype");
        return comp == null && restype == null ? of(method, resource) : ofPart(method, resource, comp, restype);
    }

    private static Operation ofPart(Method method, Resource resource, @Nullable String comp, @Nullable String restype) {
        if (resource instanceof Resource.EntitySet && "acl".equals(comp) && restype == null) {
            return isRead(method) ? GET_ACL : method == Method.PUT ? SET_ACL : refused();
        }
        if (resource instanceof Resource.ServiceRoot && "service".equals(restype)) {
            if ("properties".equals(comp)) {
                return isRead(method) ? GET_PROPERTIES : method == Method.PUT ? SET_PROPERTIES : refused();
            }
            if ("stats".equals(comp)) {
                return isRead(method) ? GET_STATS : refused();
            }
        }
        throw ServiceError.of(ServiceCode.INVALID_QUERY_PARAMETER_VALUE);
    }

    private static Operation of(Method method, Resource resource) {
        if (resource instanceof Resource.Tables) {
            return isRead(method) ? LIST_TABLES : method == Method.POST ? CREATE_TABLE : refused();
        }
        if (resource instanceof Resource.Table) {
            return isRead(method) ? GET_TABLE : method == Method.DELETE ? DELETE_TABLE : refused();
        }
        if (resource instanceof Resource.EntitySet) {
            return isRead(method) ? QUERY : method == Method.POST ? INSERT : refused();
        }
        if (resource instanceof Resource.EntityAddress) {
            return ofEntity(method);
        }
        if (resource instanceof Resource.Batch) {
            return method == Method.POST ? TRANSACTION : refused();
        }
        if (resource instanceof Resource.ServiceRoot) {
            throw ServiceError.of(ServiceCode.INVALID_URI);
        }
        if (resource instanceof Resource.BelowTable) {
            throw ServiceError.of(ServiceCode.NOT_IMPLEMENTED);
        }
        throw new AssertionError("unhandled resource " + resource);
    }

    private static Operation ofEntity(Method method) {
        return switch (method) {
            case GET, HEAD -> GET;
            case PUT -> REPLACE;
            case MERGE -> MERGE;
            case DELETE -> DELETE;
            case POST, OPTIONS -> refused();
        };
    }

    private static boolean isRead(Method method) {
        return method == Method.GET || method == Method.HEAD;
    }

    private static Operation refused() {
        throw ServiceError.of(ServiceCode.METHOD_NOT_ALLOWED);
    }

    /** True if it changes nothing. */
    public boolean isRead() {
        return switch (this) {
            case LIST_TABLES, GET_TABLE, GET, QUERY, GET_ACL, GET_PROPERTIES, GET_STATS -> true;
            default -> false;
        };
    }

    /** True if its responses and errors are always XML. */
    public boolean speaksXml() {
        return switch (this) {
            case GET_ACL, SET_ACL, GET_PROPERTIES, SET_PROPERTIES, GET_STATS -> true;
            default -> false;
        };
    }

    /** The value of the label {@code op}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
