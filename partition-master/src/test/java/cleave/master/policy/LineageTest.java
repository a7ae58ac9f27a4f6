package cleave.master.policy;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.state.MasterCommand.Handoff;
import cleave.master.state.MasterCommand.SourceRow;
import cleave.master.state.MasterCommand.TargetRow;
import cleave.master.state.Script;
import cleave.model.Incarnation;
import cleave.model.Row;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LineageTest {
    private final Script script = Script.started();
    private final Incarnation s1 = script.register("s1");

    private Row row() {
        return script.state().rows().all().iterator().next();
    }

    private @Nullable String problem(String... paths) {
        return Lineage.problem(script.state(), List.of(paths));
    }

    private String file(Row row, long epoch, long life) {
        return "ranges/" + Row.idText(row.id()) + "/" + epoch + "-s1." + life + "-log-3";
    }

    @Test
    void filesOfTheMapAndOfItsPastAreItsOwn() {
        Row made = row();
        script.apply(new Handoff(
                s1,
                List.of(new SourceRow(made.id(), made.version(), false)),
                List.of(new TargetRow(made.range(), s1, "m/1"))));
        assertThat(problem(file(made, made.epoch(), s1.number()), file(row(), row().epoch(), s1.number())))
                .isNull();
    }

    @Test
    void anEpochThatTheRowHasNotReachedShowsALaterMap() {
        assertThat(problem(file(row(), row().epoch() + 1, s1.number())))
                .contains(
                        "version " + (row().epoch() + 1),
                        "theirs is version " + script.state().mapVersion());
    }

    @Test
    void aRangeThatTheMapHasNotSeenShowsALaterMap() {
        long next = script.state().mapVersion() + 1;
        assertThat(problem("ranges/" + Row.idText(Row.id(next, 1)) + "/" + next + "-s1.1-log-1"))
                .contains("version " + next);
    }

    @Test
    void aServerThatTheMapHasNotSeenShowsALaterMap() {
        long next = script.state().mapVersion() + 1;
        assertThat(problem(file(row(), row().epoch(), next))).contains("version " + next);
    }

    @Test
    void aRangeThatIsGoneShowsNothing() {
        assertThat(problem("ranges/" + Row.idText(Row.id(1, 7)) + "/1-s1.1-log-1"))
                .isNull();
    }

    @Test
    void foreignNamesShowNothing() {
        assertThat(problem("ranges/readme", "ranges/9999999999.0/x", "cluster/identity-1", "ranges/1.99999/5-a-b-1"))
                .isNull();
    }
}
