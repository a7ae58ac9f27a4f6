package cleave.server.opening;

import static cleave.server.opening.ReplayTurns.BYTES_MAX;
import static cleave.server.opening.ReplayTurns.BYTES_OF_ONE;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.runtime.loop.ManualLoop;
import cleave.server.opening.ReplayTurns.Turn;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ReplayTurnsTest {
    private final ManualLoop loop = new ManualLoop();
    private final ReplayTurns turns = new ReplayTurns(loop);
    private final List<Long> come = new ArrayList<>();

    private Turn ask(long rank, long bytes) {
        Turn turn = loop.call(() -> turns.ask(rank, bytes));
        turn.come().thenRun(() -> come.add(rank));
        return turn;
    }

    private Optional<Turn> early(long bytes) {
        return loop.call(() -> Optional.ofNullable(turns.early(bytes)));
    }

    private void end(Turn turn) {
        loop.run(turn::end);
    }

    @Test
    void asManyHaveTheirTurnAsTheirBytesAllow() {
        for (long rank = 0; rank < 10; rank++) {
            ask(rank, BYTES_OF_ONE);
        }
        assertThat(come).containsExactly(0L, 1L, 2L, 3L);
    }

    @Test
    void shortLogsAreReplayedTogether() {
        for (long rank = 0; rank < 200; rank++) {
            ask(rank, 1 << 10);
        }
        assertThat(come).hasSize(200);
    }

    @Test
    void thoseThatBeganFirstAreNext() {
        Turn first = ask(5, BYTES_MAX);
        ask(9, BYTES_MAX);
        Turn hot = ask(6, BYTES_MAX);

        end(first);
        assertThat(come).containsExactly(5L, 6L);
        end(first);
        assertThat(come).as("it ends once").containsExactly(5L, 6L);
        end(hot);
        assertThat(come).containsExactly(5L, 6L, 9L);
    }

    @Test
    void oneThatNeedsMoreThanThereIsHasItAlone() {
        Turn small = ask(0, 1);
        Turn large = ask(1, BYTES_MAX + 1);
        ask(2, 1);
        assertThat(come).containsExactly(0L);

        end(small);
        assertThat(come).containsExactly(0L, 1L);
        end(large);
        assertThat(come).containsExactly(0L, 1L, 2L);
    }

    @Test
    void oneThatIsGivenUpWhileItWaitsIsPassedOver() {
        Turn first = ask(0, BYTES_MAX);
        Turn givenUp = ask(1, BYTES_MAX);
        ask(2, BYTES_MAX);

        end(givenUp);
        end(first);

        assertThat(come).containsExactly(0L, 2L);
    }

    /** A large checkpoint may take long to come. */
    @Test
    void thoseThatAreNotReadyLeaveHalfToThoseThatAre() {
        List<Turn> early = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            early(BYTES_OF_ONE).ifPresent(early::add);
        }
        assertThat(early).hasSize(2).allMatch(turn -> turn.come().isDone());

        ask(7, BYTES_MAX / 2);
        assertThat(come).containsExactly(7L);
        ask(8, 1);
        assertThat(early(0)).as("others wait already").isEmpty();
        end(early.get(0));
        assertThat(come).containsExactly(7L, 8L);
    }
}
