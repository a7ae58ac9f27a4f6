package cleave.chaos.load.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ObserverTest {
    /** A run that began 300 ms after a second of the wall clock. */
    @ParameterizedTest
    @CsvSource({"0, 0.7", "0.7, 1.7", "0.72, 1.7", "1.6, 2.7", "0.4, 0.7", "0.5, 1.7"})
    void looksAreAtSecondsOfTheWallClockAndNotTooCloseToTheLast(double last, double next) {
        assertThat(Observer.nextLook(1_700_000_000_300L, last)).isEqualTo(next, within(1e-6));
    }
}
