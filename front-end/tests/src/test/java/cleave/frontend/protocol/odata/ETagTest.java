package cleave.frontend.protocol.odata;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ETagTest {
    private static final long TICKS = 15_102_818_876_221_962L;
    private static final String TAG = "W/\"datetime'2017-11-10T02%3A44%3A47.6221962Z'\"";

    private static Headers with(String name, String... values) {
        return asked -> asked.equals(name) ? List.of(values) : List.of();
    }

    private static IfMatch ifMatch(String... values) {
        IfMatch condition = Objects.requireNonNull(IfMatch.ofUpdate(with("If-Match", values)));
        return condition;
    }

    @Test
    void tagIsTheTimestampWithItsColonsEncoded() {
        assertThat(ETag.format(TICKS)).isEqualTo(TAG);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "W/\"datetime'2017-11-10T02%3A44%3A47.6221962Z'\"",
                "W/\"datetime'2017-11-10T02:44:47.6221962Z'\"",
                "W/\"datetime'2017-11-10T02%3A44%3A47.6221962Z'",
                "W/\"datetime'2017-11-10T02:44:47.6221962Z'"
            })
    void tagComesBackWithTwoRepairs(String tag) {
        assertThat(ifMatch(tag)).isEqualTo(new IfMatch(false, TICKS));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "W/\"abc\"",
                "w/\"datetime'2017-11-10T02%3A44%3A47.6221962Z'\"",
                "W/\"datetime'2017-11-10T02%3a44%3a47.6221962Z'\"",
                "W/\"datetime'2017-11-10T02%3A44%3A47.62219620Z'\"",
                "W/\"datetime'2017-11-10T02%3A44%3A47.6221962'\"",
                "W/\"datetime'\"",
                "W/\"datetime''\"",
                "W/\"\""
            })
    void wellFormedTagOfNoEntityOfOursNeverMatches(String tag) {
        assertThat(ifMatch(tag)).isEqualTo(new IfMatch(false, IfMatch.NEVER));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"abc\"", "abc", "W/abc", "", "W/\"a\", W/\"b\"", "W/", "**", "*,*", "W/\""})
    void anyOtherTagIsRefusedInTheServicesWords(String tag) {
        ServiceError error = Refused.with(ServiceCode.INVALID_INPUT, () -> ifMatch(tag));
        assertThat(error.text())
                .isEqualTo("The etag value '" + tag
                        + "' specified in one of the request headers is not valid. Please make sure only one etag value is"
                        + " specified and is valid.");
    }

    @Test
    void asteriskOnlyAsksForExistence() {
        assertThat(ifMatch("*")).isSameAs(IfMatch.ANY);
        assertThat(IfMatch.ofUpdate(Headers.NONE)).isNull();
    }

    @Test
    void severalTagsAreRefused() {
        Refused.with(ServiceCode.INVALID_INPUT, () -> ifMatch("*", "*"));
    }

    @Test
    void ifNoneMatchIsRefusedByTheNameOfTheWrite() {
        Headers headers = with("If-None-Match", "*");
        assertThat(refusal(() -> IfMatch.ofUpdate(headers)))
                .isEqualTo("If-None-Match HTTP header cannot be specified for PUT operations.");
        assertThat(refusal(() -> IfMatch.ofDelete(headers)))
                .isEqualTo("If-None-Match HTTP header cannot be specified for DELETE operations.");
    }

    @Test
    void bothConditionsAtOnceAreRefusedWhateverIsDone() {
        Headers headers = asked -> List.of("*");
        for (ThrowingCallable read : List.<ThrowingCallable>of(
                () -> IfMatch.ofUpdate(headers), () -> IfMatch.ofDelete(headers), () -> IfMatch.known(headers))) {
            assertThat(refusal(read))
                    .isEqualTo("Both If-Match and If-None-Match HTTP headers cannot be specified at the same time."
                            + " Please specify either one of the headers or none of them.");
        }
    }

    private static String refusal(ThrowingCallable read) {
        return Refused.with(ServiceCode.INVALID_INPUT, read).text();
    }
}
