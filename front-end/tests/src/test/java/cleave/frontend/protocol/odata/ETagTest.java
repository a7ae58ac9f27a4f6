package cleave.frontend.protocol.odata;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ETagTest {

    private static Headers with(String name, String... values) {
        return asked -> asked.equals(name) ? List.of(values) : List.of();
    }

    private static IfMatch ifMatch(String... values) {
        IfMatch condition = Objects.requireNonNull(IfMatch.ofUpdate(with("If-Match", values)));
        return condition;
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
    void severalTagsAreRefused() {
        Refused.with(ServiceCode.INVALID_INPUT, () -> ifMatch("*", "*"));
    }
}
