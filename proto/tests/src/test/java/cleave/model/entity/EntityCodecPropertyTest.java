package cleave.model.entity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.model.Damaged;
import cleave.model.Key;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

final class EntityCodecPropertyTest {
    private static final Key KEY = Key.of(3, "p\uD800\uDC00é", "r");

    @Provide
    Arbitrary<Entity> entities() {
        return Entities.any();
    }

    @Provide
    Arbitrary<List<String>> names() {
        return Entities.names().list().ofMinSize(1).ofMaxSize(4);
    }

    @Property
    void entityComesBackFromItsBytes(@ForAll("entities") Entity entity) {
        byte[] bytes = EntityCodec.encode(entity);
        assertThat(EntityCodec.decode(bytes))
                .usingRecursiveComparison(Entities.EXACTLY)
                .isEqualTo(entity);
        assertThat(EntityCodec.problem(bytes)).isNull();
        assertThat(EntityCodec.timestamp(bytes)).isEqualTo(entity.timestamp());
        assertThat(EntityCodec.propertyCount(bytes))
                .isEqualTo(entity.properties().size());
    }

    @Property
    void stampChangesTheTimestampAlone(@ForAll("entities") Entity entity, @ForAll long ticks) {
        byte[] bytes = EntityCodec.encode(entity);
        EntityCodec.stampTimestamp(bytes, ticks);
        assertThat(bytes).isEqualTo(EntityCodec.encode(new Entity(ticks, entity.properties())));
    }

    @Property
    void mergeReplacesWhatTheChangesNameAndAppendsTheRest(
            @ForAll("entities") Entity stored, @ForAll("entities") Entity changes) {
        Map<String, cleave.model.entity.Property> expected = new LinkedHashMap<>();
        stored.properties().forEach(property -> expected.put(property.name(), property));
        changes.properties().forEach(property -> expected.put(property.name(), property));
        byte[] merged = EntityCodec.merge(EntityCodec.encode(stored), EntityCodec.encode(changes));
        assertThat(merged)
                .isEqualTo(EntityCodec.encode(new Entity(stored.timestamp(), new ArrayList<>(expected.values()))));
    }

    @Property
    void selectKeepsTheNamedPropertiesInStoredOrder(
            @ForAll("entities") Entity stored, @ForAll("names") List<String> names) {
        List<cleave.model.entity.Property> expected = stored.properties().stream()
                .filter(property -> names.contains(property.name()))
                .toList();
        byte[] selected = Projection.of(names).apply(EntityCodec.encode(stored));
        assertThat(selected).isEqualTo(EntityCodec.encode(new Entity(stored.timestamp(), expected)));
    }

    @Property
    void sizeFollowsTheFormula(@ForAll("entities") Entity entity) {
        int expected = 4 + 2 * (KEY.partitionKey().length() + KEY.rowKey().length());
        for (cleave.model.entity.Property property : entity.properties()) {
            expected += 8 + 2 * property.name().length() + valueSize(property);
        }
        assertThat(EntityCodec.size(KEY, EntityCodec.encode(entity))).isEqualTo(expected);
    }

    private static int valueSize(cleave.model.entity.Property property) {
        return switch (property.type()) {
            case STRING -> 4 + 2 * ((String) property.value()).length();
            case BINARY -> 4 + ((byte[]) property.value()).length;
            case BOOLEAN -> 1;
            case INT32 -> 4;
            case INT64, DOUBLE, DATETIME -> 8;
            case GUID -> 16;
        };
    }

    @Provide
    Arbitrary<byte[]> damaged() {
        Arbitrary<byte[]> junk = Arbitraries.bytes().array(byte[].class).ofMaxSize(40);
        Arbitrary<byte[]> changed = Entities.any()
                .map(EntityCodec::encode)
                .flatMap(bytes -> Arbitraries.integers()
                        .between(0, bytes.length - 1)
                        .flatMap(at -> Arbitraries.bytes().map(value -> {
                            bytes[at] = value;
                            return bytes;
                        })));
        Arbitrary<byte[]> cut = Entities.any()
                .map(EntityCodec::encode)
                .flatMap(bytes -> Arbitraries.integers()
                        .between(0, bytes.length)
                        .map(length -> java.util.Arrays.copyOf(bytes, length)));
        return Arbitraries.oneOf(junk, changed, cut);
    }

    @Property(tries = 5000)
    void anyBytesAreAnEntityOrDamagedAndNeverABug(@ForAll("damaged") byte[] bytes, @ForAll("entities") Entity other) {
        byte[] good = EntityCodec.encode(other);
        if (EntityCodec.isWellFormed(bytes)) {
            assertThat(EntityCodec.encode(EntityCodec.decode(bytes))).isEqualTo(bytes);
        }
        runs(() -> EntityCodec.decode(bytes));
        runs(() -> EntityCodec.timestamp(bytes));
        runs(() -> EntityCodec.stampTimestamp(bytes, 1));
        runs(() -> EntityCodec.propertyCount(bytes));
        runs(() -> EntityCodec.merge(bytes, good));
        runs(() -> EntityCodec.merge(good, bytes));
        runs(() -> Projection.of(List.of("A")).apply(bytes));
        runs(() -> EntityCodec.size(KEY, bytes));
        runs(() -> FilterEvaluator.matches(new Filter.Flag("A"), KEY, bytes));
    }

    private static void runs(Runnable use) {
        try {
            use.run();
        } catch (Damaged answer) {
            assertThat(answer).hasMessageMatching("(?s).+");
        }
    }

    @Property
    void bytesThatAreCutAreNotWellFormed(@ForAll("entities") Entity entity) {
        byte[] bytes = EntityCodec.encode(entity);
        byte[] cut = java.util.Arrays.copyOf(bytes, bytes.length - 1);
        assertThat(EntityCodec.isWellFormed(cut)).isFalse();
        assertThatThrownBy(() -> EntityCodec.decode(cut)).isInstanceOf(Damaged.class);
        assertThat(EntityCodec.isWellFormed(java.util.Arrays.copyOf(bytes, bytes.length + 1)))
                .isFalse();
    }
}
