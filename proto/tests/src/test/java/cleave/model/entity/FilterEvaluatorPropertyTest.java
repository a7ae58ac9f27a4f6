package cleave.model.entity;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Key;
import cleave.model.Texts;
import java.util.Arrays;
import java.util.HexFormat;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;

/** The evaluator against the rules written down naively, on decoded entities. */
final class FilterEvaluatorPropertyTest {
    @Provide
    Arbitrary<Entity> entities() {
        return Entities.any();
    }

    @Provide
    Arbitrary<Filter> filters() {
        return Filters.any(3);
    }

    @Provide
    Arbitrary<Filter> leaves() {
        return Filters.leaves();
    }

    @Provide
    Arbitrary<String> texts() {
        return Arbitraries.oneOf(Texts.few(2), Texts.keys(4));
    }

    @Property(tries = 5000)
    void comparisonsOnBytesAgreeWithThoseOnValues(
            @ForAll("leaves") Filter filter,
            @ForAll("entities") Entity entity,
            @ForAll("texts") String partition,
            @ForAll("texts") String row) {
        agree(filter, entity, partition, row);
    }

    @Property(tries = 3000)
    void filtersOnBytesAgreeWithThoseOnValues(
            @ForAll("filters") Filter filter,
            @ForAll("entities") Entity entity,
            @ForAll("texts") String partition,
            @ForAll("texts") String row) {
        agree(filter, entity, partition, row);
        assertThat(FilterCodec.fromWire(FilterCodec.toWire(filter)))
                .satisfies(sent -> agree(sent, entity, partition, row));
    }

    private static void agree(Filter filter, Entity entity, String partition, String row) {
        boolean actual = FilterEvaluator.matches(filter, Key.of(9, partition, row), EntityCodec.encode(entity));
        assertThat(actual).as("%s on %s", filter, entity).isEqualTo(matches(filter, entity, partition, row));
    }

    private static boolean matches(Filter filter, Entity entity, String partition, String row) {
        if (filter instanceof Filter.And and) {
            return matches(and.left(), entity, partition, row) && matches(and.right(), entity, partition, row);
        }
        if (filter instanceof Filter.Or or) {
            return matches(or.left(), entity, partition, row) || matches(or.right(), entity, partition, row);
        }
        if (filter instanceof Filter.Not not) {
            return !matches(not.operand(), entity, partition, row);
        }
        if (filter instanceof Filter.Flag flag) {
            cleave.model.entity.Property found = property(flag.property(), entity, partition, row);
            return found != null && Boolean.TRUE.equals(found.value());
        }
        Filter.Compare compare = (Filter.Compare) filter;
        cleave.model.entity.Property found = property(compare.property(), entity, partition, row);
        if (found == null) {
            return false;
        }
        boolean isKey = compare.property().endsWith("Key");
        Integer order = order(found, compare.literal(), isKey);
        if (order == null) {
            return switch (compare.operator()) {
                case NE, LT, LE -> true;
                case EQ, GT, GE -> false;
            };
        }
        boolean isNaN = Double.valueOf(Double.NaN).equals(found.value())
                || Double.valueOf(Double.NaN).equals(compare.literal().value());
        if (isNaN) {
            return compare.operator() == Filter.Operator.NE;
        }
        return switch (compare.operator()) {
            case EQ -> order == 0;
            case NE -> order != 0;
            case GT -> order > 0;
            case GE -> order >= 0;
            case LT -> order < 0;
            case LE -> order <= 0;
        };
    }

    private static cleave.model.entity.@Nullable Property property(
            String name, Entity entity, String partition, String row) {
        return switch (name) {
            case "PartitionKey" -> new cleave.model.entity.Property(name, EdmType.STRING, partition);
            case "RowKey" -> new cleave.model.entity.Property(name, EdmType.STRING, row);
            case "Timestamp" -> new cleave.model.entity.Property(name, EdmType.DATETIME, entity.timestamp());
            default -> entity.property(name);
        };
    }

    /** Null: of types that do not compare. */
    private static @Nullable Integer order(cleave.model.entity.Property property, Literal literal, boolean isKey) {
        boolean widens = (property.type() == EdmType.INT64 && literal.type() == EdmType.INT32)
                || (property.type() == EdmType.DOUBLE
                        && (literal.type() == EdmType.INT32 || literal.type() == EdmType.INT64));
        if (property.type() != literal.type() && !widens) {
            return null;
        }
        Object left = property.value();
        Object right = literal.value();
        return switch (property.type()) {
            case STRING ->
                isKey ? byCodePoints((String) left, (String) right) : ((String) left).compareTo((String) right);
            case BINARY ->
                HexFormat.of().formatHex((byte[]) left).compareTo(HexFormat.of().formatHex((byte[]) right));
            case BOOLEAN -> Boolean.compare((Boolean) left, (Boolean) right);
            case INT32, INT64, DATETIME -> Long.compare(((Number) left).longValue(), ((Number) right).longValue());
            case DOUBLE -> Double.compare(((Number) left).doubleValue() + 0.0, ((Number) right).doubleValue() + 0.0);
            case GUID -> left.toString().compareTo(right.toString());
        };
    }

    private static int byCodePoints(String a, String b) {
        return Arrays.compare(a.codePoints().toArray(), b.codePoints().toArray());
    }
}
