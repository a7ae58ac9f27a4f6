package cleave.chaos.lab;

import cleave.client.Continuation;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The entities that a query found, on one page or on several. Immutable.
 *
 * @param entities in the order of the answers
 * @param next where the next page begins; null: there is none
 */
public record QueryResult(
        List<LabEntity> entities, Cost cost, @Nullable Continuation next) {
    public QueryResult {
        entities = List.copyOf(entities);
    }

    /** This page and the next. */
    public QueryResult plus(QueryResult other) {
        List<LabEntity> all = new ArrayList<>(entities);
        all.addAll(other.entities);
        return new QueryResult(all, cost.plus(other.cost), other.next);
    }
}
