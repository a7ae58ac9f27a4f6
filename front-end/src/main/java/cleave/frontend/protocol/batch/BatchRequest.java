package cleave.frontend.protocol.batch;

import java.util.List;

/**
 * A batch, taken apart. Immutable.
 *
 * @param isQuery one GET outside any changeset; else a changeset of writes
 * @param operations up to 100; a changeset may have none
 */
public record BatchRequest(boolean isQuery, List<BatchOperation> operations) {
    public BatchRequest {
        operations = List.copyOf(operations);
    }
}
