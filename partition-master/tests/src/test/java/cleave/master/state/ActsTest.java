package cleave.master.state;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.state.MasterCommand.BeginAct;
import cleave.master.state.MasterCommand.EndAct;
import cleave.model.FeatureLevels;
import cleave.wire.ErrorCode;
import org.junit.jupiter.api.Test;

class ActsTest {
    private MasterState state = MasterState.EMPTY
            .step(new MasterCommand.RaiseLevel(FeatureLevels.ACTS, java.util.List.of()), 1)
            .state();
    private long index = 1;

    private MasterAnswer apply(MasterCommand command) {
        Step step = state.step(command, ++index);
        state = step.state();
        return step.answer();
    }

    private static Act act(String arguments) {
        return Act.begun(7, "CN=alice", "alice@laptop", "split", arguments);
    }

    @Test
    void theOldestAreForgottenAndCountedBeyondTheNumber() {
        for (int i = 0; i < Acts.COUNT_MAX + 3; i++) {
            assertThat(apply(new BeginAct(act("n=" + i))).isOk()).isTrue();
        }

        assertThat(state.acts().all()).hasSize(Acts.COUNT_MAX);
        assertThat(state.acts().forgotten()).isEqualTo(3);
        assertThat(state.acts().all().iterator().next().arguments()).isEqualTo("n=3");
    }

    @Test
    void andBeyondTheBytesAlsoByTheirOutcomes() {
        for (int i = 0; i < 600; i++) {
            apply(new BeginAct(act("x".repeat(300))));
        }
        assertThat(state.acts().forgotten()).isZero();

        for (long number = 2; number <= 601; number++) {
            apply(new EndAct(number, "y".repeat(500)));
        }

        int bytes = state.acts().all().stream().mapToInt(Act::bytes).sum();
        assertThat(bytes).isLessThanOrEqualTo(Acts.BYTES_MAX);
        assertThat(state.acts().forgotten())
                .isEqualTo(600 - state.acts().all().size())
                .isPositive();
    }

    @Test
    void aForgottenOneGetsNoOutcomeAndNoneGetsTwo() {
        apply(new BeginAct(act("a=1")));
        apply(new EndAct(2, "OK"));
        MasterState ended = state;

        assertThat(apply(new EndAct(2, "INVALID")).isOk()).isTrue();
        assertThat(apply(new EndAct(99, "OK")).isOk()).isTrue();

        assertThat(state).isEqualTo(ended);
    }

    @Test
    void theMapAndItsVersionStay() {
        long version = state.mapVersion();

        apply(new BeginAct(act("a=1")));

        assertThat(state.mapVersion()).isEqualTo(version);
    }

    @Test
    void whatIsNoShortLineIsRefused() {
        assertThat(apply(new BeginAct(new Act(0, 7, "CN=a\nERROR", "", "split", "", "")))
                        .code())
                .isEqualTo(ErrorCode.INVALID);
        assertThat(apply(new BeginAct(new Act(0, 7, "a".repeat(129), "", "split", "", "")))
                        .code())
                .isEqualTo(ErrorCode.INVALID);
        assertThat(apply(new BeginAct(new Act(9, 7, "a", "", "split", "", ""))).code())
                .isEqualTo(ErrorCode.INVALID);
        assertThat(apply(new EndAct(2, "")).code()).isEqualTo(ErrorCode.INVALID);
        assertThat(state.acts().all()).isEmpty();
    }

    @Test
    void textsAreCutAndMadePrintable() {
        Act cut = Act.begun(7, "CN=\u00e9\n", "", "split", "k".repeat(2_000));

        assertThat(cut.caller()).isEqualTo("CN=??");
        assertThat(cut.arguments()).hasSize(512).endsWith("k...");
        assertThat(apply(new BeginAct(cut)).isOk()).isTrue();
    }

    @Test
    void belowTheLevelNothingIsRecorded() {
        state = MasterState.EMPTY
                .step(new MasterCommand.RaiseLevel(FeatureLevels.FENCES, java.util.List.of()), 1)
                .state();

        assertThat(apply(new BeginAct(act("a=1"))).message()).contains("feature level 7");
    }
}
