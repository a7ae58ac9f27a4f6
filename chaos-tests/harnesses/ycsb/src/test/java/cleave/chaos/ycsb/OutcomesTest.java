package cleave.chaos.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.client.Answer;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OutcomesTest {
    @ParameterizedTest
    @CsvSource({
        "200, OK",
        "204, OK",
        "400, BAD_REQUEST",
        "403, FORBIDDEN",
        "404, NOT_FOUND",
        "409, CONFLICT",
        "412, CONFLICT",
        "413, BAD_REQUEST",
        "500, ERROR",
        "503, SERVICE_UNAVAILABLE",
        "504, TIMEOUT"
    })
    void eachAnswerIsAStatus(int answer, String status) {
        assertThat(Outcomes.of(new Answer(answer, Map.of(), new byte[0])).getName())
                .isEqualTo(status);
    }
}
