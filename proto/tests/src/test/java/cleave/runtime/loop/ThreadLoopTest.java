package cleave.runtime.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.model.Invariant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class ThreadLoopTest {
    private static final long DAY_NANOS = TimeUnit.DAYS.toNanos(1);

    private final CompletableFuture<Throwable> fault = new CompletableFuture<>();
    private final ThreadLoop loop = new ThreadLoop("test-loop", fault::complete);

    @AfterEach
    void close() {
        loop.close();
    }

    @Test
    void eventsRunInOrderOfSubmissionOnTheThreadOfThatName() throws Exception {
        List<Integer> ran = new ArrayList<>();
        CompletableFuture<String> last = new CompletableFuture<>();
        for (int i = 0; i < 100; i++) {
            int event = i;
            loop.submit(() -> ran.add(event));
        }
        loop.submit(() -> last.complete(Thread.currentThread().getName()));
        assertThat(last.get(10, TimeUnit.SECONDS)).isEqualTo("test-loop");
        assertThat(ran).hasSize(100).isSorted();
    }

    @Test
    void insideIsTheLoopsThreadOnly() throws Exception {
        CompletableFuture<Boolean> inside = new CompletableFuture<>();
        loop.submit(() -> {
            loop.assertInside();
            inside.complete(true);
        });
        assertThat(inside.get(10, TimeUnit.SECONDS)).isTrue();
        assertThatThrownBy(loop::assertInside).isInstanceOf(Invariant.Violation.class);
    }

    @Test
    void eventThatThrowsGoesToTheFaultHandler() throws Exception {
        IllegalStateException bug = new IllegalStateException("bug");
        loop.submit(() -> {
            throw bug;
        });
        assertThat(fault.get(10, TimeUnit.SECONDS)).isSameAs(bug);
    }

    @Test
    void timersRunAfterTheirDelayUnlessCancelled() throws Exception {
        CompletableFuture<Long> ran = new CompletableFuture<>();
        CompletableFuture<Long> never = new CompletableFuture<>();
        long begun = loop.nanos();
        loop.submit(
                () -> { // From inside, so that no timer can run before it is cancelled.
                    EventLoop.Timer cancelled = loop.schedule(0, () -> never.complete(loop.nanos()));
                    cancelled.cancel();
                    cancelled.cancel();
                    loop.schedule(5_000_000, () -> ran.complete(loop.nanos()));
                });
        assertThat(ran.get(10, TimeUnit.SECONDS) - begun).isGreaterThanOrEqualTo(5_000_000);
        assertThat(never).isNotDone();
    }

    @Test
    void closedLoopDropsWhatIsSubmittedAndScheduled() {
        loop.close();
        loop.submit(() -> fault.complete(new AssertionError("ran after close")));
        loop.schedule(DAY_NANOS, () -> {}).cancel();
        assertThat(fault).isNotDone();
    }
}
