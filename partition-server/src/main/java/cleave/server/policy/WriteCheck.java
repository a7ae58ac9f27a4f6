package cleave.server.policy;

import cleave.model.EntityCodec;
import cleave.model.Key;
import cleave.model.Limits;
import cleave.server.state.WriteOp;
import cleave.wire.WriteKind;
import cleave.wire.WriteOperation;
import cleave.wire.WriteRequest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What of a write can be judged without looking at what is stored. Pure.
 *
 * <p>Invariant I10: what a bad sender sends goes no further than here.
 */
public final class WriteCheck {
    private WriteCheck() {}

    /** What is wrong with the request, for people; null if nothing is. */
    public static @Nullable String problem(WriteRequest request) {
        int count = request.getOperationsCount();
        if (count == 0 || count > Limits.TRANSACTION_OPERATIONS_MAX) {
            return "a write has 1 to " + Limits.TRANSACTION_OPERATIONS_MAX + " operations, not " + count;
        }
        Key first = Key.fromWire(request.getOperations(0).getKey());
        for (int i = 0; i < count; i++) {
            String problem = problem(request.getOperations(i), first);
            if (problem != null) {
                return "operation " + i + ": " + problem;
            }
        }
        return null;
    }

    private static @Nullable String problem(WriteOperation operation, Key first) {
        Key key = Key.fromWire(operation.getKey());
        if (!key.isEntity()) {
            return "the key is not that of an entity: " + key;
        }
        if (!key.isOfSamePartitionAs(first)) {
            return "the key is of another partition than the first one's: " + key;
        }
        if (operation.getKind() == WriteKind.UNRECOGNIZED) {
            return "unknown kind " + operation.getKindValue();
        }
        if (operation.getKind() == WriteKind.INSERT && operation.hasIfMatch()) {
            return "an insert cannot ask for a stored timestamp";
        }
        if (operation.getKind() == WriteKind.DELETE) {
            return operation.getEntity().isEmpty() ? null : "a delete carries no entity";
        }
        return EntityCodec.problem(operation.getEntity().toByteArray());
    }

    /** The operations of a request that has no problem. */
    public static List<WriteOp> operations(WriteRequest request) {
        List<WriteOp> operations = new ArrayList<>(request.getOperationsCount());
        for (WriteOperation operation : request.getOperationsList()) {
            operations.add(new WriteOp(
                    operation.getKind(),
                    Key.fromWire(operation.getKey()),
                    operation.getKind() == WriteKind.DELETE
                            ? null
                            : operation.getEntity().toByteArray(),
                    operation.hasIfMatch() ? operation.getIfMatch() : null));
        }
        return operations;
    }
}
