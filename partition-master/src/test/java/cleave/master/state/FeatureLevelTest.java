package cleave.master.state;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.state.MasterCommand.DeclareDead;
import cleave.master.state.MasterCommand.Initialize;
import cleave.master.state.MasterCommand.RaiseLevel;
import cleave.master.state.MasterCommand.Register;
import cleave.model.FeatureLevels;
import cleave.model.Incarnation;
import cleave.wire.ErrorCode;
import cleave.wire.MasterSnapshot;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A new kind of command waits for its level, and the level for all who must read it. */
class FeatureLevelTest {
    private MasterState state = MasterState.EMPTY;
    private long index;

    private MasterAnswer apply(MasterCommand command) {
        Step step = state.step(command, ++index);
        state = step.state();
        return step.answer();
    }

    @Test
    void aCommandAboveTheLevelIsRefused() {
        apply(new Initialize(""));
        Register telling = new Register("s1", "a:1", FeatureLevels.SUPPORTED);
        MasterAnswer refused = apply(telling);
        assertThat(refused.code()).isEqualTo(ErrorCode.INVALID);
        assertThat(refused.message()).isEqualTo("Register needs feature level 2; the cluster is at 1");
        assertThat(state.servers()).isEmpty();
        assertThat(apply(new RaiseLevel(2, List.of())).isOk()).isTrue();
        assertThat(apply(telling).isOk()).isTrue();
    }

    @Test
    void theLevelIsRaisedOnlyOverServersThatAreKnownToSupportIt() {
        Incarnation s1 = apply(new Register("s1", "a:1", null)).incarnation();
        Incarnation s2 = apply(new Register("s2", "a:2", null)).incarnation();
        MasterAnswer early = apply(new RaiseLevel(2, List.of(s1)));
        assertThat(early.code()).isEqualTo(ErrorCode.STALE_VERSION);
        assertThat(early.message()).contains("server " + s2 + " is not known to support level 2");
        assertThat(state.level()).isEqualTo(1);
        apply(new DeclareDead(List.of(s2)));
        assertThat(apply(new RaiseLevel(2, List.of(s1))).isOk()).isTrue();
        assertThat(state.level()).isEqualTo(2);
        assertThat(state.mapVersion()).isEqualTo(index); // Who follows the map hears of it.
    }

    @Test
    void aClusterIsFoundedAtTheLevelThatItsMembersMustKnow() {
        assertThat(apply(new Initialize("c")).isOk()).isTrue();
        assertThat(state.level()).isEqualTo(2);
        MasterState founded = state;
        apply(new RaiseLevel(3, List.of()));
        assertThat(apply(new Initialize("c")).isOk()).isTrue();
        assertThat(state.level()).isEqualTo(3);
        assertThat(state.rows()).isEqualTo(founded.rows());
    }

    @Test
    void theLevelNeverGoesDown() {
        apply(new RaiseLevel(2, List.of()));
        MasterState before = state;
        assertThat(apply(new RaiseLevel(1, List.of())).isOk()).isTrue();
        assertThat(state).isEqualTo(before);
    }

    @Test
    void aServerThatCannotRunAtTheLevelIsNotLetIn() {
        apply(new RaiseLevel(2, List.of()));
        MasterAnswer untold = apply(new Register("s1", "a:1", null));
        assertThat(untold.code()).isEqualTo(ErrorCode.INVALID);
        assertThat(untold.message())
                .isEqualTo("server s1 supports feature level 1, and the cluster is at level 2: start a version of the"
                        + " server that supports it");
        assertThat(apply(new Register("s1", "a:1", new FeatureLevels(3, 4))).code())
                .isEqualTo(ErrorCode.INVALID);
        assertThat(apply(new Register("s1", "a:1", new FeatureLevels(1, 3))).isOk())
                .isTrue();
    }

    @Test
    void theLevelIsInTheSnapshotFromItsSecondValueOn() throws InvalidProtocolBufferException {
        assertThat(MasterSnapshot.parseFrom(SnapshotCodec.encode(state)).getLevel())
                .isZero();
        apply(new RaiseLevel(2, List.of()));
        byte[] snapshot = SnapshotCodec.encode(state);
        assertThat(SnapshotCodec.decode(snapshot, FeatureLevels.SUPPORTED)).isEqualTo(state);
    }
}
