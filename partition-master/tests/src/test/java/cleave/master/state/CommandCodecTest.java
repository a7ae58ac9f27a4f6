package cleave.master.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.master.state.MasterCommand.AllocateTableIds;
import cleave.master.state.MasterCommand.DropTable;
import cleave.master.state.MasterCommand.Publish;
import cleave.master.state.MasterCommand.Register;
import cleave.model.Damaged;
import cleave.model.FeatureLevels;
import cleave.model.Incarnation;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.model.UnknownFormat;
import cleave.wire.AllocateRequest;
import cleave.wire.DropTableRequest;
import cleave.wire.ErrorCode;
import cleave.wire.HandoffRequest;
import cleave.wire.HandoffTarget;
import cleave.wire.MasterSnapshot;
import cleave.wire.Setting;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class CommandCodecTest {
    private static final UnknownFieldSet UNKNOWN = UnknownFieldSet.newBuilder()
            .addField(1000, UnknownFieldSet.Field.newBuilder().addVarint(7).build())
            .build();
    private static final Incarnation S1 = new Incarnation("s1", 7);
    private static final Incarnation S2 = new Incarnation("s2", 9);

    @Test
    void aCommandOfANewerVersionIsUnknownAndNotDamaged() throws Exception {
        cleave.wire.MasterCommand plain = cleave.wire.MasterCommand.newBuilder()
                .setAllocate(AllocateRequest.newBuilder().setCount(3))
                .build();
        byte[] newKind = plain.toBuilder()
                .clearCommand()
                .mergeUnknownFields(UNKNOWN)
                .build()
                .toByteArray();
        byte[] newField = plain.toBuilder()
                .setAllocate(plain.getAllocate().toBuilder().mergeUnknownFields(UNKNOWN))
                .build()
                .toByteArray();
        int next = FeatureLevels.SUPPORTED.max() + 1;
        byte[] newLevel = plain.toBuilder().setLevel(next).build().toByteArray();
        for (byte[] newer : List.of(newKind, newField, newLevel)) {
            assertThatThrownBy(() -> CommandCodec.decode(newer, FeatureLevels.SUPPORTED))
                    .isInstanceOf(UnknownFormat.class)
                    .hasMessageContaining("start the version that wrote it, or a newer one");
        }
        assertThatThrownBy(() -> CommandCodec.decode(newLevel, FeatureLevels.SUPPORTED))
                .hasMessageContaining("the command needs feature level " + next + "; this version of Cleave knows "
                        + FeatureLevels.SUPPORTED);
        assertThat(CommandCodec.decode(newLevel, new FeatureLevels(1, next))).isEqualTo(new AllocateTableIds(3));
    }

    @Test
    void bytesThatNobodyWroteAreDamaged() {
        for (byte[] bytes : List.of(new byte[0], new byte[] {1, 2, 3})) {
            assertThatThrownBy(() -> CommandCodec.decode(bytes, FeatureLevels.SUPPORTED))
                    .isInstanceOf(Damaged.class)
                    .isNotInstanceOf(UnknownFormat.class);
        }
    }

    @Test
    void aCommandAboveTheClustersLevelDoesNotEnterTheLog() {
        Register telling = new Register("s3", "host:3", FeatureLevels.SUPPORTED);
        assertThatThrownBy(() -> CommandCodec.encode(telling, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Register needs feature level 2; the cluster is at 1");
        assertThat(CommandCodec.encode(telling, 2)).isNotEmpty();
    }

    @Test
    void aCommandThatWouldBeReadAsAnotherDoesNotEnterTheLog() {
        for (MasterCommand command :
                List.of(new Publish(S1, 4096, 12, "manifests/\ud800"), new DropTable(new Drop("", "orders", 3)))) {
            assertThatThrownBy(() -> CommandCodec.encode(command, 1)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void aSnapshotOfANewerVersionIsUnknownAndNotDamaged() throws InvalidProtocolBufferException {
        MasterSnapshot plain = MasterSnapshot.parseFrom(SnapshotCodec.encode(MasterState.EMPTY));
        MasterSnapshot newField = plain.toBuilder().mergeUnknownFields(UNKNOWN).build();
        MasterSnapshot newLevel =
                plain.toBuilder().setLevel(FeatureLevels.SUPPORTED.max() + 1).build();
        MasterSnapshot newSetting = plain.toBuilder()
                .addSettings(
                        Setting.newBuilder().setName("balancer.of-tomorrow").setValue("1"))
                .build();
        for (MasterSnapshot newer : List.of(newField, newLevel, newSetting)) {
            assertThatThrownBy(() -> SnapshotCodec.decode(newer.toByteArray(), FeatureLevels.SUPPORTED))
                    .isInstanceOf(UnknownFormat.class);
        }
        assertThatThrownBy(() -> SnapshotCodec.decode(new byte[] {1, 2, 3}, FeatureLevels.SUPPORTED))
                .isNotInstanceOf(UnknownFormat.class);
    }

    @Test
    void aTargetWithoutIntervalIsRefused() {
        HandoffRequest request = HandoffRequest.newBuilder()
                .addTargets(HandoffTarget.newBuilder()
                        .setStart(ByteString.copyFromUtf8("b"))
                        .setEnd(ByteString.copyFromUtf8("a")))
                .build();
        assertThatThrownBy(() -> CommandCodec.fromWire(request)).hasMessageContaining("start");
    }

    @Test
    void aDropWithoutNameIsRefused() {
        assertThatThrownBy(() -> CommandCodec.fromWire(
                        DropTableRequest.newBuilder().setAccount("a").build()))
                .hasMessageContaining("names");
    }

    @Test
    void anAnswerComesBackFromTheWireAsItWas() {
        Row row = new Row(4096, KeyRange.ALL, S1, "m", 12, 10);
        MasterAnswer answer = new MasterAnswer(ErrorCode.STALE_VERSION, "late", 14, List.of(row), S2, 5);
        assertThat(AnswerCodec.fromWire(AnswerCodec.toWire(answer))).isEqualTo(answer);
        assertThat(AnswerCodec.fromWire(AnswerCodec.toWire(MasterAnswer.ok(3)))).isEqualTo(MasterAnswer.ok(3));
    }
}
