package cleave.frontend.protocol.odata;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.entity.EdmType;
import cleave.model.entity.Filter;
import cleave.model.entity.Literal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QueryOptionsTest {
    private static QueryOptions entities(String raw) {
        return QueryOptions.ofEntityQuery(QueryString.parse(raw));
    }

    @ParameterizedTest
    @ValueSource(strings = {"$filter=A+eq+'x%2By'", "$filter=A%20eq%20%27x%2By%27", "%24filter=A%20eq%20'x%2By'"})
    void plusIsASpaceInAQueryAndItsEscapeAPlus(String raw) {
        assertThat(entities(raw).filter())
                .isEqualTo(new Filter.Compare("A", Filter.Operator.EQ, new Literal(EdmType.STRING, "x+y")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"$filter=", "$filter=%20", "$filter"})
    void emptyFilterIsNone(String raw) {
        assertThat(entities(raw).filter()).isNull();
        assertThat(QueryOptions.ofPointGet(QueryString.parse(raw)).filter()).isNull();
    }

    @ParameterizedTest
    @CsvSource({"0,0", "1,1", "1000,1000", "007,7"})
    void topIsUpToAThousand(String text, int top) {
        assertThat(entities("$top=" + text).top()).isEqualTo(top);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "1001", "99999999999999999999", "x", "", "1.5", "+1"})
    void anyOtherTopIsInvalid(String text) {
        assertThat(Refused.with(ServiceCode.INVALID_INPUT, () -> entities("$top=" + text))
                        .text())
                .isEqualTo("One of the request inputs is not valid.");
    }

    @Test
    void selectKeepsOrderAndIsEchoedAsSent() {
        Selection selection = entities("$select=B,%20A,B").selection();
        assertThat(selection.names()).containsExactly("B", "A");
        assertThat(selection.text()).isEqualTo("B, A,B");
    }

    @Test
    void selectOfMoreThanAnEntityCanHaveIsRefused() {
        StringBuilder names = new StringBuilder("A");
        for (int i = 0; i < 255; i++) {
            names.append(",P").append(i);
        }
        Refused.with(ServiceCode.INVALID_INPUT, () -> entities("$select=" + names));
    }

    @Test
    void unknownOptionsAreIgnoredUnlessTheyAreSystemOptions() {
        assertThat(entities("foo=bar&foo=baz&&=&sv=2019").top()).isEqualTo(1000);
        Refused.with(ServiceCode.INVALID_INPUT, () -> entities("$foo=bar"));
    }

    @Test
    void optionGivenTwiceIsRefused() {
        Refused.with(ServiceCode.INVALID_QUERY_PARAMETER_VALUE, () -> entities("$top=1&$top=1"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"$filter=%", "$filter=%zz", "$filter=%ff", "%=1"})
    void brokenEscapesAreRefused(String raw) {
        Refused.with(ServiceCode.INVALID_INPUT, () -> entities(raw));
    }

    @ParameterizedTest
    @CsvSource({"timeout=5,5", "timeout=30,30", "timeout=99999999999,30", "other=1,30"})
    void timeoutIsCappedAtThirtySeconds(String raw, int seconds) {
        assertThat(QueryOptions.timeoutSeconds(QueryString.parse(raw))).isEqualTo(seconds);
    }

    @Test
    void timeoutMustBePositive() {
        Refused.with(
                ServiceCode.OUT_OF_RANGE_QUERY_PARAMETER_VALUE,
                () -> QueryOptions.timeoutSeconds(QueryString.parse("timeout=-1")));
    }
}
