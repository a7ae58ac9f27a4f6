package cleave.master.raft;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.state.Drop;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand;
import cleave.master.state.MasterCommand.AllocateTableIds;
import cleave.master.state.MasterCommand.DeclareDead;
import cleave.master.state.MasterCommand.DropDone;
import cleave.master.state.MasterCommand.DropTable;
import cleave.master.state.MasterCommand.Initialize;
import cleave.master.state.MasterCommand.NoOp;
import cleave.master.state.MasterCommand.Publish;
import cleave.master.state.MasterCommand.Register;
import cleave.master.state.MasterState;
import cleave.master.state.Script;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.Row;
import cleave.wire.ErrorCode;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The state machine around which Raft is. Transcripts of the state show what it decides without Raft. */
class RaftStateMachineIT {
    @TempDir
    Path dir;

    private RaftPeers peers;

    @BeforeEach
    void start() {
        peers = new RaftPeers(dir, 1, 3);
        peers.startAll();
    }

    @AfterEach
    void close() {
        peers.close();
    }

    @Test
    void aLifeOfTheMapIsTheSameEverywhere() {
        assertThat(apply(new Initialize("c")).isOk()).isTrue();
        Incarnation s1 = register("s1");
        Incarnation s2 = register("s2");
        assertThat(apply(Script.takeover(row(), s1, "m/1")).isOk()).isTrue();
        long version = row().version();
        assertThat(apply(new Publish(s1, row().id(), version, "m/2")).isOk()).isTrue();
        assertThat(apply(new Publish(s1, row().id(), version, "m/3")).code()).isEqualTo(ErrorCode.STALE_VERSION);
        MasterAnswer split = apply(Script.split(row(), List.of(Key.beforeTable(3)), List.of(s1, s2)));
        assertThat(split.rows())
                .hasSize(2)
                .containsExactlyElementsOf(state().rows().all());
        assertThat(split.rows().get(0).id()).isEqualTo(Row.id(split.index(), 0));
        assertThat(apply(new DeclareDead(List.of(s1))).isOk()).isTrue();
        assertThat(apply(new Publish(s1, row().id(), row().version(), "m/4")).code())
                .isEqualTo(ErrorCode.DEAD_INCARNATION);
        assertThat(apply(Script.takeover(row(), s2, "m/5")).isOk()).isTrue();
        assertThat(state().rows().ownedBy(s2)).hasSize(2);
        assertThat(state().rows().owners()).containsExactly(s2);
    }

    @Test
    void tablesAreNumberedAndDropped() {
        assertThat(apply(new AllocateTableIds(2)).firstTable()).isEqualTo(1);
        assertThat(apply(new AllocateTableIds(2)).firstTable()).isEqualTo(3);
        assertThat(apply(new DropTable(new Drop("a", "t", 2))).isOk()).isTrue();
        assertThat(state().drops()).hasSize(1);
        assertThat(apply(new DropDone(2)).isOk()).isTrue();
        assertThat(state().drops()).isEmpty();
        assertThat(apply(new DropTable(new Drop("a", "t", 9))).code()).isEqualTo(ErrorCode.INVALID);
    }

    @Test
    void indexesGrowAndRefusalsChangeNothing() {
        long first = apply(new NoOp()).index();
        MasterState before = state();
        MasterAnswer refused = apply(new Register("not a name", "", null));
        assertThat(refused.code()).isEqualTo(ErrorCode.INVALID);
        assertThat(refused.message()).contains("not a name");
        assertThat(refused.index()).isGreaterThan(first);
        assertThat(state()).isEqualTo(before);
    }

    private Row row() {
        return state().rows().all().iterator().next();
    }

    private Incarnation register(String server) {
        MasterAnswer answer = apply(new Register(server, "host:1"));
        Incarnation incarnation = answer.incarnation();
        if (incarnation == null) {
            throw new AssertionError(answer);
        }
        assertThat(incarnation.number()).isEqualTo(answer.index());
        return incarnation;
    }

    private MasterAnswer apply(MasterCommand command) {
        return peers.execute(command);
    }

    private MasterState state() {
        return peers.node("m1").state();
    }
}
