package cleave.frontend.routing;

import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.model.RequestId;
import cleave.wire.ErrorCode;
import cleave.wire.Status;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The mapping of replies of ranges and masters to the errors of the protocol. */
public final class WireErrors {
    private static final Logger LOG = LoggerFactory.getLogger(WireErrors.class);

    private WireErrors() {}

    /** The error for the answer of a range to a write, a read or a scan. */
    public static RuntimeException ofRange(Status status) {
        return ofRange(status, RequestId.NONE);
    }

    /** The same for a client's request. */
    static RuntimeException ofRange(Status status, RequestId id) {
        return status.getCode() == ErrorCode.TABLE_DROPPED
                ? new TableDropped()
                : ServiceError.of(codeOfRange(status, id));
    }

    private static ServiceCode codeOfRange(Status status, RequestId id) {
        return switch (status.getCode()) {
            case ALREADY_EXISTS -> ServiceCode.ENTITY_ALREADY_EXISTS;
            case NOT_FOUND -> ServiceCode.RESOURCE_NOT_FOUND;
            case CONDITION_FAILED -> ServiceCode.UPDATE_CONDITION_NOT_SATISFIED;
            case ENTITY_TOO_LARGE -> ServiceCode.ENTITY_TOO_LARGE;
            case TOO_MANY_PROPERTIES -> ServiceCode.TOO_MANY_PROPERTIES;
            case TABLE_DROPPED -> ServiceCode.TABLE_NOT_FOUND;
            case BUSY, UNAVAILABLE, NOT_OWNER, NOT_LEADER, THROTTLED -> ServiceCode.SERVER_BUSY;
            case UNKNOWN_OUTCOME -> {
                LOG.info("write has an unknown outcome requestId={} reason={}", id, status.getMessage());
                yield ServiceCode.OPERATION_TIMED_OUT;
            }
            case DAMAGED -> {
                LOG.info("what was asked for is damaged requestId={} reason={}", id, status.getMessage());
                yield ServiceCode.INTERNAL_ERROR;
            }
            // Such a reply is a bug of Cleave.
            case OK, INVALID, STALE_VERSION, DEAD_INCARNATION, UNRECOGNIZED -> throw unexpected(status);
        };
    }

    /** The error for the reply of a master to the allocation of ids, which has no visible effect. */
    public static ServiceError ofAllocation(Status status) {
        return switch (status.getCode()) {
            case BUSY, UNAVAILABLE, NOT_OWNER, NOT_LEADER, UNKNOWN_OUTCOME ->
                ServiceError.of(ServiceCode.SERVER_BUSY, "Tables cannot be created now: no master answers.");
            default -> throw unexpected(status);
        };
    }

    /** The error for the answer of a master to the drop of a table. */
    public static ServiceError ofDrop(Status status) {
        return switch (status.getCode()) {
            case BUSY, UNAVAILABLE, NOT_OWNER, NOT_LEADER ->
                ServiceError.of(ServiceCode.SERVER_BUSY, "Tables cannot be deleted now: no master answers.");
            case UNKNOWN_OUTCOME -> ServiceError.of(ServiceCode.OPERATION_TIMED_OUT);
            case NOT_FOUND, TABLE_DROPPED -> ServiceError.of(ServiceCode.RESOURCE_NOT_FOUND);
            default -> throw unexpected(status);
        };
    }

    private static IllegalStateException unexpected(Status status) {
        return new IllegalStateException(
                "unexpected answer code=" + status.getCode() + " message=" + status.getMessage());
    }
}
