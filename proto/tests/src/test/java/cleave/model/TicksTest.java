package cleave.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TicksTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "1601-01-01T00:00:00Z",
                "1969-12-31T23:59:59.9999999Z",
                "1970-01-01T00:00:00Z",
                "2024-05-01T08:00:00.1234567Z",
                "2024-02-29T08:00:00.1Z",
                "2024-05-01T08:00:00.0000001Z",
                "9999-12-31T23:59:59.9999999Z"
            })
    void instantsAreWrittenWithAtMostSevenDigitsAndNoTrailingZeros(String text) {
        long ticks = Ticks.of(Instant.parse(text));
        assertThat(Ticks.format(ticks)).isEqualTo(text);
        assertThat(Ticks.toInstant(ticks)).isEqualTo(Instant.parse(text));
        assertThat(ticks).isBetween(Ticks.MIN, Ticks.MAX);
    }

    @Test
    void nanosecondsBelowATickAreCut() {
        assertThat(Ticks.of(Instant.ofEpochSecond(1, 199))).isEqualTo(Ticks.PER_SECOND + 1);
    }
}
