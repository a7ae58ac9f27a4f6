package cleave.deploy.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class WaitTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Duration SHORT = Duration.ofMillis(1);

    @Test
    void asksUntilTheConditionHolds() {
        AtomicInteger asked = new AtomicInteger();

        assertThat(Wait.until(() -> asked.incrementAndGet() == 3, LONG, SHORT)).isTrue();
        assertThat(asked).hasValue(3);
    }

    @Test
    void askesOnceAndGivesUpWhereThereIsNoTime() {
        AtomicInteger asked = new AtomicInteger();

        assertThat(Wait.until(() -> asked.incrementAndGet() == 3, Duration.ZERO, SHORT))
                .isFalse();
        assertThat(asked).hasValue(1);
    }

    @Test
    void whatTheConditionThrowsEndsTheWait() {
        assertThatThrownBy(() -> Wait.until(
                        () -> {
                            throw new IllegalStateException("gone");
                        },
                        LONG,
                        SHORT))
                .hasMessage("gone");
    }
}
