package cleave.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RequestIdTest {
    private static final String GUID = "9f3a4b5c-0001-4002-8003-a4b5c6d7e8f9";

    @Test
    void aGuidIsTheSameInEveryLog() {
        RequestId id = RequestId.of(GUID);

        assertThat(id).hasToString(GUID);
        assertThat(RequestId.of(id.high(), id.low())).isEqualTo(id);
    }

    @Test
    void whatHasNoIdIsADash() {
        assertThat(RequestId.of("")).isSameAs(RequestId.NONE);
        assertThat(RequestId.of("r1")).isSameAs(RequestId.NONE);
        assertThat(RequestId.of(0, 0)).isSameAs(RequestId.NONE).hasToString("-");
    }
}
