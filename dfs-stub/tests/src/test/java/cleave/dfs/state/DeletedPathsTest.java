package cleave.dfs.state;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.dfs.link.NamesCodec;
import cleave.dfs.node.Checkpoint;
import cleave.dfs.state.NamesAnswer.Outcome;
import cleave.dfs.state.NamesCommand.CreateFile;
import cleave.dfs.state.NamesCommand.DeleteFile;
import cleave.dfs.state.NamesCommand.FinishDelete;
import cleave.dfs.state.NamesCommand.MarkSealing;
import cleave.wire.NodeCheckpoint;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Checks how deleted paths are remembered (decision 11), and in how little space. {@code -Ddeleted.paths=10000000} deletes more. */
final class DeletedPathsTest {
    private static final int LIVING = 50;
    private static final int DELETED = Integer.getInteger("deleted.paths", 100_000);

    private NamesState state = NamesState.EMPTY;

    private Outcome outcome(NamesCommand command) {
        NamesState.Step step = state.step(command);
        state = step.state();
        return step.answer().outcome();
    }

    private static String path(int range, String maker, String kind, long ordinal) {
        return "ranges/" + range + ".0/" + (40 + range) + "-" + maker + "-" + kind + "-" + ordinal;
    }

    private NamesState throughACheckpoint() {
        NamesState restored = NamesState.EMPTY;
        for (Iterator<NodeCheckpoint> parts = new Checkpoint("n1", 1, 0, List.of(), IdIntervals.EMPTY, state).parts();
                parts.hasNext(); ) {
            restored = NamesCodec.restored(restored, parts.next().getNames());
        }
        return restored;
    }

    private int checkpointBytes() {
        int bytes = 0;
        for (Iterator<NodeCheckpoint> parts = new Checkpoint("n1", 1, 0, List.of(), IdIntervals.EMPTY, state).parts();
                parts.hasNext(); ) {
            int part = parts.next().getSerializedSize();
            assertThat(part).isLessThan(100_000);
            bytes += part;
        }
        return bytes;
    }

    @Test
    void aHundredThousandDeletedPathsTakeNoMoreThanWhatLives() {
        long ordinal = 0;
        String[] kinds = {"log", "manifest", "checkpoint"};
        while (ordinal < DELETED) {
            ordinal++;
            outcome(new CreateFile(path((int) (ordinal % 7), "s1.9", kinds[(int) (ordinal % 3)], ordinal), 1));
            long old = ordinal - LIVING;
            if (old > 0 && old % 100 != 0) { // Each hundredth lives on.
                String path = path((int) (old % 7), "s1.9", kinds[(int) (old % 3)], old);
                outcome(new DeleteFile(path));
                outcome(new FinishDelete(path));
            }
        }

        NamesState before = state;
        state = throughACheckpoint();
        assertThat(state).isEqualTo(before);
        int living = state.files().size();
        assertThat(living).isEqualTo(DELETED / 100 - 1 + LIVING);
        assertThat(checkpointBytes()).isLessThan(living * 200);
        assertThat(state.deleted().size()).isLessThan(300);
        String deleted = path(77_777 % 7, "s1.9", kinds[77_777 % 3], 77_777);
        assertThat(outcome(new CreateFile(deleted, 2))).isEqualTo(Outcome.EXISTS);
        assertThat(outcome(new MarkSealing(deleted))).isEqualTo(Outcome.DELETED);
        String lives = path(77_700 % 7, "s1.9", kinds[77_700 % 3], 77_700);
        assertThat(state.lookUp(lives).outcome()).isEqualTo(Outcome.DONE);
        assertThat(outcome(new MarkSealing(lives))).isEqualTo(Outcome.SEALING);
    }

    @Test
    void whatAnIncarnationMadeIsOverWhenALaterOneOfItsServerMakesAFile() {
        outcome(new CreateFile(path(1, "s1.9", "log", 1), 1));
        outcome(new CreateFile(path(1, "s2.5", "log", 1), 1));
        assertThat(outcome(new CreateFile(path(2, "s1.12", "log", 1), 1))).isEqualTo(Outcome.DONE);

        // Its files live on, and can be sealed and deleted; it makes no others.
        assertThat(outcome(new MarkSealing(path(1, "s1.9", "log", 1)))).isEqualTo(Outcome.SEALING);
        assertThat(outcome(new CreateFile(path(1, "s1.9", "log", 2), 1))).isEqualTo(Outcome.EXISTS);
        assertThat(outcome(new MarkSealing(path(1, "s1.9", "log", 2)))).isEqualTo(Outcome.DELETED);
        assertThat(outcome(new DeleteFile(path(1, "s1.9", "log", 1)))).isEqualTo(Outcome.DONE);
        assertThat(outcome(new CreateFile(path(1, "s1.9", "log", 1), 1))).isEqualTo(Outcome.EXISTS);
        assertThat(outcome(new CreateFile(path(1, "s2.5", "log", 2), 1))).isEqualTo(Outcome.DONE);
        assertThat(state.deleted().size()).isEqualTo(2); // The two servers.
    }

    @Test
    void namesWithoutNumbersAreKeptOneByOne() {
        for (String path : List.of("f", "ranges/1.0/4-s1.9-log-07", "ranges/1.0/4-s1-log-7", "r/4-s1.9-log-7x")) {
            outcome(new CreateFile(path, 1));
            outcome(new DeleteFile(path));
            assertThat(outcome(new CreateFile(path, 1))).isEqualTo(Outcome.EXISTS);
        }
        assertThat(state.deleted().others()).hasSize(4);
        assertThat(state.deleted().servers()).isEmpty();
    }
}
