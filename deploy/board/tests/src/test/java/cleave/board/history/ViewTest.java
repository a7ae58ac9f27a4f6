package cleave.board.history;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.board.Examples;
import cleave.board.frame.Axis;
import cleave.board.frame.Cells;
import cleave.board.frame.Cut;
import cleave.board.frame.Frame;
import cleave.board.frame.Measure;
import cleave.board.frame.Parties;
import cleave.board.frame.Told;
import java.util.List;
import org.junit.jupiter.api.Test;

class ViewTest {
    private static final View.Query ALL = new View.Query(Measure.ENTITIES, Rows.EQUAL_PARTITIONS, null, 1, 1536);

    @Test
    void whatIsKnownLaterIsSpreadBackwards() {
        Frame coarse = Examples.frame(1, Examples.axis(1), 100);
        Frame fine = Examples.frame(2, Examples.axis(2, "a", "b"), 10, 80, 10);

        View view = View.of(List.of(coarse, fine), ALL, false);

        assertThat(view.cuts()).containsExactly(new Cut(3, "a"), new Cut(3, "b"));
        assertThat(view.columns().get(0).values()).containsExactly(10, 80, 10);
        assertThat(view.columns().get(1).values()).containsExactly(10, 80, 10);
    }

    @Test
    void anIdleColumnTeachesNothing() {
        Frame first = Examples.frame(1, Examples.axis(1), 100);
        Frame fine = Examples.frame(2, Examples.axis(2, "a"), 25, 75);
        Frame idle = Examples.frame(3, Examples.axis(3), 0);

        View view = View.of(List.of(first, fine, idle), ALL, false);

        assertThat(view.columns().get(0).values()).containsExactly(25, 75);
        assertThat(view.columns().get(2).values()).containsExactly(0, 0);
    }

    @Test
    void aMomentOfWhichNothingIsKnownHasNoValues() {
        View view = View.of(
                List.of(Frame.stale(1, 1000, 1000, "no leader"), Examples.frame(2, Examples.axis(1, "a"), 1, 2)),
                ALL,
                false);

        assertThat(view.columns().get(0).values()).isNull();
        assertThat(view.columns().get(1).values()).containsExactly(1, 2);
    }

    @Test
    void aClusterWithoutARangeHasNoValues() {
        Frame none = new Frame(1, 1000, 1000, "", Axis.NONE, Cells.NONE, Parties.NONE, 0, Told.NOTHING);

        View view = View.of(List.of(none, Examples.frame(2, Examples.axis(1, "a"), 1, 2)), ALL, false);

        assertThat(view.columns().get(0).values()).isNull();
    }

    @Test
    void rowsAreJoinedUntilThereAreFewEnough() {
        Frame frame = Examples.frame(1, Examples.axis(1, "", "a", "b", "c"), 0, 1, 1, 100, 1);

        View view = View.of(List.of(frame), new View.Query(Measure.ENTITIES, Rows.EQUAL_LOAD, null, 1, 4), false);

        assertThat(view.cuts()).containsExactly(new Cut(3, ""), new Cut(3, "b"), new Cut(3, "c"));
        assertThat(view.columns().get(0).values()).containsExactly(0, 2, 100, 1);
    }

    @Test
    void oneTableIsShownAlone() {
        Axis axis = new Axis(
                1,
                List.of(),
                List.of(new Cut(2, ""), new Cut(3, ""), new Cut(3, "m"), new Cut(4, ""), new Cut(4, "x")));
        Frame frame = Examples.frame(1, axis, 1, 2, 3, 4, 5, 6);

        View view = View.of(List.of(frame), new View.Query(Measure.ENTITIES, Rows.WIDTH, 3L, 1, 1536), false);

        assertThat(view.columns().get(0).values()).containsExactly(3, 4);
        assertThat(view.heights()).hasSize(2);
        assertThat(view.heights().get(0) + view.heights().get(1)).isEqualTo(1);
    }

    @Test
    void theWaitInAQueueIsNeverSummed() {
        Cells.Builder cells = new Cells.Builder(2)
                .place(0, 4096, 0, 0)
                .place(1, 4096, 0, 0)
                .set(Measure.QUEUE, 0, 50)
                .set(Measure.QUEUE, 1, 50);
        Frame frame = new Frame(1, 1000, 1000, "", Examples.axis(1, "a"), cells.build(), Parties.NONE, 1, Told.NOTHING);

        View view = View.of(List.of(frame), new View.Query(Measure.QUEUE, Rows.EQUAL_PARTITIONS, null, 1, 1), false);

        assertThat(view.columns().get(0).values()).containsExactly(50);
    }

    @Test
    void shortColumnsAreFolded() {
        Axis axis = Examples.axis(1, "a");
        List<Frame> frames =
                List.of(Examples.frame(1, axis, 10, 0), Examples.frame(2, axis, 30, 4), Examples.frame(3, axis, 7, 7));

        View view = View.of(frames, new View.Query(Measure.ENTITIES, Rows.EQUAL_PARTITIONS, null, 2000, 1536), false);

        assertThat(view.columns()).extracting(View.Column::t).containsExactly(2000L, 3000L);
        assertThat(view.columns().get(0).values()).containsExactly(20, 2);
    }
}
