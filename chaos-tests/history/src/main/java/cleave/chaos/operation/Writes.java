package cleave.chaos.operation;

import cleave.chaos.history.Change;
import cleave.chaos.history.EntityKey;
import cleave.chaos.history.Get;
import cleave.chaos.history.Operation;
import cleave.chaos.history.OperationKind;
import cleave.chaos.history.Outcome;
import cleave.chaos.history.Page;
import cleave.chaos.history.Write;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;

/**
 * Creates writes with new property values and with conditions: any entity, the last known ETag, or the one before it.
 * Confined to its owner.
 */
public final class Writes {
    private final Supplier<String> newValue;
    private final Map<EntityKey, String> newest = new HashMap<>();
    private final Map<EntityKey, String> older = new HashMap<>();

    /** @param newValue never returns a value twice */
    public Writes(Supplier<String> newValue) {
        this.newValue = newValue;
    }

    public Write next(EntityKey key, OperationKind kind, Random random) {
        return switch (kind) {
            case DELETE -> new Write(key, kind, Map.of(), condition(key, random));
            case REPLACE -> new Write(key, kind, Map.of("A", newValue.get()), condition(key, random));
            case MERGE -> new Write(key, kind, eitherProperty(random), condition(key, random));
            case INSERT_OR_MERGE -> new Write(key, kind, eitherProperty(random), "");
            case INSERT, INSERT_OR_REPLACE -> new Write(key, kind, Map.of("A", newValue.get()), "");
            case GET -> throw new AssertionError("a read is no write");
        };
    }

    private Map<String, String> eitherProperty(Random random) {
        return Map.of(random.nextBoolean() ? "A" : "B", newValue.get());
    }

    private String condition(EntityKey key, Random random) {
        int dice = random.nextInt(10);
        return dice < 5 ? "" : (dice < 8 ? newest : older).getOrDefault(key, "");
    }

    /** Learns the ETags that an operation returned. */
    public void told(Operation operation) {
        if (operation.outcome() != Outcome.DONE) {
            return;
        }
        if (operation instanceof Change change) {
            for (int i = 0; i < change.writes().size(); i++) {
                told(change.writes().get(i).key(), change.etags().get(i));
            }
        } else if (operation instanceof Get get) {
            told(get.key(), get.result().etag());
        } else if (operation instanceof Page page) {
            page.rows().forEach(row -> told(row.key(), row.result().etag()));
        }
    }

    private void told(EntityKey key, String etag) {
        String before = etag.isEmpty() ? null : newest.put(key, etag);
        if (before != null && !before.equals(etag)) {
            older.put(key, before);
        }
    }
}
