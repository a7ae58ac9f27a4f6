package cleave.frontend.protocol.odata;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Key;
import cleave.model.Limits;
import cleave.model.entity.EdmType;
import cleave.model.entity.Entity;
import cleave.model.entity.EntityCodec;
import cleave.model.entity.Filter;
import cleave.model.entity.Filter.And;
import cleave.model.entity.Filter.Compare;
import cleave.model.entity.Filter.Flag;
import cleave.model.entity.Filter.Not;
import cleave.model.entity.Filter.Operator;
import cleave.model.entity.FilterCodec;
import cleave.model.entity.FilterEvaluator;
import cleave.model.entity.Literal;
import cleave.model.entity.Property;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class FilterParserTest {
    private static final Filter A = eq("A", 1);
    private static final Filter B = eq("B", 2);
    private static final Filter C = eq("C", 3);

    private static Filter eq(String name, int value) {
        return new Compare(name, Operator.EQ, new Literal(EdmType.INT32, value));
    }

    static Stream<Arguments> filters() {
        return Stream.of(
                Arguments.of("  A   eq\t1\r\n  ", A),
                Arguments.of("TableName and A eq 1", new And(new Flag("TableName"), A)),
                Arguments.of("((((A eq 1))))", A),
                Arguments.of("not(A eq 1)", new Not(A)),
                Arguments.of("not not A eq 1", new Not(new Not(A))),
                Arguments.of("A eq 1 and(B eq 2)", new And(A, B)),
                Arguments.of("Flag and A eq 1", new And(new Flag("Flag"), A)),
                Arguments.of("(A) eq (1)", A),
                Arguments.of("5 ge Qty", new Compare("Qty", Operator.LE, new Literal(EdmType.INT32, 5))),
                Arguments.of("A eq 1 and B eq 2 and C eq 3", new And(new And(A, B), C)),
                Arguments.of("Größe_1 eq 1", eq("Größe_1", 1)));
    }

    static Stream<Arguments> constants() {
        Filter always = new Filter.Constant(true);
        Filter never = new Filter.Constant(false);
        return Stream.of(
                Arguments.of("(False)", never),
                Arguments.of("not true", never),
                Arguments.of("not not false", never),
                Arguments.of("true and A eq 1 and true and B eq 2", new And(A, B)),
                Arguments.of("A eq 1 and false and B eq 2", never),
                Arguments.of("A eq 1 or true or B eq 2", always),
                Arguments.of("true and true", always),
                Arguments.of("false or false", never),
                Arguments.of("(A eq 1 or true) and B eq 2", B),
                Arguments.of("not (A eq 1 and false)", always),
                Arguments.of("not (A eq 1 and true)", new Not(A)));
    }

    @ParameterizedTest
    @MethodSource("constants")
    void constantsRemainOnlyIfTheyAreAllThereIs(String text, Filter filter) {
        assertThat(FilterParser.parse(text)).isEqualTo(filter);
    }

    @ParameterizedTest
    @ValueSource(strings = {"false and (", "false and 5", "false and PartitionKey", "false and A eq null"})
    void aConstantHidesNoError(String text) {
        Refused.with(ServiceCode.INVALID_INPUT, () -> FilterParser.parse(text));
    }

    @ParameterizedTest
    @MethodSource("filters")
    void comparisonsBindTighterThanNotThanAndThanOr(String text, Filter filter) {
        assertThat(FilterParser.parse(text)).isEqualTo(filter);
    }

    static Stream<Arguments> literals() {
        return Stream.of(
                Arguments.of("''", EdmType.STRING, ""),
                Arguments.of("'and (or) not'", EdmType.STRING, "and (or) not"),
                Arguments.of("-42", EdmType.INT32, -42),
                Arguments.of("-2147483648", EdmType.INT32, Integer.MIN_VALUE),
                Arguments.of("2147483648", EdmType.INT64, 2147483648L),
                Arguments.of("-9223372036854775808L", EdmType.INT64, Long.MIN_VALUE),
                Arguments.of("4.0", EdmType.DOUBLE, 4.0),
                Arguments.of("-4.2e10", EdmType.DOUBLE, -4.2e10),
                Arguments.of("1E-5", EdmType.DOUBLE, 1e-5),
                Arguments.of("1e+5", EdmType.DOUBLE, 1e5),
                Arguments.of("NaN", EdmType.DOUBLE, Double.NaN),
                Arguments.of("-INF", EdmType.DOUBLE, Double.NEGATIVE_INFINITY),
                Arguments.of("False", EdmType.BOOLEAN, false),
                Arguments.of("datetime'1970-01-01T00:00:00.0000001Z'", EdmType.DATETIME, 1L),
                Arguments.of(
                        "guid'A455C695-df98-5678-aaaa-81d3367e5a34'",
                        EdmType.GUID,
                        UUID.fromString("a455c695-df98-5678-aaaa-81d3367e5a34")));
    }

    @ParameterizedTest
    @MethodSource("literals")
    void literalsHaveTheTypesOfTheirForms(String text, EdmType type, Object value) {
        assertThat(FilterParser.parse("P eq " + text))
                .isEqualTo(new Compare("P", Operator.EQ, new Literal(type, value)));
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "A eq,4",
                "A eq 1 and,10",
                "(A eq 1,7",
                "A eq 1),7",
                "A eq 1 eq 2,9",
                "A eq 12x,8",
                "A eq guid'1',12",
                "A eq datetime'yesterday',24",
                "A eq X'0',9",
                "A eq foo'x',11",
                "A eq 99999999999999999999,25",
                "A eq 1e999,10",
                "A-B eq 1,3",
                "A/B eq 1,2",
                "=,1",
                "(),2",
            })
    void syntaxErrorsNameTheEndOfTheOffendingWord(String text, int position) {
        ServiceError error = Refused.with(ServiceCode.INVALID_INPUT, () -> FilterParser.parse(text));
        assertThat(error.text()).isEqualTo("Syntax error at position " + position + " in '" + text + "'.");
    }

    static Stream<Arguments> strayCharacters() {
        return Stream.of(
                Arguments.of("#", "#", 0),
                Arguments.of("A eq 1 and %B", "%", 11),
                Arguments.of("A & B", "&", 2),
                Arguments.of("A eq \u201cx\u201d", "\u201c", 5),
                Arguments.of("A eq \ud83d\ude00", "\ud83d\ude00", 5));
    }

    @ParameterizedTest
    @MethodSource("strayCharacters")
    void aStrayCharacterIsNamedAndWhereItStands(String text, String character, int position) {
        ServiceError error = Refused.with(ServiceCode.INVALID_INPUT, () -> FilterParser.parse(text));
        assertThat(error.text())
                .isEqualTo("Syntax error: character '" + character + "' is not valid at position " + position + " in '"
                        + text + "'.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"A eq 'open", "A eq 'it''", "'", "A eq datetime'2000", "A eq 1'x"})
    void aTextWithoutItsEndIsNamedAsThat(String text) {
        ServiceError error = Refused.with(ServiceCode.INVALID_INPUT, () -> FilterParser.parse(text));
        assertThat(error.text())
                .isEqualTo(
                        "There is an unterminated string literal at position " + text.length() + " in '" + text + "'.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'a' eq 'a'",
                "substringof('a',B) eq true",
                "A eq 1 add 2",
                "3 lt A mul 2",
                "A in 1",
                "A has 1",
                "true eq true",
                "(A eq 1) eq true",
                "(true and true) eq A"
            })
    void whatTheServiceDoesNotHaveIsNotImplemented(String text) {
        ServiceError error = Refused.with(ServiceCode.NOT_IMPLEMENTED, () -> FilterParser.parse(text));
        assertThat(error.status()).isEqualTo(501);
        assertThat(error.text()).isEqualTo("The requested operation is not implemented on the specified resource.");
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "(PartitionKey) and (A eq 1),Edm.String,Edm.Boolean,And",
                "A eq 1 and RowKey,Edm.Boolean,Edm.String,And",
                "A or Timestamp,Edm.Boolean,Edm.DateTime,Or",
                "A and 5,Edm.Boolean,Edm.Int32,And",
            })
    void keysAreNoClaims(String text, String left, String right, String kind) {
        assertThat(Refused.with(ServiceCode.INVALID_INPUT, () -> FilterParser.parse(text))
                        .text())
                .isEqualTo("A binary operator with incompatible types was detected. Found operand types '" + left
                        + "' and '" + right + "' for operator kind '" + kind + "'.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PartitionKey", "not RowKey", "5", "'a'", "null", "not null"})
    void whatIsNoClaimIsNoFilter(String text) {
        Refused.with(ServiceCode.INVALID_INPUT, () -> FilterParser.parse(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"(", "not ", "not(", "A eq 1 and (", "((", "'", "A or not "})
    void endlessNestingIsRefusedAndNoStackOverflows(String piece) {
        Refused.with(ServiceCode.INVALID_INPUT, () -> FilterParser.parse(piece.repeat(100_000)));
        Refused.with(ServiceCode.INVALID_INPUT, () -> FilterParser.parse(piece.repeat(5_000)));
        Refused.with(ServiceCode.INVALID_INPUT, () -> FilterParser.parse(piece.repeat(301)));
    }

    @ParameterizedTest
    @ValueSource(strings = {" and ", " or "})
    void longChainsAreFineUpToABound(String connective) {
        Filter filter = FilterParser.parse(chain(FilterParser.COMPARISONS_MAX, connective));
        assertThat(FilterCodec.fromWire(FilterCodec.toWire(filter))).isEqualTo(filter);
        Refused.with(
                ServiceCode.INVALID_INPUT,
                () -> FilterParser.parse(chain(FilterParser.COMPARISONS_MAX + 1, connective)));
    }

    private static String chain(int length, String connective) {
        return IntStream.range(0, length).mapToObj(i -> "A eq " + i).collect(Collectors.joining(connective));
    }

    @Test
    void chainsThatClientsPutInParenthesesAreNotDeep() {
        int nesting = FilterParser.NESTING_MAX;
        String text = "(".repeat(nesting) + "A eq 1" + " or A eq 1)".repeat(nesting);
        assertGoesOverTheWire(FilterParser.parse(text));
        Refused.with(ServiceCode.INVALID_INPUT, () -> FilterParser.parse("(" + text + ")"));
    }

    @Test
    void whatIsTooDeepToTravelIsRefusedHere() {
        int depth = Limits.FILTER_DEPTH_MAX;
        assertGoesOverTheWire(FilterParser.parse("not ".repeat(depth - 1) + "A eq 1"));
        Refused.with(ServiceCode.INVALID_INPUT, () -> FilterParser.parse("not ".repeat(depth) + "A eq 1"));
        String alternating = "(A eq 1 or (A eq 1 and ".repeat(140) + "A eq 1" + "))".repeat(140);
        Refused.with(ServiceCode.INVALID_INPUT, () -> FilterParser.parse(alternating));
        assertGoesOverTheWire(FilterParser.parse("(A eq 1 or (A eq 1 and ".repeat(90) + "A eq 1" + "))".repeat(90)));
    }

    private static void assertGoesOverTheWire(Filter filter) {
        byte[] entity = EntityCodec.encode(new Entity(1, List.of(new Property("A", EdmType.INT32, 1))));
        Key key = Key.of(1, "p", "r");
        Filter arrived = FilterCodec.fromWire(FilterCodec.toWire(filter));
        assertThat(FilterEvaluator.matches(arrived, key, entity))
                .isEqualTo(FilterEvaluator.matches(filter, key, entity));
    }

    private static final String DEEPEST =
            "(".repeat(FilterParser.NESTING_MAX) + "A eq 1" + ")".repeat(FilterParser.NESTING_MAX);

    @Test
    void deepestNestingFitsASmallStack() throws InterruptedException {
        onSmallStack(() -> FilterParser.parse(DEEPEST));
    }

    /** A thread that runs out of room in the middle of a filter, each time a little later. */
    @Test
    void whereThereIsNoRoomForTheDeepestItIsTooComplexAndNothingWorse() throws InterruptedException {
        // Classes that are loaded for the first time must not run out of room.
        FilterParser.parse(DEEPEST);
        Refused.with(ServiceCode.INVALID_INPUT, () -> FilterParser.parse("(" + DEEPEST + ")"));
        AtomicInteger read = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();

        onSmallStack(() -> readFromTheBottomUp(0, read, refused));

        assertThat(refused.get()).isPositive();
        assertThat(read.get()).isPositive();
    }

    private static void readFromTheBottomUp(int frame, AtomicInteger read, AtomicInteger refused) {
        try {
            if (frame < 1_000_000) { // More than there is room for.
                readFromTheBottomUp(frame + 1, read, refused);
            }
        } catch (StackOverflowError bottom) {
            // Or not even room for a refusal: there is more from here on.
        }
        if (frame % 16 != 0) {
            return;
        }
        try {
            FilterParser.parse(DEEPEST);
            read.incrementAndGet();
        } catch (ServiceError error) {
            refused.incrementAndGet();
        }
    }

    private static void onSmallStack(Runnable work) throws InterruptedException {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread small = new Thread(null, work, "small", 512 * 1024);
        small.setUncaughtExceptionHandler((thread, thrown) -> failure.set(thrown));
        small.start();
        small.join();
        assertThat(failure.get()).isNull();
    }

    @Test
    void loneSurrogatesAreRefused() {
        Refused.with(ServiceCode.INVALID_INPUT, () -> FilterParser.parse("A eq '\ud800'"));
    }
}
