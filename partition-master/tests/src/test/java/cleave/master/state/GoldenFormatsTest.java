package cleave.master.state;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.formats.GoldenFormat;
import cleave.master.state.MasterCommand.AllocateTableIds;
import cleave.master.state.MasterCommand.ArmFence;
import cleave.master.state.MasterCommand.BeginAct;
import cleave.master.state.MasterCommand.ChangeSettings;
import cleave.master.state.MasterCommand.DeclareDead;
import cleave.master.state.MasterCommand.Drain;
import cleave.master.state.MasterCommand.DropDone;
import cleave.master.state.MasterCommand.DropTable;
import cleave.master.state.MasterCommand.EndAct;
import cleave.master.state.MasterCommand.Handoff;
import cleave.master.state.MasterCommand.Initialize;
import cleave.master.state.MasterCommand.NoOp;
import cleave.master.state.MasterCommand.Publish;
import cleave.master.state.MasterCommand.RaiseLevel;
import cleave.master.state.MasterCommand.Register;
import cleave.master.state.MasterCommand.SeedSettings;
import cleave.master.state.MasterCommand.SourceRow;
import cleave.master.state.MasterCommand.TargetRow;
import cleave.master.state.MasterCommand.UseDfs;
import cleave.model.FeatureLevels;
import cleave.model.Fence;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The data of earlier versions is read, and is still written byte by byte as long as its format's version stays. */
final class GoldenFormatsTest {
    private static final Incarnation S1 = new Incarnation("s1", 2);
    private static final Incarnation S2 = new Incarnation("s2", 3);
    private static final Key MIDDLE = Key.beforePartition(4, "de");
    private static final KeyRange LEFT = new KeyRange(Key.MIN, MIDDLE);
    private static final KeyRange RIGHT = new KeyRange(MIDDLE, null);

    /** A log of level 1: each kind of command, in an order that has effects. */
    private static final List<MasterCommand> LEVEL_1 = List.of(
            new Initialize(""),
            new Register("s1", "host:1", null),
            new Register("s2", "host:2", null),
            new SeedSettings(Map.of("balancer.split-load", "1500")),
            new Handoff(
                    S1,
                    List.of(new SourceRow(Row.id(1, 0), 1, false)),
                    List.of(new TargetRow(KeyRange.ALL, S1, "17/m-1"))),
            new Publish(S1, Row.id(1, 0), 5, "17/m-2"),
            new Handoff(
                    S1,
                    List.of(new SourceRow(Row.id(1, 0), 6, true)),
                    List.of(new TargetRow(LEFT, S1, "17/m-3"), new TargetRow(RIGHT, S2, "17/m-4"))),
            new AllocateTableIds(5),
            new DropTable(new Drop("account", "orders", 3)),
            new DropTable(new Drop("account", "items", 4)),
            new DropDone(3),
            new Drain(S2, true),
            new ChangeSettings(Map.of("balancer.split-load", "500")),
            new Register("s3", "host:3", null),
            new DeclareDead(List.of(new Incarnation("s3", 14))),
            new NoOp());

    /** Commands that level 1 does not have. */
    private static final List<MasterCommand> LEVEL_2 = List.of(
            new Initialize("9f3c2f5e-7a0b-4c52-8d56-1f0f5a3c7b11"),
            new Register("s1", "host:1", new FeatureLevels(1, 2)),
            new RaiseLevel(2, List.of(S1)),
            new MasterCommand.Restore(
                    List.of(new SourceRow(Row.id(1, 0), 1, false)),
                    List.of(
                            new MasterCommand.Restored(
                                    new KeyRange(Key.MIN, Key.beforeTable(4)), "ranges/1.0/1-restore-a.1-manifest-1"),
                            new MasterCommand.Restored(
                                    new KeyRange(Key.beforeTable(4), null), "ranges/1.0/1-restore-a.1-manifest-2")),
                    9,
                    List.of(new Drop("account", "orders", 3))));

    /** Commands that level 2 does not have. */
    private static final List<MasterCommand> LEVEL_3 = List.of(
            new Initialize("9f3c2f5e-7a0b-4c52-8d56-1f0f5a3c7b11"),
            new RaiseLevel(3, List.of()),
            new UseDfs("", "1d2b6f0a-5c3e-4f7d-9a8b-0c1d2e3f4a5b", 2));

