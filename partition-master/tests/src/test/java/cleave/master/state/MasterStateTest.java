package cleave.master.state;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.state.MasterCommand.Register;
import cleave.model.Incarnation;
import cleave.wire.ErrorCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MasterStateTest {
    private final Script script = Script.started();

    @ParameterizedTest
    @ValueSource(strings = {"", "a/b", "a b", "-a", "\u00e4", "a\u0000"})
    void aServerIdThatCannotStandInAFileNameIsRefused(String id) {
        MasterState before = script.state();
        assertThat(script.apply(new Register(id, "host:1")).code()).isEqualTo(ErrorCode.INVALID);
        assertThat(script.state()).isSameAs(before);
    }

    @Test
    void anIncarnationFromTheFutureIsUnknownNotDead() {
        assertThat(script.state().isKnownDead(new Incarnation("s9", script.index() + 1)))
                .isFalse();
    }
}
