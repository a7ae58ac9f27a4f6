package cleave.master.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.master.state.MasterCommand.AllocateTableIds;
import cleave.master.state.MasterCommand.ChangeSettings;
import cleave.master.state.MasterCommand.DeclareDead;
import cleave.master.state.MasterCommand.Drain;
import cleave.master.state.MasterCommand.DropDone;
import cleave.master.state.MasterCommand.DropTable;
import cleave.master.state.MasterCommand.Handoff;
import cleave.master.state.MasterCommand.Initialize;
import cleave.master.state.MasterCommand.NoOp;
import cleave.master.state.MasterCommand.Publish;
import cleave.master.state.MasterCommand.Register;
import cleave.master.state.MasterCommand.SeedSettings;
import cleave.master.state.MasterCommand.Source;
import cleave.master.state.MasterCommand.Target;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.wire.DropTableRequest;
import cleave.wire.ErrorCode;
import cleave.wire.HandoffRequest;
import cleave.wire.HandoffTarget;
import com.google.protobuf.ByteString;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CommandCodecTest {
    private static final Incarnation S1 = new Incarnation("s1", 7);
    private static final Incarnation S2 = new Incarnation("s2", 9);

    static Stream<MasterCommand> oneOfEach() {
        Key middle = Key.beforePartition(4, "de");
        return Stream.of(
                new Initialize(),
                new Register("s3", "host:3"),
                new DeclareDead(List.of(S1, S2)),
                new Publish(S1, 4096, 12, "manifests/a"),
                new Handoff(
                        S1,
                        List.of(new Source(4096, 12, true)),
                        List.of(
                                new Target(new KeyRange(Key.MIN, middle), S1, "manifests/b"),
                                new Target(new KeyRange(middle, null), S2, "manifests/c"))),
                new AllocateTableIds(5),
                new DropTable(new Drop("account", "orders", 3)),
                new DropDone(3),
                new Drain(S1, true),
                new Drain(S2, false),
                new SeedSettings(BalancerSettings.DEFAULT.texts()),
                new ChangeSettings(Map.of("balancer.split-load", "500")),
                new NoOp());
    }

    @Test
    void theSamplesHoldEveryKindOfCommand() {
        assertThat(oneOfEach().map(Object::getClass)).containsAll(kinds());
    }

    private static List<Class<?>> kinds() {
        return Stream.of(MasterCommand.class.getPermittedSubclasses())
                .<Class<?>>map(kind -> kind)
                .toList();
    }

    @ParameterizedTest
    @MethodSource("oneOfEach")
    void aCommandComesBackFromTheWireAsItWas(MasterCommand command) throws Exception {
        byte[] bytes = CommandCodec.toWire(command).toByteArray();
        assertThat(CommandCodec.fromWire(cleave.wire.MasterCommand.parseFrom(bytes)))
                .isEqualTo(command);
    }

    @Test
    void aCommandOfAnotherVersionIsRefused() {
        assertThatThrownBy(() -> CommandCodec.fromWire(cleave.wire.MasterCommand.getDefaultInstance()))
                .isInstanceOf(IllegalArgumentException.class);
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
