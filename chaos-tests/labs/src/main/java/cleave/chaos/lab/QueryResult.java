package cleave.chaos.lab;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a query found, on one page or on several. Immutable.
 *
 * @param entities in the order of the answers
 * @param token where the next page begins; null: there is none
 */
public record QueryResult(
        List<LabEntity> entities, Cost cost, @Nullable Token token) {
    public QueryResult {
        entities = List.copyOf(entities);
    }

    /** The continuation token of a page: the first key of the next one. Immutable. */
    public record Token(String partitionKey, String rowKey) {}

    /** This page and the next. */
    public QueryResult plus(QueryResult next) {
        List<LabEntity> all = new ArrayList<>(entities);
        all.addAll(next.entities);
        return new QueryResult(all, cost.plus(next.cost), next.token);
    }

    /** The values of a property that is a number, in the order of the answers. */
    public List<Integer> numbers(String property) {
        return entities.stream().map(entity -> (int) entity.number(property)).toList();
    }

    public List<String> rowKeys() {
        return entities.stream().map(LabEntity::row).toList();
    }

    public int size() {
        return entities.size();
    }
}
