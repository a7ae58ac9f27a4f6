package cleave.master.state;

import static java.util.Objects.requireNonNull;

import cleave.master.state.MasterCommand.Handoff;
import cleave.master.state.MasterCommand.Initialize;
import cleave.master.state.MasterCommand.Register;
import cleave.master.state.MasterCommand.SourceRow;
import cleave.master.state.MasterCommand.TargetRow;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A state machine without Raft: applies commands one after the other, at indexes with gaps, as Raft's are. For tests. */
public final class Script {
    private MasterState state = MasterState.EMPTY;
    private long index = 10;

    /** With the first row in place. */
    public static Script started() {
        return startedIn("c");
    }

    /** The same, of this cluster. */
    public static Script startedIn(String cluster) {
        Script script = new Script();
        script.apply(new Initialize(cluster));
        return script;
    }

    public MasterAnswer apply(MasterCommand command) {
        index += 2;
        Step step = state.step(command, index);
        state = step.state();
        return step.answer();
    }

    public MasterState state() {
        return state;
    }

    public long index() {
        return index;
    }

    public Incarnation register(String server) {
        Incarnation incarnation =
                apply(new Register(server, "host-of-" + server + ":1")).incarnation();
        if (incarnation == null) {
            throw new AssertionError(server + " was not let in");
        }
        return incarnation;
    }

    /** The row that holds a key of a table's beginning; {@code 0} is the first. */
    public Row rowAt(long table) {
        Row row = state.rows().at(table == 0 ? Key.MIN : Key.beforeTable(table));
        if (row == null) {
            throw new AssertionError("no row at " + table);
        }
        return row;
    }

    /** A takeover of a row by a server. */
    public static Handoff takeover(Row row, Incarnation by, String manifest) {
        return new Handoff(
                by,
                List.of(new SourceRow(row.id(), row.version(), false)),
                List.of(new TargetRow(row.range(), by, manifest)));
    }

    /** A split of a row by its owner; the parts belong to the owners, in turn. */
    public static Handoff split(Row row, List<Key> at, List<Incarnation> owners) {
        Incarnation by = requireNonNull(row.owner(), "nobody can split " + row);
        List<TargetRow> targets = new ArrayList<>();
        Key start = row.range().start();
        for (int i = 0; i <= at.size(); i++) {
            @Nullable Key end = i < at.size() ? at.get(i) : row.range().end();
            String manifest = "m/" + row.version() + "-" + i;
            targets.add(new TargetRow(new KeyRange(start, end), owners.get(i % owners.size()), manifest));
            start = end == null ? start : end;
        }
        return new Handoff(by, List.of(new SourceRow(row.id(), row.version(), true)), targets);
    }
}
