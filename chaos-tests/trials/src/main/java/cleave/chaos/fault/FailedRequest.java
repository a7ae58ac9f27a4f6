package cleave.chaos.fault;

import cleave.chaos.history.Call;
import cleave.chaos.history.Change;
import cleave.chaos.history.EntityKey;
import cleave.chaos.history.Get;
import cleave.chaos.history.Operation;
import org.jspecify.annotations.Nullable;

/**
 * A request without an answer, or with an error that reveals nothing about the data. Immutable.
 *
 * @param key of the entity, or of the first one in the transaction or page; null for the scan of a table, which may be
 *     anywhere
 */
public record FailedRequest(Call call, @Nullable EntityKey key, String text) {
    /** For an operation that failed. */
    static FailedRequest of(Operation operation) {
        return new FailedRequest(operation.call(), keyOf(operation), operation.told());
    }

    /** The entity that an operation is about, or one of its partition; null for a page. */
    static @Nullable EntityKey keyOf(Operation operation) {
        if (operation instanceof Change change) {
            return change.writes().get(0).key();
        }
        return operation instanceof Get get ? get.key() : null;
    }

    @Override
    public String toString() {
        return call + " " + (key == null ? "scan" : key) + ": " + text;
    }
}
