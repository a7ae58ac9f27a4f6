package cleave.model.entity;

import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Generated filters, over the names of {@link Entities}. */
public final class Filters {
    private Filters() {}

    public static Arbitrary<Filter> any(int depthMax) {
        if (depthMax == 0) {
            return leaves();
        }
        Arbitrary<Filter> part = any(depthMax - 1);
        return Arbitraries.oneOf(List.of(
                leaves(),
                Combinators.combine(part, part).as(Filter.And::new),
                Combinators.combine(part, part).as(Filter.Or::new),
                part.map(Filter.Not::new)));
    }

    public static Arbitrary<Filter> leaves() {
        Arbitrary<String> names =
                Arbitraries.oneOf(Entities.names(), Arbitraries.of("PartitionKey", "RowKey", "Timestamp", "Missing"));
        return Arbitraries.oneOf(List.of(
                Combinators.combine(names, Arbitraries.of(Filter.Operator.values()), Entities.literals())
                        .as(Filter.Compare::new),
                names.map(Filter.Flag::new)));
    }
}
