package cleave.server.policy;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.wire.ErrorCode;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class AnswerOrderTest {
    private static final AnswerOrder ORDER = AnswerOrder.OF_THE_LOG;

    @ParameterizedTest
    @EnumSource(
            value = ErrorCode.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"UNAVAILABLE", "UNRECOGNIZED"})
    void anAnswerThatTellsOfTheDataLeavesInTheOrderOfTheLog(ErrorCode code) {
        assertThat(ORDER.mayOvertake(new Judgement(code, 0, "", List.of(), List.of())))
                .isFalse();
    }

    @Test
    void anAnswerThatTellsNothingLeavesAtOnce() {
        assertThat(ORDER.mayOvertake(Judgement.refused(ErrorCode.UNAVAILABLE, 0, "the store failed")))
                .isTrue();
    }

    @Test
    void aConfirmedRecordIsDurableWhateverTheLengthOfTheLogBehindIt() {
        assertThat(ORDER.isDurable(true, 80, 0)).isTrue();
        assertThat(ORDER.isDurable(false, 80, 80)).isTrue();
        assertThat(ORDER.isDurable(false, 80, 79)).isFalse();
    }
}
