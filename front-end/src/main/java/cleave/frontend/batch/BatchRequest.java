package cleave.frontend.batch;

import java.util.List;

/**
 * A batch, taken apart. Immutable.
 *
 * @param isQuery one GET outside any changeset; else a changeset of writes on one partition of one table
 * @param operations 1 to 100
 */
public record BatchRequest(boolean isQuery, List<BatchOperation> operations) {
    public static final int OPERATIONS_MAX = 100;

    public BatchRequest {
        operations = List.copyOf(operations);
    }

    /** The table of the changeset, its name as in the first address. */
    public String table() {
        throw new UnsupportedOperationException();
    }
}
