package cleave.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExplainTest {
    private static @Nullable Explain explain(String header) {
        return Explain.of(new Answer(200, Map.of(Explain.HEADER, header), new byte[0]));
    }

    @Test
    void whatTheFrontEndTellsIsUnderstood() {
        Explain explain = explain("class=table-scan; ranges=2; servers=1; calls=3; examined=40; received=7; returned=7;"
                + " ms=12; range-ids=1.0,17.1; server-ids=s1");

        assertThat(explain).isEqualTo(new Explain("table-scan", List.of("1.0", "17.1"), List.of("s1"), 3, 40, 7, 7));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "yes", "class=point", "calls=x; examined=1; received=1; returned=1"})
    void anythingElseIsNoExplanation(String header) {
        assertThat(explain(header)).isNull();
    }
}
