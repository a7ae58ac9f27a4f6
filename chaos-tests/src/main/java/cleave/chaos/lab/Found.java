package cleave.chaos.lab;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a query found. Immutable.
 *
 * @param entities in the order of the answers
 * @param requests that it took
 * @param bytes of the bodies of all answers
 * @param token where the next page begins; null: there is none
 */
public record Found(
        List<Map<String, @Nullable Object>> entities,
        int requests,
        long bytes,
        Cost cost,
        @Nullable Token token) {
    public Found {
        entities = List.copyOf(entities);
    }

    /** The continuation token of a page: the first key of the next one. Immutable. */
    public record Token(String partitionKey, String rowKey) {}

    /** This page and the next. */
    public Found and(Found next) {
        List<Map<String, @Nullable Object>> all = new ArrayList<>(entities);
        all.addAll(next.entities);
        return new Found(all, requests + next.requests, bytes + next.bytes, cost.and(next.cost), next.token);
    }

    /** The values of a property, as text. */
    public List<String> all(String property) {
        return entities.stream()
                .map(entity -> Objects.toString(entity.get(property)))
                .toList();
    }

    public int size() {
        return entities.size();
    }
}
