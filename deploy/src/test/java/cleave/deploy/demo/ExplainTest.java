package cleave.deploy.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExplainTest {
    @Test
    void whatTheFrontEndTellsIsUnderstood() {
        Explain explain =
                Explain.parse("class=table-scan; ranges=2; servers=1; calls=3; examined=40; received=7; returned=7;"
                        + " ms=12; range-ids=1.0,17.1; server-ids=s1");

        assertThat(explain).isEqualTo(new Explain("table-scan", List.of("1.0", "17.1"), List.of("s1"), 3, 40, 7, 7));
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "yes", "class=point", "calls=x; examined=1; received=1; returned=1"})
    void anythingElseIsNoExplanation(String header) {
        assertThat(Explain.parse(header)).isNull();
    }
}
