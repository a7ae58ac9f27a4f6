package cleave.chaos.load.run;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.client.Answer;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AttemptTest {
    @ParameterizedTest
    @CsvSource({
        "500, true, true", "503, true, false", "504, true, true", "400, false, false", "401, false, false",
        "404, false, false", "409, false, false", "412, false, false", "501, false, false", "505, false, false"
    })
    void onlyWhatMaySucceedLaterIsRepeated(int status, boolean isWorthRetry, boolean mayHaveHappened) {
        Attempt attempt = Attempt.of(new Answer(status, Map.of(), new byte[0]));

        assertThat(attempt.status().isWorthRetry()).isEqualTo(isWorthRetry);
        assertThat(attempt.status().mayHaveHappened()).isEqualTo(mayHaveHappened);
    }

    @Test
    void timeOutsAreRepeatedAndBrokenConnectionsAreNot() {
        assertThat(Attempt.Status.TIMED_OUT.isWorthRetry()).isTrue();
        assertThat(Attempt.Status.BROKEN.isWorthRetry()).isFalse();
        assertThat(Attempt.Status.BROKEN.mayHaveHappened()).isTrue();
    }
}
