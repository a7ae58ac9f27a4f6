package cleave.board.history;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.board.Examples;
import cleave.board.frame.Axis;
import cleave.board.frame.Frame;
import cleave.board.frame.Measure;
import java.util.List;
import org.junit.jupiter.api.Test;

class HistoryTest {
    private static final long DAY = 86_400;
    private final History history = new History(false);

    @Test
    void theLastTenMinutesAreKeptAsTheyCame() {
        Axis axis = Examples.axis(1, "a");
        for (int n = 1; n <= 1000; n++) {
            history.add(Examples.frame(n, axis, n, 0));
        }

        List<Frame> frames = history.frames(400_000, 1_000_000);
        assertThat(frames).hasSize(600).allMatch(frame -> frame.span() == 1000);
        assertThat(requireNonNull(history.newest()).cells().value(Measure.ENTITIES, 0))
                .isEqualTo(1000);
    }

    @Test
    void fiveWeeksTakeTheMemoryOfSomeHundredFrames() {
        Axis axis = Examples.axis(1, "a");
        long frames = 40 * DAY / 20;
        for (long n = 1; n <= frames; n++) {
            Frame frame = Examples.frame(n, axis, 8, 2);
            history.add(new Frame(n, n * 20_000, 20_000, "", axis, frame.cells(), frame.parties(), 1, frame.told()));
        }

        List<Frame> all = history.frames();
        assertThat(all).hasSizeLessThanOrEqualTo(600 + 60 + 210 + 160 + 288 + 168 + 5);
        assertThat(all).extracting(Frame::t).isSorted().doesNotHaveDuplicates();
        assertThat(all.get(0).span()).isEqualTo(14_400_000);
        assertThat(all.get(all.size() - 1).t() - all.get(0).t()).isGreaterThan(33 * DAY * 1000);
        assertThat(all).allMatch(frame -> frame.cells().value(Measure.ENTITIES, 0) == 8);
    }

    @Test
    void aFoldedFrameIsOnTheNewestAxis() {
        Fold fold = new Fold(false);
        fold.add(Examples.frame(1, Examples.axis(1), 100));
        fold.add(Examples.frame(2, Examples.axis(2, "m"), 0, 50));

        Frame folded = fold.result();

        assertThat(folded.axis().id()).isEqualTo(2);
        assertThat(folded.span()).isEqualTo(2000);
        assertThat(folded.cells().value(Measure.ENTITIES, 0)).isZero();
        assertThat(folded.cells().value(Measure.ENTITIES, 1)).isEqualTo(75);
    }

    @Test
    void equalArraysAreKeptOnce() {
        Axis axis = Examples.axis(1, "a");
        Frame frame = Examples.frame(1, axis, 5, 6);

        assertThat(Examples.frame(2, axis, 5, 7).cells().sharing(frame.cells()))
                .isEqualTo(Examples.frame(2, axis, 5, 7).cells());
    }

    @Test
    void afterAClockWasSetBackWhatLiesAheadIsForgotten() {
        Axis axis = Examples.axis(1, "a");
        for (int n = 1; n <= 700; n++) {
            history.add(Examples.frame(n, axis, n, 0));
        }
        history.add(Examples.frame(50, axis, 9, 9));
        history.add(Examples.frame(51, axis, 9, 9));

        assertThat(history.frames()).extracting(Frame::t).isSorted().doesNotHaveDuplicates();
        assertThat(history.newest()).extracting(Frame::t).isEqualTo(51_000L);
    }
}
