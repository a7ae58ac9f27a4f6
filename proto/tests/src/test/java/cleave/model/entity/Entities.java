package cleave.model.entity;

import cleave.model.Texts;
import cleave.model.Ticks;
import java.util.List;
import java.util.UUID;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import org.assertj.core.api.recursive.comparison.RecursiveComparisonConfiguration;

/** Generated entities. */
public final class Entities {
    /** Compares arrays by content, NaN as the same as NaN, and the two zeros as different. */
    public static final RecursiveComparisonConfiguration EXACTLY = RecursiveComparisonConfiguration.builder()
            .withEqualsForType(Double::equals, Double.class)
            .build();

    private Entities() {}

    /** Names from a small set, so that two entities, or an entity and a filter, often share one. */
    public static Arbitrary<String> names() {
        return Arbitraries.of("A", "B", "C", "a", "Name", "Größe", "\uD800\uDC00x", "AB");
    }

    public static Arbitrary<Entity> any() {
        Arbitrary<List<Property>> properties = properties().list().ofMaxSize(6).uniqueElements(Property::name);
        return Combinators.combine(times(), properties).as(Entity::new);
    }

    public static Arbitrary<Property> properties() {
        return Combinators.combine(names(), literals())
                .as((name, value) -> new Property(name, value.type(), value.value()));
    }

    public static Arbitrary<Literal> literals() {
        return Arbitraries.of(EdmType.values()).flatMap(type -> values(type).map(value -> new Literal(type, value)));
    }

    public static Arbitrary<?> values(EdmType type) {
        return switch (type) {
            case STRING -> Arbitraries.oneOf(Texts.few(3), Texts.any(20));
            case BINARY -> Arbitraries.bytes().array(byte[].class).ofMaxSize(6);
            case BOOLEAN -> Arbitraries.of(true, false);
            case INT32 ->
                Arbitraries.oneOf(Arbitraries.integers(), Arbitraries.integers().between(-2, 2));
            case INT64 ->
                Arbitraries.oneOf(Arbitraries.longs(), Arbitraries.longs().between(-2, 2));
            case DOUBLE ->
                Arbitraries.of(
                        0.0,
                        -0.0,
                        1.0,
                        2.0,
                        -2.0,
                        1.5,
                        Double.NaN,
                        Double.POSITIVE_INFINITY,
                        Double.NEGATIVE_INFINITY,
                        Double.MIN_VALUE,
                        Double.MAX_VALUE,
                        9.007199254740992e15);
            case DATETIME -> times();
            case GUID ->
                Combinators.combine(Arbitraries.longs(), Arbitraries.longs()).as((high, low) -> new UUID(high, low));
        };
    }

    public static Arbitrary<Long> times() {
        return Arbitraries.oneOf(Arbitraries.longs().between(Ticks.MIN, Ticks.MAX), Arbitraries.of(0L, 1L, 2L));
    }
}
