package cleave.frontend.protocol.batch;

import java.util.List;

/**
 * A parsed batch. Immutable.
 *
 * @param isQuery true for one GET outside a changeset; false for a changeset of writes
 * @param operations up to 100; a changeset may be empty
 */
public record BatchRequest(boolean isQuery, List<BatchOperation> operations) {
    public BatchRequest {
        operations = List.copyOf(operations);
    }
}
