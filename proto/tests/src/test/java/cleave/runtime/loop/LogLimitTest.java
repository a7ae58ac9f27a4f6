package cleave.runtime.loop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LogLimitTest {
    private static final long SECOND = 1_000_000_000;

    private final LogLimit limit = new LogLimit(2);

    @Test
    void asManyLinesAreLoggedEachSecondAndTheOthersCounted() {
        assertThat(limit.admits(5 * SECOND)).isTrue();
        assertThat(limit.admits(5 * SECOND + 1)).isTrue();
        assertThat(limit.admits(5 * SECOND + 2)).isFalse();
        assertThat(limit.admits(6 * SECOND - 1)).isFalse();
        assertThat(limit.admits(6 * SECOND)).isTrue();

        assertThat(limit.suppressed()).isEqualTo(2);
        assertThat(limit.suppressed()).isZero();
    }

    @Test
    void aClockBelowZeroIsAClock() {
        assertThat(limit.admits(-5 * SECOND)).isTrue();
        assertThat(limit.admits(-4 * SECOND)).isTrue();
        assertThat(limit.admits(-4 * SECOND + 1)).isTrue();
        assertThat(limit.admits(-4 * SECOND + 2)).isFalse();
    }
}
