package cleave.route.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

final class LeaderGuessTest {
    private final LeaderGuess leader = new LeaderGuess(List.of("m:1", "m:10", "m:100"));

    @Test
    void masterThatTheMessageNamesIsNext() {
        leader.refused("m:1", "the leader is m:100");
        assertThat(leader.current()).isEqualTo("m:100");
    }

    @Test
    void nextInTheListIsTriedWhenNobodyIsNamed() {
        leader.refused("m:1", "");
        assertThat(leader.current()).isEqualTo("m:10");
        leader.refused("m:10", "");
        leader.refused("m:100", "m:100 does not lead");
        assertThat(leader.current()).isEqualTo("m:1");
    }

    @Test
    void lateRefusalOfAMasterThatIsNotBelievedChangesNothing() {
        leader.refused("m:100", "");
        assertThat(leader.current()).isEqualTo("m:1");
    }

    @Test
    void hintIsTakenOnceAndOnlyIfItIsAMaster() {
        leader.hint("m:10");
        assertThat(leader.current()).isEqualTo("m:10");
        leader.refused("m:10", "");
        leader.hint("m:10");
        assertThat(leader.current()).isEqualTo("m:100");
        leader.hint("elsewhere:1");
        assertThat(leader.current()).isEqualTo("m:100");
    }

    @Test
    void withoutMastersThereIsNoClient() {
        assertThatThrownBy(() -> new LeaderGuess(List.of())).isInstanceOf(IllegalArgumentException.class);
    }
}
