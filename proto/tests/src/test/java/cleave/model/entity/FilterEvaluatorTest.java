package cleave.model.entity;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Key;
import cleave.model.entity.Filter.Operator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The rules of the Table service, one by one. */
final class FilterEvaluatorTest {
    private static final Key KEY = Key.of(1, "p", "r");
    private static final byte[] ENTITY = EntityCodec.encode(new Entity(
            1000,
            List.of(
                    new Property("Text", EdmType.STRING, "b"),
                    new Property("Flag", EdmType.BOOLEAN, true),
                    new Property("Off", EdmType.BOOLEAN, false),
                    new Property("Small", EdmType.INT32, 5),
                    new Property("Big", EdmType.INT64, 5L),
                    new Property("Real", EdmType.DOUBLE, 5.0),
                    new Property("NaN", EdmType.DOUBLE, Double.NaN))));

    private static boolean matches(String property, Operator operator, EdmType type, Object value) {
        return matches(new Filter.Compare(property, operator, new Literal(type, value)));
    }

    private static boolean matches(Filter filter) {
        return FilterEvaluator.matches(filter, KEY, ENTITY);
    }

    private static List<Operator> holding(String property, EdmType type, Object value) {
        return Stream.of(Operator.values())
                .filter(operator -> matches(property, operator, type, value))
                .toList();
    }

    @Test
    void missingPropertyFailsEveryComparison() {
        assertThat(holding("Missing", EdmType.INT32, 1)).isEmpty();
        assertThat(matches(new Filter.Flag("Missing"))).isFalse();
        assertThat(matches(new Filter.Not(new Filter.Flag("Missing")))).isTrue();
        assertThat(matches(new Filter.Not(new Filter.Compare("Missing", Operator.EQ, new Literal(EdmType.INT32, 1)))))
                .isTrue();
    }

    @Test
    void propertyOfAnotherTypeIsUnequalAndLess() {
        Operator[] ofMismatch = {Operator.NE, Operator.LT, Operator.LE};
        assertThat(holding("Text", EdmType.INT32, 1)).containsExactly(ofMismatch);
        assertThat(holding("Small", EdmType.INT64, 5L)).containsExactly(ofMismatch);
        assertThat(holding("Small", EdmType.DOUBLE, 5.0)).containsExactly(ofMismatch);
        assertThat(holding("Big", EdmType.DOUBLE, 5.0)).containsExactly(ofMismatch);
        assertThat(holding("PartitionKey", EdmType.INT32, 1)).containsExactly(ofMismatch);
        assertThat(holding("RowKey", EdmType.BOOLEAN, true)).containsExactly(ofMismatch);
        assertThat(holding("Timestamp", EdmType.INT64, 1000L)).containsExactly(ofMismatch);
    }

    @Test
    void numbersWidenTowardTheProperty() {
        Operator[] ofSame = {Operator.EQ, Operator.GE, Operator.LE};
        assertThat(holding("Big", EdmType.INT32, 5)).containsExactly(ofSame);
        assertThat(holding("Real", EdmType.INT32, 5)).containsExactly(ofSame);
        assertThat(holding("Real", EdmType.INT64, 5L)).containsExactly(ofSame);
        assertThat(holding("Real", EdmType.INT64, 6L)).containsExactly(Operator.NE, Operator.LT, Operator.LE);
        assertThat(holding("Big", EdmType.INT32, 4)).containsExactly(Operator.NE, Operator.GT, Operator.GE);
    }

    @Test
    void nothingComparesWithNaN() {
        assertThat(holding("NaN", EdmType.DOUBLE, 1.0)).containsExactly(Operator.NE);
        assertThat(holding("NaN", EdmType.DOUBLE, Double.NaN)).containsExactly(Operator.NE);
        assertThat(holding("Real", EdmType.DOUBLE, Double.NaN)).containsExactly(Operator.NE);
    }

    @Test
    void keysAndTimestampComeFromTheirPlaces() {
        assertThat(matches("PartitionKey", Operator.EQ, EdmType.STRING, "p")).isTrue();
        assertThat(matches("RowKey", Operator.EQ, EdmType.STRING, "r")).isTrue();
        assertThat(matches("RowKey", Operator.GT, EdmType.STRING, "q")).isTrue();
        assertThat(matches("Timestamp", Operator.EQ, EdmType.DATETIME, 1000L)).isTrue();
        assertThat(matches(new Filter.Flag("PartitionKey"))).isFalse();
    }

    @Test
    void keysCompareByCodePointsAndTextsAsUtf16() {
        String high = "\uD800\uDC00"; // U+10000: above U+FFFF as a code point, below it as UTF-16
        byte[] entity = EntityCodec.encode(new Entity(0, List.of(new Property("Text", EdmType.STRING, high))));
        Literal last = new Literal(EdmType.STRING, "\uFFFF");
        Filter onKey = new Filter.Compare("RowKey", Operator.GT, last);
        Filter onText = new Filter.Compare("Text", Operator.LT, last);
        assertThat(FilterEvaluator.matches(new Filter.And(onKey, onText), Key.of(1, "p", high), entity))
                .isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void flagsAreTrueBooleans(FlagCase flag) {
        assertThat(matches(new Filter.Flag(flag.property))).isEqualTo(flag == FlagCase.ON);
    }

    enum FlagCase {
        ON("Flag"),
        OFF("Off"),
        TEXT("Text"),
        NUMBER("Small");

        private final String property;

        FlagCase(String property) {
            this.property = property;
        }
    }

    @Test
    void deepestFiltersNeedNoStack() {
        Filter filter = new Filter.Flag("Flag");
        for (int i = 0; i < 100_000; i++) {
            filter = new Filter.Not(filter);
            filter = new Filter.And(filter, new Filter.Flag("Flag"));
        }
        assertThat(FilterEvaluator.of(filter).matches(KEY, ENTITY)).isTrue();
    }
}