    /** Commands that level 5 does not have. */
    private static final List<MasterCommand> LEVEL_6 = List.of(
            new Initialize("9f3c2f5e-7a0b-4c52-8d56-1f0f5a3c7b11"),
            new RaiseLevel(6, List.of()),
            new Register("s1", "host:1", new FeatureLevels(1, 6)),
            new ArmFence(new Fence(new Incarnation("s1", 3), 1)),
            new Handoff(
                    new Incarnation("s1", 3),
                    List.of(new SourceRow(Row.id(1, 0), 1, false)),
                    List.of(new TargetRow(KeyRange.ALL, new Incarnation("s1", 3), "17/m-1"))),
            new Register("s2", "host:2", new FeatureLevels(1, 6)),
            new ArmFence(new Fence(new Incarnation("s2", 6), 2)),
            new DeclareDead(List.of(new Incarnation("s1", 3))),
            new Handoff(
                    new Incarnation("s2", 6),
                    List.of(new SourceRow(Row.id(1, 0), 5, false)),
                    List.of(new TargetRow(KeyRange.ALL, new Incarnation("s2", 6), "17/m-2")),
                    List.of(new Fence(new Incarnation("s1", 3), 1))));

    /** Commands that level 6 does not have. */
    private static final List<MasterCommand> LEVEL_7 = List.of(
            new Initialize("9f3c2f5e-7a0b-4c52-8d56-1f0f5a3c7b11"),
            new RaiseLevel(7, List.of()),
            new BeginAct(Act.begun(17_000_000_000_000_000L, "CN=alice", "alice@laptop", "drain", "server=s1")),
            new EndAct(3, "OK"),
            new BeginAct(Act.begun(17_000_000_010_000_000L, "loopback", "", "set", "balancer.split=false")));

    private static MasterState after(List<MasterCommand> log) {
        MasterState state = MasterState.EMPTY;
        for (int i = 0; i < log.size(); i++) {
            Step step = state.step(log.get(i), i + 1);
            assertThat(step.answer().isOk()).as("%s", step.answer()).isTrue();
            state = step.state();
        }
        return state;
    }

    @Test
    void commandsOfLevel1() {
        assertCommands(1, LEVEL_1);
    }

    @Test
    void commandsOfLevel2() {
        assertCommands(2, LEVEL_2);
    }

    @Test
    void commandsOfLevel3() {
        assertCommands(3, LEVEL_3);
    }

    @Test
    void commandsOfLevel6() {
        assertCommands(6, LEVEL_6);
    }

    @Test
    void commandsOfLevel7() {
        assertCommands(7, LEVEL_7);
    }

    private static void assertCommands(int level, List<MasterCommand> commands) {
        GoldenFormat golden = GoldenFormat.of("master-command", level);
        for (int i = 0; i < commands.size(); i++) {
            MasterCommand command = commands.get(i);
            String name = "%02d-%s".formatted(i + 1, command.getClass().getSimpleName());
            golden.assertIsWritten(name, CommandCodec.encode(command, level));
            assertThat(CommandCodec.decode(golden.file(name), FeatureLevels.SUPPORTED))
                    .isEqualTo(command);
        }
        assertThat(golden.files()).hasSize(commands.size());
    }

    @Test
    void snapshotOfLevel1() {
        assertSnapshot(1, LEVEL_1);
    }

    @Test
    void snapshotOfLevel2() {
        assertSnapshot(2, LEVEL_2.subList(0, 3));
    }

    @Test
    void snapshotOfLevel3() {
        assertSnapshot(3, LEVEL_3);
    }

    @Test
    void snapshotOfLevel6() {
        assertSnapshot(6, LEVEL_6);
    }

    @Test
    void snapshotOfLevel7() {
        assertSnapshot(7, LEVEL_7);
    }

    private static void assertSnapshot(int level, List<MasterCommand> log) {
        GoldenFormat golden = GoldenFormat.of("master-snapshot", level);
        MasterState state = after(log);
        assertThat(state.level()).isEqualTo(level);
        golden.assertIsWritten("snapshot", SnapshotCodec.encode(state));
        assertThat(SnapshotCodec.decode(golden.file("snapshot"), FeatureLevels.SUPPORTED))
                .isEqualTo(state);
    }

    /** One that is missing here was written by nobody who could show later that it is still read. */
    @Test
    void everyKindOfCommandHasAGoldenFile() {
        assertThat(Stream.of(LEVEL_1, LEVEL_2, LEVEL_3, LEVEL_6, LEVEL_7)
                        .flatMap(List::stream)
                        .<Class<?>>map(Object::getClass)
                        .distinct()
                        .toList())
                .containsExactlyInAnyOrder(MasterCommand.class.getPermittedSubclasses());
    }
}
