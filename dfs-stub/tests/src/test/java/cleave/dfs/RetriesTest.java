package cleave.dfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.dfs.DfsException.Reason;
import cleave.runtime.loop.ManualLoop;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** How calls end that nobody answers. */
class RetriesTest {
    private final ManualLoop loop = new ManualLoop();
    private final Retries retries = new Retries(loop, TimeUnit.SECONDS.toNanos(5), failures -> failures * 1_000_000L);

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
        CompletableFuture<String> call = retries.run("ask", () -> answer, late::complete);
        loop.advance(TimeUnit.SECONDS.toNanos(5));
        assertFails(call, Reason.UNAVAILABLE);

        answer.complete("late");

        assertThat(late).isCompletedWithValue("late");
    }

    @Test
    void whatFailsForNowIsRepeatedUntilItIsAnsweredOrTheNextAttemptWouldComeTooLate() {
        AtomicInteger attempts = new AtomicInteger();
        CompletableFuture<Integer> third = retries.run(
                "ask",
                () -> attempts.incrementAndGet() < 3
                        ? CompletableFuture.failedFuture(new IllegalStateException("a bookie is away"))
                        : CompletableFuture.completedFuture(attempts.get()));
        CompletableFuture<Integer> never = retries.run("ask", () -> {
            throw new DfsException(Reason.UNAVAILABLE, "nobody is there");
        });
        CompletableFuture<Integer> answered = retries.run("ask", () -> {
            throw new DfsException(Reason.DELETED, "log");
        });
        assertFails(answered, Reason.DELETED);
        loop.advance(TimeUnit.MILLISECONDS.toNanos(3));
        assertThat(third).isCompletedWithValue(3);
        assertThat(never).isNotDone();
        loop.advance(TimeUnit.SECONDS.toNanos(5));
        assertFails(never, Reason.UNAVAILABLE);
    }

    @Test
    void aCallThatIsUnderWayEndsWithTheDfsAndSoDoesALaterOne() {
        CompletableFuture<String> call = retries.run("ask", CompletableFuture::new);

        retries.close();

        assertFails(call, Reason.BROKEN);
        assertFails(retries.run("ask", CompletableFuture::new), Reason.BROKEN);
    }
}
