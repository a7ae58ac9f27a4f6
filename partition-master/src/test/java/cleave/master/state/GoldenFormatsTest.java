package cleave.master.state;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.formats.GoldenFormat;
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
import cleave.model.FeatureLevels;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What earlier versions stored is read, and is still written byte by byte as long as its format's version stays. */
final class GoldenFormatsTest {
    private static final Incarnation S1 = new Incarnation("s1", 2);
    private static final Incarnation S2 = new Incarnation("s2", 3);
    private static final Key MIDDLE = Key.beforePartition(4, "de");
    private static final KeyRange LEFT = new KeyRange(Key.MIN, MIDDLE);
    private static final KeyRange RIGHT = new KeyRange(MIDDLE, null);

    /** A log of level 1: each kind of command, in an order that has effects. */
    private static final List<MasterCommand> LEVEL_1 = List.of(
            new Initialize(""),
            new Register("s1", "host:1"),
            new Register("s2", "host:2"),
            new SeedSettings(Map.of("balancer.split-load", "1500")),
            new Handoff(
                    S1, List.of(new Source(Row.id(1, 0), 1, false)), List.of(new Target(KeyRange.ALL, S1, "17/m-1"))),
            new Publish(S1, Row.id(1, 0), 5, "17/m-2"),
            new Handoff(
                    S1,
                    List.of(new Source(Row.id(1, 0), 6, true)),
                    List.of(new Target(LEFT, S1, "17/m-3"), new Target(RIGHT, S2, "17/m-4"))),
            new AllocateTableIds(5),
            new DropTable(new Drop("account", "orders", 3)),
            new DropTable(new Drop("account", "items", 4)),
            new DropDone(3),
            new Drain(S2, true),
            new ChangeSettings(Map.of("balancer.split-load", "500")),
            new Register("s3", "host:3"),
            new DeclareDead(List.of(new Incarnation("s3", 14))),
            new NoOp());

    private static MasterState after(List<MasterCommand> log) {
        MasterState state = MasterState.EMPTY;
        for (int i = 0; i < log.size(); i++) {
            Step step = state.step(log.get(i), i + 1);
            assertThat(step.answer().isOk()).as("%s", step.answer()).isTrue();
            state = step.state();
        }
        return state;
    }

    private static String name(int index) {
        return "%02d-%s".formatted(index + 1, LEVEL_1.get(index).getClass().getSimpleName());
    }

    @Test
    void commands() {
        GoldenFormat golden = GoldenFormat.of("master-command", 1);
        for (int i = 0; i < LEVEL_1.size(); i++) {
            golden.assertIsWritten(name(i), CommandCodec.toWire(LEVEL_1.get(i)).toByteArray());
            assertThat(CommandCodec.decode(golden.file(name(i)), FeatureLevels.SUPPORTED))
                    .isEqualTo(LEVEL_1.get(i));
        }
        assertThat(golden.files()).hasSize(LEVEL_1.size());
    }

    @Test
    void snapshots() {
        GoldenFormat golden = GoldenFormat.of("master-snapshot", 1);
        MasterState state = after(LEVEL_1);
        golden.assertIsWritten("snapshot", SnapshotCodec.encode(state));
        assertThat(SnapshotCodec.decode(golden.file("snapshot"), FeatureLevels.SUPPORTED))
                .isEqualTo(state);
    }
}
