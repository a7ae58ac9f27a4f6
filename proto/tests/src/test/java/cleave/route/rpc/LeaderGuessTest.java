package cleave.route.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.model.KnownMasters;
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
        leader.learn(hint("m:10"));
        assertThat(leader.current()).isEqualTo("m:10");
        leader.refused("m:10", "");
        leader.learn(hint("m:10"));
        assertThat(leader.current()).isEqualTo("m:100");
        leader.learn(hint("elsewhere:1"));
        assertThat(leader.current()).isEqualTo("m:100");
    }

    private static KnownMasters hint(String address) {
        return new KnownMasters(address, 0, List.of());
    }

    @Test
    void masterThatNoConfigurationNamesIsBelievedOnceAMapTellsOfIt() {
        leader.learn(new KnownMasters("", 7, List.of("n:1", "n:2")));
        leader.refused("m:1", "the leader is n:2");
        assertThat(leader.current()).isEqualTo("n:2");
        leader.learn(new KnownMasters("n:1", 7, List.of("n:1", "n:2")));
        assertThat(leader.current()).isEqualTo("n:1");
    }

    @Test
    void configuredMastersAreTriedAfterThoseThatAMapTellsOf() {
        leader.learn(new KnownMasters("n:1", 7, List.of("n:1", "n:2")));
        leader.refused("n:1", "");
        assertThat(leader.current()).isEqualTo("n:2");
        leader.refused("n:2", "");
        assertThat(leader.current()).isEqualTo("m:1");
    }

    @Test
    void withoutMastersThereIsNoClient() {
        assertThatThrownBy(() -> new LeaderGuess(List.of())).isInstanceOf(IllegalArgumentException.class);
    }
}
