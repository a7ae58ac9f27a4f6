package cleave.master.state;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.state.MasterCommand.AllocateTableIds;
import cleave.master.state.MasterCommand.DeclareDead;
import cleave.master.state.MasterCommand.DropDone;
import cleave.master.state.MasterCommand.DropTable;
import cleave.master.state.MasterCommand.Handoff;
import cleave.master.state.MasterCommand.Initialize;
import cleave.master.state.MasterCommand.Publish;
import cleave.master.state.MasterCommand.Register;
import cleave.master.state.MasterCommand.SourceRow;
import cleave.master.state.MasterCommand.TargetRow;
import cleave.model.Incarnation;
import cleave.model.KeyRange;
import cleave.model.Row;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Golden transcripts: each command and the map after it. Rewritten by {@code -Dgolden.rewrite=true}; then read the diff. */
class MasterTranscriptTest {
    private static final Path FOLDER = Path.of("src", "test", "resources", "transcripts");

    private final Script script = new Script();
    private final StringBuilder transcript = new StringBuilder();

    @Test
    void aServerDiesAndItsRangeIsTakenOver() throws IOException {
        apply(new Initialize("c"));
        Incarnation s1 = register("s1");
        Incarnation s2 = register("s2");
        Handoff first = Script.takeover(script.rowAt(0), s1, "m/first");
        apply(first);
        Row row = script.rowAt(0);
        apply(new Publish(s1, row.id(), row.version(), "m/rolled"));
        Handoff early = Script.takeover(script.rowAt(0), s2, "m/early");
        apply(early);
        apply(new DeclareDead(List.of(s1)));
        apply(new Publish(s1, row.id(), script.rowAt(0).version(), "m/zombie"));
        apply(early);
        apply(early);
        register("s1");
        apply(first);
        golden("takeover");
    }

    @Test
    void aRangeIsSplitMovedAndMerged() throws IOException {
        apply(new Initialize("c"));
        Incarnation s1 = register("s1");
        Incarnation s2 = register("s2");
        apply(Script.takeover(script.rowAt(0), s1, "m/whole"));
        Handoff split = Script.split(script.rowAt(0), List.of(3L, 7L), List.of(s1, s2));
        apply(split);
        apply(split);
        Row tail = script.rowAt(7);
        apply(new Handoff(
                s1,
                List.of(new SourceRow(tail.id(), tail.version(), true)),
                List.of(new TargetRow(tail.range(), s2, "m/tail"))));
        Row middle = script.rowAt(3);
        Row moved = script.rowAt(7);
        KeyRange union = new KeyRange(middle.range().start(), null);
        apply(new Handoff(
                s2,
                List.of(
                        new SourceRow(middle.id(), middle.version(), true),
                        new SourceRow(moved.id(), moved.version(), true)),
                List.of(new TargetRow(union, s2, "m/merged"))));
        golden("split-move-merge");
    }

    @Test
    void aTableIsDroppedAndItsNameUsedAgain() throws IOException {
        apply(new Initialize("c"));
        apply(new AllocateTableIds(2));
        Drop drop = new Drop("account", "orders", 1);
        apply(new DropTable(drop));
        apply(new DropTable(drop));
        apply(new DropTable(new Drop("account", "orders", 9)));
        apply(new DropDone(1));
        apply(new AllocateTableIds(1));
        golden("drop");
    }

    private Incarnation register(String server) {
        Register command = new Register(server, "host-of-" + server + ":1");
        Incarnation incarnation = apply(command).incarnation();
        assertThat(incarnation).isNotNull();
        return incarnation == null ? new Incarnation(server, 0) : incarnation;
    }

    private MasterAnswer apply(MasterCommand command) {
        MasterAnswer answer = script.apply(command);
        transcript.append(script.index()).append(' ').append(command).append('\n');
        transcript.append("  -> ").append(answer.code());
        transcript.append(answer.message().isEmpty() ? "" : " " + answer.message());
        transcript.append('\n');
        MasterState state = script.state();
        transcript.append("  map ").append(state.mapVersion());
        state.servers().values().forEach(server -> transcript.append(' ').append(server.incarnation()));
        transcript.append(" next table ").append(state.nextTable());
        transcript.append(" drops ").append(state.drops().values()).append('\n');
        state.rows()
                .all()
                .forEach(row -> transcript
                        .append("    ")
                        .append(row)
                        .append(" manifest ")
                        .append(row.manifest())
                        .append('\n'));
        return answer;
    }

    private void golden(String name) throws IOException {
        Path file = FOLDER.resolve(name + ".txt");
        if (Boolean.getBoolean("golden.rewrite")) {
            Files.createDirectories(FOLDER);
            Files.writeString(file, transcript);
        }
        assertThat(transcript.toString()).isEqualTo(Files.readString(file));
    }
}
