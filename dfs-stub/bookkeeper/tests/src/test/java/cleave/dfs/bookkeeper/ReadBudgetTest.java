package cleave.dfs.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ReadBudgetTest {
    private static final long BOUND = 1_000;

    private long now;
    private final ReadBudget budget = new ReadBudget(100, BOUND, () -> now);
    private final List<CompletableFuture<String>> begun = new ArrayList<>();

    private CompletableFuture<String> read(long bytes) {
        return budget.run(bytes, () -> {
            CompletableFuture<String> read = new CompletableFuture<>();
            begun.add(read);
            return read;
        });
    }

    @Test
    void readsWaitForRoomInTheirOrder() {
        CompletableFuture<String> first = read(60);
        read(40);
        read(50);
        CompletableFuture<String> small = read(10);
        assertThat(begun).as("a small one does not overtake").hasSize(2);

        begun.get(1).complete("b");
        assertThat(begun).hasSize(2);
        begun.get(0).complete("a");
        assertThat(first).isCompletedWithValue("a");
        assertThat(begun).hasSize(4);
        begun.get(3).complete("d");
        assertThat(small).isCompletedWithValue("d");
    }

    @Test
    void oneLargerThanTheRoomHasItAlone() {
        read(1);
        read(1_000);
        read(1);
        assertThat(begun).hasSize(1);
        begun.get(0).complete("a");
        assertThat(begun).hasSize(2);
        begun.get(1).complete("b");
        assertThat(begun).hasSize(3);
    }

    @Test
    void whatNobodyWaitsForAnyMoreDoesNotBegin() {
        read(100);
        CompletableFuture<String> early = read(100);
        now = 1;
        CompletableFuture<String> late = read(100);
        now = BOUND;
        begun.get(0).complete("a");
        assertThat(early).isCompletedExceptionally();
        assertThat(late).isNotDone();
        assertThat(begun).hasSize(2);
    }

    @Test
    void anyNumberOfReadsThatEndAtOnceCanHaveWaited() {
        read(100);
        List<CompletableFuture<String>> waiting = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            waiting.add(budget.run(100, () -> CompletableFuture.completedFuture("at once")));
        }
        begun.get(0).complete("a");
        assertThat(waiting).allMatch(each -> "at once".equals(each.getNow(null)));
    }

    @Test
    void whatFailsOrIsThrownGivesItsRoomBack() {
        CompletableFuture<String> failing = read(100);
        begun.get(0).completeExceptionally(new IllegalStateException("failed"));
        assertThat(failing).isCompletedExceptionally();
        assertThat(budget.<String>run(100, () -> {
                    throw new IllegalStateException("thrown");
                }))
                .isCompletedExceptionally();
        read(100);
        assertThat(begun).hasSize(2);
    }
}
