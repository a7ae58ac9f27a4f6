package cleave.dfs.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.dfs.state.NamesAnswer.Outcome;
import cleave.dfs.state.NamesCommand.AddExtent;
import cleave.dfs.state.NamesCommand.CreateFile;
import cleave.dfs.state.NamesCommand.DeleteFile;
import cleave.dfs.state.NamesCommand.FinishDelete;
import cleave.dfs.state.NamesCommand.MarkSealing;
import cleave.dfs.state.NamesCommand.RecordSealed;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

final class NamesStateTest {

    private NamesState state = NamesState.EMPTY;

    private NamesAnswer step(NamesCommand command) {
        NamesState.Step step = state.step(command);
        state = step.state();
        return step.answer();
    }

    private FileEntry file(NamesCommand command) {
        return Objects.requireNonNull(step(command).file());
    }

    private Outcome outcome(NamesCommand command) {
        return step(command).outcome();
    }

    @Test
    void aRepeatedCreateIsNotASecondCreator() {
        assertThat(outcome(new CreateFile("f", 7))).isEqualTo(Outcome.DONE);
        assertThat(outcome(new CreateFile("f", 7))).isEqualTo(Outcome.DONE);
        assertThat(outcome(new CreateFile("f", 8))).isEqualTo(Outcome.EXISTS);
        assertThat(state.nextExtent()).isEqualTo(2);
    }

    @Test
    void anExtentIsAddedBehindTheLastOneOnly() {
        step(new CreateFile("f", 7));

        assertThat(outcome(new AddExtent("f", 9, 10))).isEqualTo(Outcome.STALE);
        assertThat(outcome(new AddExtent("f", 1, 10))).isEqualTo(Outcome.DONE);
        assertThat(outcome(new AddExtent("f", 1, 10))).isEqualTo(Outcome.DONE);
        assertThat(outcome(new AddExtent("f", 1, 11))).isEqualTo(Outcome.STALE);
        assertThat(Objects.requireNonNull(state.files().get("f")).extents())
                .containsExactly(new ExtentPlace(1, 0, 10), new ExtentPlace(2, 10, ExtentPlace.OPEN));
    }

    @Test
    void nothingIsAddedToAFileThatIsSealing() {
        step(new CreateFile("f", 7));

        assertThat(outcome(new MarkSealing("f"))).isEqualTo(Outcome.SEALING);
        assertThat(outcome(new AddExtent("f", 1, 10))).isEqualTo(Outcome.SEALING);
        assertThat(outcome(new MarkSealing("f"))).isEqualTo(Outcome.SEALING);
        assertThat(outcome(new RecordSealed("f", 1, 12))).isEqualTo(Outcome.SEALED);
        assertThat(outcome(new AddExtent("f", 1, 10))).isEqualTo(Outcome.SEALED);
    }

    @Test
    void anExtentAddedJustBeforeTheMarkMakesALateRecordStale() {
        step(new CreateFile("f", 7));
        step(new AddExtent("f", 1, 10));
        step(new MarkSealing("f"));

        assertThat(outcome(new RecordSealed("f", 1, 12))).isEqualTo(Outcome.STALE);
        assertThat(file(new RecordSealed("f", 2, 5)).sealedLength()).isEqualTo(15);
    }

    @Test
    void theFirstRecordStandsForEver() {
        step(new CreateFile("f", 7));
        assertThat(outcome(new RecordSealed("f", 1, 12))).isEqualTo(Outcome.STALE);
        step(new MarkSealing("f"));
        step(new RecordSealed("f", 1, 12));

        assertThat(file(new RecordSealed("f", 1, 13)).sealedLength()).isEqualTo(12);
        assertThat(file(new MarkSealing("f")).sealedLength()).isEqualTo(12);
    }

    @Test
    void aSealBeforeTheCreateWins() {
        assertThat(file(new MarkSealing("f")).sealedLength()).isZero();
        assertThat(outcome(new CreateFile("f", 7))).isEqualTo(Outcome.EXISTS);
        assertThat(outcome(new CreateFile("f", 0))).isEqualTo(Outcome.EXISTS);
        assertThat(outcome(new AddExtent("f", 1, 0))).isEqualTo(Outcome.SEALED);
    }

    @Test
    void aDeletedPathIsNeverFreeAgain() {
        step(new CreateFile("f", 7));

        assertThat(file(new DeleteFile("f")).extents()).hasSize(1);
        assertThat(file(new DeleteFile("f")).extents()).hasSize(1);
        assertThat(outcome(new FinishDelete("f"))).isEqualTo(Outcome.DONE);
        assertThat(step(new DeleteFile("f")).file()).isNull();
        assertThat(outcome(new FinishDelete("f"))).isEqualTo(Outcome.DONE);
        assertThat(outcome(new CreateFile("f", 7))).isEqualTo(Outcome.EXISTS);
        assertThat(outcome(new MarkSealing("f"))).isEqualTo(Outcome.DELETED);
        assertThat(outcome(new RecordSealed("f", 1, 0))).isEqualTo(Outcome.DELETED);
        assertThat(outcome(new AddExtent("f", 1, 0))).isEqualTo(Outcome.DELETED);
        assertThat(state.lookUp("f").outcome()).isEqualTo(Outcome.DELETED);
        assertThat(state.lookUp("g").outcome()).isEqualTo(Outcome.NOT_FOUND);
    }

    @Test
    void everyKindOfCommandIsHandled() {
        assertThat(NamesCommand.class.getPermittedSubclasses())
                .containsExactlyInAnyOrder(
                        CreateFile.class,
                        AddExtent.class,
                        MarkSealing.class,
                        RecordSealed.class,
                        DeleteFile.class,
                        FinishDelete.class);
    }

    @Test
    void malformedCommandsAreRefused() {
        for (String path : List.of("", "/", "a/", "/a", "a//b", "a b", "a\n", "é")) {
            assertThatThrownBy(() -> new MarkSealing(path)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> new AddExtent("f", 1, -1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RecordSealed("f", 1, Long.MAX_VALUE)).isInstanceOf(IllegalArgumentException.class);
        assertThat(Paths.isWellFormed("ranges/17.0/42-s1.9-log_3")).isTrue();
    }

    @Test
    void aListIsOfThePrefixBehindAPath() {
        for (String path : List.of("a", "b", "b/1", "b/2", "b/3", "c")) {
            step(new CreateFile(path, 1));
        }
        assertThat(paths("b/", "", 10)).containsExactly("b/1", "b/2", "b/3");
        assertThat(paths("b/", "b/1", 1)).containsExactly("b/2");
        assertThat(paths("", "b/2", 10)).containsExactly("b/3", "c");
        assertThat(paths("b/", "c", 10)).isEmpty();
    }

    private List<String> paths(String prefix, String after, int limit) {
        return state.list(prefix, after, limit).stream().map(FileEntry::path).toList();
    }
}
