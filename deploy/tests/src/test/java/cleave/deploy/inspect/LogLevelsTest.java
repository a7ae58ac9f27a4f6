package cleave.deploy.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import cleave.model.Facts;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogLevelsTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final String LIBRARY = "cleave.test.library";

    private final LoggerContext context = new LoggerContext();
    private long now = 7;
    private final LogLevels levels = new LogLevels(context, () -> now);

    @BeforeEach
    void configure() {
        context.getLogger("ROOT").setLevel(Level.INFO);
        context.getLogger(LIBRARY).setLevel(Level.WARN);
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }

    @Test
    void aLevelReturnsToWhatWasConfiguredWhenItsTimeIsOver() {
        assertThat(levels.set(LIBRARY, "debug", MINUTE)).isEqualTo(LIBRARY + " logs from DEBUG up for 60 s");
        pass(MINUTE.minusNanos(1));
        assertThat(levels.expire()).isEmpty();
        assertThat(context.getLogger(LIBRARY).isDebugEnabled()).isTrue();

        pass(Duration.ofNanos(1));

        assertThat(levels.expire()).containsExactly(LIBRARY + " logs from WARN up again, as configured");
        assertThat(context.getLogger(LIBRARY).getLevel()).isEqualTo(Level.WARN);
        assertThat(levels.changed()).isEmpty();
    }

    @Test
    void aLoggerWithoutALevelOfItsOwnFollowsItsParentAgain() {
        levels.set(LIBRARY + ".Part", "TRACE", MINUTE);
        pass(MINUTE);
        levels.expire();

        assertThat(context.getLogger(LIBRARY + ".Part").getLevel()).isNull();
        assertThat(context.getLogger(LIBRARY + ".Part").getEffectiveLevel()).isEqualTo(Level.WARN);
    }

    @Test
    void aSecondChangeReplacesTheFirstAndItsTimeAndRemembersWhatWasConfigured() {
        levels.set(LIBRARY, "DEBUG", MINUTE);
        pass(Duration.ofSeconds(50));
        levels.set(LIBRARY, "TRACE", MINUTE);
        pass(Duration.ofSeconds(50));
        assertThat(levels.expire()).isEmpty();

        assertThat(levels.reset(LIBRARY)).contains("WARN");
        assertThat(context.getLogger(LIBRARY).getLevel()).isEqualTo(Level.WARN);
    }

    @Test
    void changesAreShownWithWhatWasConfiguredAndTheTimeLeft() {
        levels.set("root", "DEBUG", MINUTE);
        pass(Duration.ofSeconds(20));

        assertThat(levels.changed())
                .extracting(Facts::values)
                .containsExactly(Map.of("logger", "ROOT", "level", "DEBUG", "configured", "INFO", "secondsLeft", 40L));
    }

    /** It would drop the lines before Logback saw them. */
    @Test
    void aLibraryThatLogsByTheJdkGetsTheLevelToo() {
        java.util.logging.Logger jul = java.util.logging.Logger.getLogger(LIBRARY);
        levels.set(LIBRARY, "DEBUG", MINUTE);
        assertThat(jul.isLoggable(java.util.logging.Level.FINE)).isTrue();

        levels.reset(LIBRARY);

        assertThat(jul.getLevel()).isNull();
    }

    @Test
    void aNameThatNobodyLogsUnderIsSaid() {
        assertThat(levels.set("cleave.msater", "DEBUG", MINUTE)).contains("check its spelling");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "cleave..master", "cleave master", "cleave.acts", "cleave.acts.more", "a\nb"})
    void otherNamesAreRefusedAndSoIsTheLogOfOperatorsActs(String logger) {
        assertThatThrownBy(() -> levels.set(logger, "ERROR", MINUTE)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "OFF", "ALL", "LOUD"})
    void otherLevelsAreRefused(String level) {
        assertThatThrownBy(() -> levels.set(LIBRARY, level, MINUTE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("TRACE, DEBUG, INFO, WARN, ERROR");
    }

    @Test
    void noLevelStaysForGoodAndNotTooManyAreChanged() {
        assertThatThrownBy(() -> levels.set(LIBRARY, "DEBUG", LogLevels.LONGEST.plusSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> levels.set(LIBRARY, "DEBUG", Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> levels.reset(LIBRARY)).isInstanceOf(IllegalArgumentException.class);
        for (int i = 0; i < 32; i++) {
            levels.set("cleave.test.n" + i, "DEBUG", MINUTE);
        }
        assertThatThrownBy(() -> levels.set("cleave.test.more", "DEBUG", MINUTE))
                .isInstanceOf(IllegalArgumentException.class);
        levels.set("cleave.test.n7", "TRACE", MINUTE);
        pass(MINUTE);
        assertThat(levels.expire()).hasSize(32);
    }
}
