package cleave.frontend.routing;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.entity.EdmType;
import cleave.model.entity.Entity;
import cleave.model.entity.EntityCodec;
import cleave.model.entity.Filter;
import cleave.model.entity.FilterEvaluator;
import cleave.model.entity.Literal;
import cleave.model.entity.Property;
import cleave.model.table.Registry;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Provide;

/**
 * No entity that a filter matches is outside the bounds that were derived from it, whatever they cost; and where the filter is left out, all in
 * them match it.
 */
class QueryPlanPropertyTest {
    private static final long TABLE = 5;

    @Provide
    Arbitrary<String> keys() {
        return Arbitraries.of("", "a", "ab", "a b", "b", "ba", "B", "\u00fc", "\uffee", "\ud83d\ude00", "z");
    }

    @Provide
    Arbitrary<String> names() {
        return Arbitraries.of("abc", "ABC", "aBc", "abd", "Abd", "abz", "aBZ", "b23", "B23", "zzz", "ZZZ");
    }

    private Arbitrary<Literal> literals(Arbitrary<String> texts) {
        Arbitrary<Literal> ofText = texts.map(text -> new Literal(EdmType.STRING, text));
        Arbitrary<Literal> withZero = texts.map(text -> new Literal(EdmType.STRING, text + "\0b"));
        return Arbitraries.frequencyOf(
                net.jqwik.api.Tuple.of(8, ofText),
                net.jqwik.api.Tuple.of(1, withZero),
                net.jqwik.api.Tuple.of(1, Arbitraries.just(new Literal(EdmType.INT32, 5))),
                net.jqwik.api.Tuple.of(1, Arbitraries.just(new Literal(EdmType.GUID, new UUID(1, 2)))));
    }

    private Arbitrary<Filter> filters(Arbitrary<String> properties, Arbitrary<String> texts) {
        Arbitrary<Filter> leaf = Combinators.combine(properties, Arbitraries.of(Filter.Operator.class), literals(texts))
                .as(Filter.Compare::new);
        return tree(leaf, 4);
    }

    private static Arbitrary<Filter> tree(Arbitrary<Filter> leaf, int depth) {
        if (depth == 0) {
            return leaf;
        }
        Arbitrary<Filter> below = tree(leaf, depth - 1);
        Arbitrary<Filter> and = Combinators.combine(below, below).as(Filter.And::new);
        Arbitrary<Filter> or = Combinators.combine(below, below).as(Filter.Or::new);
        Arbitrary<Filter> not = below.map(Filter.Not::new);
        return Arbitraries.frequencyOf(
                net.jqwik.api.Tuple.of(2, leaf),
                net.jqwik.api.Tuple.of(4, and),
                net.jqwik.api.Tuple.of(3, or),
                net.jqwik.api.Tuple.of(1, not));
    }

    @Provide
    Arbitrary<Filter> entityFilters() {
        return filters(
                Arbitraries.frequencyOf(
                        net.jqwik.api.Tuple.of(4, Arbitraries.just("PartitionKey")),
                        net.jqwik.api.Tuple.of(4, Arbitraries.just("RowKey")),
                        net.jqwik.api.Tuple.of(1, Arbitraries.just("A"))),
                keys());
    }

    @Provide
    Arbitrary<Filter> tableFilters() {
        return filters(Arbitraries.just("TableName"), names());
    }

    @net.jqwik.api.Property(tries = 3000)
    void boundsHoldEveryMatch(
            @ForAll("entityFilters") Filter filter,
            @ForAll("keys") String partitionKey,
            @ForAll("keys") String rowKey,
            @ForAll("keys") String value) {
        Key key = Key.of(TABLE, partitionKey, rowKey);
        byte[] entity = EntityCodec.encode(new Entity(1, List.of(new Property("A", EdmType.STRING, value))));
        assertHolds(filter, key, FilterEvaluator.matches(filter, key, entity));
    }

    private static void assertHolds(Filter filter, Key key, boolean matches) {
        QueryPlan plan = QueryPlan.ofEntities(TABLE, filter, null);
        KeyRange range = plan.range();
        boolean isInside = range != null && range.contains(key);
        assertThat(isInside || !matches).as("%s holds %s", range, key).isTrue();
        assertThat(matches || !isInside || plan.filter() != null)
                .as("%s holds %s, and no filter is left", range, key)
                .isTrue();
    }

    /** As most queries have them; above, few filters are of keys alone. */
    @net.jqwik.api.Property(tries = 3000)
    void boundsOfOnePartitionAreExact(
            @ForAll("keys") String partition,
            @ForAll("keyComparisons") List<Filter> comparisons,
            @ForAll("keys") String partitionKey,
            @ForAll("keys") String rowKey) {
        Filter filter = new Filter.Compare("PartitionKey", Filter.Operator.EQ, new Literal(EdmType.STRING, partition));
        for (Filter comparison : comparisons) {
            filter = new Filter.And(filter, comparison);
        }
        byte[] entity = EntityCodec.encode(new Entity(1, List.of()));
        for (String other : List.of(partition, partitionKey)) {
            Key key = Key.of(TABLE, other, rowKey);
            assertHolds(filter, key, FilterEvaluator.matches(filter, key, entity));
        }
    }

    @Provide
    Arbitrary<List<Filter>> keyComparisons() {
        return Combinators.combine(
                        Arbitraries.of("PartitionKey", "RowKey", "RowKey", "RowKey"),
                        Arbitraries.of(Filter.Operator.class),
                        literals(keys()))
                .as((property, operator, literal) -> (Filter) new Filter.Compare(property, operator, literal))
                .list()
                .ofMaxSize(3);
    }

    @net.jqwik.api.Property(tries = 1000)
    void boundsStayInTheTable(@ForAll("entityFilters") Filter filter) {
        QueryPlan plan = QueryPlan.ofEntities(TABLE, filter, null);
        if (plan.range() != null) {
            assertThat(KeyRange.ofTable(TABLE).contains(plan.range())).isTrue();
        }
    }

    @net.jqwik.api.Property(tries = 3000)
    void boundsOfTableListsHoldEveryMatch(@ForAll("tableFilters") Filter filter, @ForAll("names") String name) {
        QueryPlan plan = QueryPlan.ofTables("acct", filter, null);
        Key key = Registry.key("acct", name);
        byte[] entry = EntityCodec.encode(new Registry(9, name, false).toEntity());
        if (FilterEvaluator.matches(Objects.requireNonNull(plan.filter()), key, entry)) {
            assertThat(plan.range()).isNotNull().matches(range -> range.contains(key), "holds " + key);
        }
    }
}
