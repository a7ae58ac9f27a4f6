package cleave.chaos.history;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One entity of a store that does one thing at a time: what each operation makes of it, and which answers are true. Immutable.
 *
 * <p>The ETag that a write of unknown outcome gave is not known until somebody reads it: it stands as {@code ?} and binds to
 * the first one read. A condition on an ETag can only name one that was told, so it never meets an unbound one.
 *
 * @param properties null when there is no entity
 * @param etag empty when there is no entity
 */
record EntityState(@Nullable Map<String, String> properties, String etag) {
    static final EntityState ABSENT = new EntityState(null, "");

    private static final String UNBOUND = "?";

    /** The state after the operation, if its result is true of this state; else null. */
    @Nullable
    EntityState step(Operation operation) {
        EntityState after = after(operation);
        return switch (operation.result().outcome()) {
            case UNKNOWN -> after == null ? this : after;
            case DONE -> operation.kind() == OperationKind.GET ? seenBy(operation) : after;
            case EXISTS -> refuses(properties != null && operation.kind() == OperationKind.INSERT);
            case MISSING -> refuses(properties == null && needsEntity(operation.kind()));
            case CONDITION_FAILED ->
                refuses(properties != null && !operation.ifMatch().isEmpty() && !meets(operation));
            case NOT_EXECUTED, WRONG -> null;
        };
    }

    private @Nullable EntityState refuses(boolean isTrue) {
        return isTrue ? this : null;
    }

    private @Nullable EntityState seenBy(Operation get) {
        Result seen = get.result();
        if (properties == null || !properties.equals(seen.properties())) {
            return null;
        }
        if (etag.equals(UNBOUND)) {
            return new EntityState(properties, seen.etag());
        }
        return etag.equals(seen.etag()) ? this : null;
    }

    /** The state after a write that is executed here; null if this state refuses it. */
    private @Nullable EntityState after(Operation write) {
        return switch (write.kind()) {
            case GET -> this;
            case INSERT -> properties == null ? written(write.properties(), write) : null;
            case INSERT_OR_REPLACE -> written(write.properties(), write);
            case INSERT_OR_MERGE -> written(merged(write), write);
            case REPLACE -> meets(write) ? written(write.properties(), write) : null;
            case MERGE -> meets(write) ? written(merged(write), write) : null;
            case DELETE -> meets(write) ? ABSENT : null;
        };
    }

    private boolean meets(Operation write) {
        return properties != null
                && (write.ifMatch().isEmpty() || write.ifMatch().equals(etag));
    }

    private static EntityState written(Map<String, String> properties, Operation write) {
        boolean told = write.result().outcome() == Outcome.DONE;
        return new EntityState(properties, told ? write.result().etag() : UNBOUND);
    }

    private Map<String, String> merged(Operation write) {
        Map<String, String> merged = new TreeMap<>();
        if (properties != null) {
            merged.putAll(properties);
        }
        merged.putAll(write.properties());
        return merged;
    }

    private static boolean needsEntity(OperationKind kind) {
        return switch (kind) {
            case REPLACE, MERGE, DELETE, GET -> true;
            case INSERT, INSERT_OR_REPLACE, INSERT_OR_MERGE -> false;
        };
    }

    @Override
    public String toString() {
        return properties == null ? "nothing" : properties + " " + etag;
    }
}
