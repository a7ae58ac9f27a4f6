package cleave.dfs.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How calls end that nobody answers. */
class AttemptsTest {
    private final ScheduledThreadPoolExecutor timers = new ScheduledThreadPoolExecutor(1);

    @AfterEach
    void stop() {
        timers.shutdownNow();
    }

    private static void assertFails(CompletableFuture<?> call, Reason reason) {
        assertThatThrownBy(() -> call.get(30, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(
                        DfsException.class,
                        failure -> assertThat(failure.reason()).isEqualTo(reason));
    }

    @Test
    void aCallWithoutAnAnswerEndsAndALateResultIsHandedBack() {
        CompletableFuture<String> answer = new CompletableFuture<>();
        CompletableFuture<String> late = new CompletableFuture<>();
        CompletableFuture<String> call =
                new Attempts(timers, TimeUnit.MILLISECONDS.toNanos(50)).run("ask", () -> answer, late::complete);
        assertFails(call, Reason.UNAVAILABLE);

        answer.complete("late");

        assertThat(late).isCompletedWithValue("late");
    }

    @Test
    void aCallThatIsUnderWayEndsWithTheDfs() {
        Attempts attempts = new Attempts(timers, TimeUnit.MINUTES.toNanos(5));
        CompletableFuture<String> call = attempts.run("ask", CompletableFuture::new);

        attempts.close();

        assertFails(call, Reason.BROKEN);
    }

    /** In the instant in which the DFS is closed. */
    @Test
    void aCallThatComesAfterTheTimersHaveStoppedFailsLikeAnyOther() {
        Attempts attempts = new Attempts(timers, TimeUnit.MINUTES.toNanos(5));
        timers.shutdownNow();

        assertFails(attempts.run("ask", CompletableFuture::new), Reason.BROKEN);
    }
}
