package cleave.server.policy;

import cleave.model.Damaged;
import cleave.model.Key;
import cleave.model.Limits;
import cleave.model.entity.EntityCodec;
import cleave.server.state.WriteOp;
import cleave.wire.WriteKind;
import cleave.wire.WriteOperation;
import cleave.wire.WriteRequest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Checks of a write that need no stored data. Pure.
 *
 * <p>Invariant I10: malformed writes go no further than here.
 */
public final class WriteCheck {
    private WriteCheck() {}

    /** The operations of a request; {@link Damaged}, with the fault, if it is none that can be executed. */
    public static List<WriteOp> parse(WriteRequest request) {
        int count = request.getOperationsCount();
        if (count == 0 || count > Limits.TRANSACTION_OPERATIONS_MAX) {
            throw new Damaged("a write has 1 to " + Limits.TRANSACTION_OPERATIONS_MAX + " operations, not " + count);
        }
        List<WriteOp> operations = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            WriteOp operation = operation(request.getOperations(i));
            String problem = problem(operation);
            if (problem == null
                    && i > 0
                    && !operation.key().isOfSamePartitionAs(operations.get(0).key())) {
                problem = "the key is of another partition than the first one's: " + operation.key();
            }
            if (problem != null) {
                throw new Damaged("operation " + i + ": " + problem);
            }
            operations.add(operation);
        }
        return operations;
    }

    private static WriteOp operation(WriteOperation wire) {
        return new WriteOp(
                wire.getKind(),
                Key.fromWire(wire.getKey()),
                wire.getKind() == WriteKind.DELETE && wire.getEntity().isEmpty()
                        ? null
                        : wire.getEntity().toByteArray(),
                wire.hasIfMatch() ? wire.getIfMatch() : null);
    }

    private static @Nullable String problem(WriteOp operation) {
        byte[] entity = operation.entity();
        if (!operation.key().isEntity()) {
            return "the key is not that of an entity: " + operation.key();
        }
        return switch (operation.kind()) {
            case UNRECOGNIZED -> "its kind is unknown";
            case DELETE -> entity == null ? null : "a delete carries no entity";
            case INSERT ->
                operation.ifMatch() != null
                        ? "an insert cannot ask for a stored timestamp"
                        : entity == null ? "no entity" : EntityCodec.problem(entity);
            default -> entity == null ? "no entity" : EntityCodec.problem(entity);
        };
    }
}
