package cleave.dfs.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.runtime.loop.ManualLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class BarrierTest {
    private final List<CompletableFuture<Integer>> sent = new ArrayList<>();
    private final ManualLoop timers = new ManualLoop();
    private final Barrier<Integer> barrier = new Barrier<>(
            () -> {
                sent.add(new CompletableFuture<>());
                return sent.get(sent.size() - 1);
            },
            timers);

    @Test
    void whoComesWhileAMessageIsUnderWayWaitsForTheNextOneTogether() {
        CompletableFuture<Integer> first = barrier.pass();
        CompletableFuture<Integer> second = barrier.pass();
        CompletableFuture<Integer> third = barrier.pass();
        assertThat(sent).hasSize(1);

        sent.get(0).complete(1);
        assertThat(first).isCompletedWithValue(1);
        assertThat(second).isNotDone();
        assertThat(sent).hasSize(2);

        sent.get(1).complete(2);
        assertThat(second).isCompletedWithValue(2);
        assertThat(third).isCompletedWithValue(2);
        assertThat(sent).hasSize(2);
        assertThat(barrier.pass()).isNotDone();
        assertThat(sent).hasSize(3);
    }

    /** If each answer took longer than that, every wait would end without one. */
    @Test
    void aMessageThatIsAnsweredLateCountsAndTheNextOneDoesNotWaitForIt() {
        CompletableFuture<Integer> first = barrier.pass();
        CompletableFuture<Integer> second = barrier.pass();
        assertThat(sent).hasSize(1);
        timers.advance(Barrier.ANSWER_NANOS);
        assertThat(sent).hasSize(2);
        assertThat(first).isNotDone();

        sent.get(0).complete(1);
        assertThat(second).isNotDone();

        assertThat(first).isCompletedWithValue(1);
    }

    @Test
    void aMessageThatFailsFailsThoseWhoWaitForItAndNoOthers() {
        CompletableFuture<Integer> first = barrier.pass();
        CompletableFuture<Integer> second = barrier.pass();

        sent.get(0).completeExceptionally(new IllegalStateException("lost"));
        sent.get(1).complete(2);

        assertThat(first).isCompletedExceptionally();
        assertThat(second).isCompletedWithValue(2);
    }
}
