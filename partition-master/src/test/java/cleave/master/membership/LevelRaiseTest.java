package cleave.master.membership;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.loop.Bench;
import cleave.master.loop.FakeFiles;
import cleave.master.loop.FakeServer;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand.RaiseLevel;
import cleave.master.state.MasterCommand.Register;
import cleave.model.FeatureLevels;
import cleave.wire.ErrorCode;
import cleave.wire.StatusReply;
import org.junit.jupiter.api.Test;

/** The leader raises the feature level when the last one of all can follow, and says who holds it back until then. */
class LevelRaiseTest {
    private static final FeatureLevels OLDER = new FeatureLevels(1, 2);
    private static final FeatureLevels NEWER = FeatureLevels.SUPPORTED;
    private static final int NEWEST = NEWER.max();

    private final Bench bench = new Bench();

    private Bench.Master leader() {
        Bench.Master leader = bench.master("m1", NEWER, NEWEST);
        leader.replica().lead();
        bench.pass(300);
        return leader;
    }

    private int level() {
        return bench.log.state().level();
    }

    private StatusReply status(Bench.Master leader) {
        return bench.status(leader);
    }

    @Test
    void aNewClusterComesToTheNewestLevelByItself() {
        leader();
        bench.pass(2_000);
        assertThat(level()).isEqualTo(NEWEST);
    }

    @Test
    void anOlderMasterHoldsTheLevelBackAndIsNamed() {
        bench.master("m2", NEWER, NEWEST);
        bench.master("m3", OLDER, 2);
        bench.answerOthers("m3", false); // The version before levels does not know the question.
        Bench.Master leader = leader();
        bench.pass(5_000);
        assertThat(level()).isEqualTo(2);
        StatusReply status = status(leader);
        assertThat(status.getLevel()).isEqualTo(2);
        assertThat(status.getNextLevel()).isEqualTo(NEWEST);
        assertThat(status.getHeldBackByList()).containsExactly("master m3 does not tell what it supports");
        bench.answerOthers("m3", true);
        bench.pass(2_000);
        assertThat(status(leader).getHeldBackByList())
                .containsExactly(
                        "master m3 supports feature levels 1 to 2",
                        "master m3 allows level 2 by its setting master.feature-level");
        assertThat(level()).isEqualTo(2);
    }

    @Test
    void aMasterThatFellSilentHoldsTheLevelBack() {
        Bench.Master second = bench.master("m2", NEWER, NEWEST);
        bench.answerOthers("m2", false);
        leader();
        bench.pass(10_000);
        assertThat(level()).isEqualTo(2);
        bench.answerOthers("m2", true);
        bench.pass(2_000);
        assertThat(level()).isEqualTo(NEWEST);
        assertThat(second.loop().clusterLevel()).isEqualTo(NEWEST);
    }

    @Test
    void anOlderServerHoldsTheLevelBackUntilItIsReplaced() {
        bench.master("m2", NEWER, NEWEST);
        bench.answerOthers("m2", false);
        Bench.Master leader = leader();
        FakeServer server = bench.server("s1", leader);
        server.support(OLDER);
        bench.answerOthers("m2", true);
        bench.pass(3_000);
        assertThat(level()).isEqualTo(2);
        assertThat(status(leader).getHeldBackByList())
                .containsExactly("server " + server.incarnation() + " supports feature levels 1 to 2");
        bench.silence(server);
        bench.server("s1", leader).support(NEWER);
        bench.pass(3_000);
        assertThat(level()).isEqualTo(NEWEST);
    }

    @Test
    void anOperatorHoldsTheLevelBackByTheSettingOfAnyMaster() {
        bench.master("m2", NEWER, 2);
        Bench.Master leader = leader();
        bench.pass(5_000);
        assertThat(level()).isEqualTo(2);
        assertThat(status(leader).getHeldBackByList())
                .containsExactly("master m2 allows level 2 by its setting master.feature-level");
        bench.master("m2", NEWER, NEWEST); // Started again without it.
        bench.pass(2_000);
        assertThat(level()).isEqualTo(NEWEST);
        assertThat(status(leader).getHeldBackByList()).isEmpty();
    }

    @Test
    void aServerThatCannotRunAtTheLevelIsToldSoAndNothingEntersTheLog() {
        Bench.Master leader = leader();
        bench.pass(2_000);
        int commands = bench.log.commands().size();
        MasterAnswer refused = bench.register(leader, "s1", FakeFiles.DFS, OLDER, bench.time.ticks());
        assertThat(refused.code()).isEqualTo(ErrorCode.INVALID);
        assertThat(refused.message())
                .contains("server s1 supports feature levels 1 to 2, and the cluster is at level " + NEWEST);
        assertThat(bench.log.commands()).hasSize(commands);
        assertThat(bench.register(leader, "s1", FakeFiles.DFS, NEWER, bench.time.ticks())
                        .isOk())
                .isTrue();
        assertThat(bench.log.commands()).contains(new Register("s1", "address-of-s1", NEWER));
    }

    @Test
    void theCommandNamesTheServersThatWereHeard() {
        bench.master("m2", NEWER, 2);
        Bench.Master leader = leader();
        FakeServer server = bench.server("s1", leader);
        server.support(NEWER);
        bench.pass(2_000);
        bench.master("m2", NEWER, NEWEST);
        bench.pass(2_000);
        assertThat(bench.log.commands()).contains(new RaiseLevel(NEWEST, java.util.List.of(server.incarnation())));
    }
}
