package cleave.frontend.fairness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.frontend.protocol.odata.ServiceError;
import cleave.runtime.loop.ManualLoop;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class TurnsTest {
    private static final int HEAVY = 1;
    private static final int LIGHT = 2;

    private final ManualLoop loop = new ManualLoop();
    private final Turns turns = new Turns(loop, 1_000);
    /** The steps that were done, by the names of their work. */
    private final List<String> steps = new ArrayList<>();

    private final class Steps implements Turns.Work {
        private final String name;
        private final long bytes;
        private int left;

        Steps(String name, int count, long bytes) {
            this.name = name;
            this.left = count;
            this.bytes = bytes;
        }

        @Override
        public boolean isDone() {
            return left == 0;
        }

        @Override
        public long step() {
            left--;
            steps.add(name);
            return bytes;
        }
    }

    private CompletableFuture<Void> run(int account, String name, int count, long bytes) {
        return loop.call(() -> turns.run(account, count * bytes, new Steps(name, count, bytes)));
    }

    /** Runs until the given number of steps is done. */
    private void runUntil(int count) {
        loop.advanceUntil(() -> steps.size() >= count, 0);
    }

    @Test
    void aPageOfAnotherAccountWaitsForOneTurnHoweverManyWait() {
        for (int i = 0; i < 200; i++) {
            run(HEAVY, "heavy", 16, Turns.TURN_BYTES);
        }
        runUntil(100);
        int before = steps.size();
        run(LIGHT, "light", 1, Turns.TURN_BYTES);
        loop.advance(0);

        assertThat(steps.subList(before, before + 2)).contains("light");
        assertThat(Collections.frequency(steps, "heavy")).isEqualTo(200 * 16);
    }

    @Test
    void otherEventsWaitForOneTurn() {
        CompletableFuture<Void> page = run(HEAVY, "heavy", 16, Turns.TURN_BYTES);
        List<Integer> seen = new ArrayList<>();
        while (!page.isDone()) {
            loop.run(() -> seen.add(steps.size()));
            runUntil(steps.size() + 1);
        }
        assertThat(seen).hasSize(16).doesNotHaveDuplicates();
    }

    @Test
    void aTurnEndsAtItsBytes() {
        run(HEAVY, "heavy", 1_000, Turns.TURN_BYTES / 16);
        runUntil(1);

        assertThat(steps).hasSize(16);
    }

    @Test
    void accountsShareBytesAndNotTurns() {
        for (int i = 0; i < 10; i++) {
            run(
                    HEAVY,
                    "heavy",
                    10,
                    10 * Turns.TURN_BYTES); // Each step is an entity of the largest size, and so a turn.
            run(LIGHT, "light", 100, Turns.TURN_BYTES);
        }
        runUntil(550);

        assertThat(Collections.frequency(steps, "heavy")).isBetween(48, 52);
    }

    @Test
    void whatIsSmallIsDoneAtOnce() {
        run(HEAVY, "heavy", 16, Turns.TURN_BYTES);
        assertThat(run(LIGHT, "light", 5, Turns.AT_ONCE_BYTES / 5)).isDone();
        assertThat(steps).containsExactly("light", "light", "light", "light", "light");
    }

    @Test
    void whatAStepThrowsIsTheEndOfItsWorkOnly() {
        CompletableFuture<Void> broken = loop.call(() -> turns.run(HEAVY, Turns.TURN_BYTES, new Turns.Work() {
            @Override
            public boolean isDone() {
                return false;
            }

            @Override
            public long step() {
                throw new IllegalStateException("broken");
            }
        }));
        CompletableFuture<Void> whole = run(HEAVY, "whole", 3, Turns.TURN_BYTES);
        loop.advance(0);

        assertThatThrownBy(broken::join).hasRootCauseMessage("broken");
        assertThat(whole).isCompleted();
    }

    @Test
    void whatIsTooMuchIsServerBusy() {
        CompletableFuture<Void> last = run(HEAVY, "heavy", 1, Turns.TURN_BYTES);
        int taken = 0;
        while (!last.isCompletedExceptionally()) {
            taken++;
            last = run(HEAVY, "heavy", 1, Turns.TURN_BYTES);
        }
        assertThat(taken).isEqualTo(800);
        assertThatThrownBy(last::join).hasCauseInstanceOf(ServiceError.class);
        assertThat(run(LIGHT, "light", 1, Turns.TURN_BYTES)).isNotDone();
        loop.advance(0);
        assertThat(Collections.frequency(steps, "light")).isEqualTo(1);
    }
}
