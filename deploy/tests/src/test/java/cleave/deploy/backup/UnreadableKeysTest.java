package cleave.deploy.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.io.StringWriter;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class UnreadableKeysTest {
    private final StringWriter written = new StringWriter();
    private final UnreadableKeys keys = new UnreadableKeys(written);

    @Test
    void eachIntervalIsALine() throws IOException {
        keys.add("[]");
        keys.add("[{\"before\":[\"a\",\"\"]},{\"after\":[\"a\",\"1\"],\"through\":[\"b\\u00E4\",\"2\"]}]");
        keys.add("[{\"from\":[\"c\",\"1\"]}]");

        assertThat(keys.end()).isEqualTo(3);
        assertThat(written.toString().lines())
                .containsExactly(
                        "{\"before\":[\"a\",\"\"]}",
                        "{\"after\":[\"a\",\"1\"],\"through\":[\"b\u00e4\",\"2\"]}",
                        "{\"from\":[\"c\",\"1\"]}");
        assertThat(keys.shown()).isEqualTo(written.toString().stripTrailing());
    }

    @Test
    void whatThePagesHaveDividedIsOneAgain() throws IOException {
        keys.add("[{\"after\":[\"a\",\"1\"],\"before\":[\"b\",\"1\"]}]");
        keys.add(
                "[{\"from\":[\"b\",\"1\"],\"through\":[\"c\",\"1\"]},{\"after\":[\"c\",\"1\"],\"through\":[\"d\",\"1\"]}]");
        keys.add("[{\"from\":[\"d\",\"1\"]}]");

        assertThat(keys.end()).isEqualTo(2);
        assertThat(written.toString().lines())
                .containsExactly("{\"after\":[\"a\",\"1\"],\"through\":[\"d\",\"1\"]}", "{\"from\":[\"d\",\"1\"]}");
    }

    @Test
    void ofVeryManyTheFirstAreShown() throws IOException {
        keys.add(IntStream.range(0, 30)
                .mapToObj(i -> "{\"after\":[\"a\",\"%02d\"],\"through\":[\"a\",\"%02d-\"]}".formatted(i, i))
                .collect(Collectors.joining(",", "[", "]")));

        assertThat(keys.end()).isEqualTo(30);
        assertThat(keys.shown().lines()).hasSize(11).last().isEqualTo("... and 20 more");
    }

    @Test
    void whatAnotherVersionSaysIsNotTakenForNothing() {
        for (String header :
                new String[] {"", "none", "{}", "[{\"near\":[\"a\",\"b\"]}]", "[{\"from\":[\"a\"]}]", "[{"}) {
            assertThatThrownBy(() -> keys.add(header))
                    .isInstanceOf(CommandFailure.class)
                    .hasMessageContaining("unknown way");
        }
    }
}
