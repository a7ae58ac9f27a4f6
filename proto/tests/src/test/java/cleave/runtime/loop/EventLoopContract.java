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
import org.junit.jupiter.api.Timeout;

/** The contract of an event loop that has a thread. */
@Timeout(120)
public abstract class EventLoopContract {
    private static final long DAY_NANOS = TimeUnit.DAYS.toNanos(1);

    /** The fault that the loop reports. */
    protected final CompletableFuture<Throwable> fault = new CompletableFuture<>();

    /** The loop of this test, which reports its faults to {@link #fault}. */
    protected abstract EventLoop loop();

    /** Ends the loop; idempotent. */
    protected abstract void close();

    @AfterEach
    final void end() {
        close();
    }

    protected final Thread threadOfLoop() throws Exception {
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        loop().submit(() -> thread.complete(Thread.currentThread()));
        return thread.get(1, TimeUnit.MINUTES);
    }

    @Test
    void eventsRunInOrderOfSubmission() throws Exception {
        List<Integer> ran = new ArrayList<>();
        CompletableFuture<Integer> last = new CompletableFuture<>();
        for (int i = 0; i < 100; i++) {
            int event = i;
            loop().submit(() -> ran.add(event));
        }
        loop().submit(() -> last.complete(ran.size()));
        assertThat(last.get(1, TimeUnit.MINUTES)).isEqualTo(100);
        assertThat(ran).isSorted();
    }

    @Test
    void eventsSubmittedInsideRunInTheirOrderAfterTheCurrentOne() throws Exception {
        List<Integer> ran = new ArrayList<>();
        CompletableFuture<Integer> last = new CompletableFuture<>();
        loop().submit(() -> {
            for (int i = 0; i < 100; i++) {
                int event = i;
                loop().submit(() -> ran.add(event));
            }
            loop().submit(() -> last.complete(ran.size()));
            assertThat(ran).isEmpty();
        });
        assertThat(last.get(1, TimeUnit.MINUTES)).isEqualTo(100);
        assertThat(ran).isSorted();
        assertThat(fault).isNotDone();
    }

    @Test
    void insideIsTheLoopsThreadOnly() throws Exception {
        CompletableFuture<Boolean> inside = new CompletableFuture<>();
        loop().submit(() -> {
            loop().assertInside();
            inside.complete(true);
        });
        assertThat(inside.get(1, TimeUnit.MINUTES)).isTrue();
        assertThatThrownBy(loop()::assertInside).isInstanceOf(Invariant.Violation.class);
    }

    @Test
    void eventThatThrowsGoesToTheFaultHandlerAndTheNextOneRuns() throws Exception {
        IllegalStateException bug = new IllegalStateException("bug");
        loop().submit(() -> {
            throw bug;
        });
        assertThat(fault.get(1, TimeUnit.MINUTES)).isSameAs(bug);
        assertThat(threadOfLoop().isAlive()).isTrue();
    }

    @Test
    void timersRunAfterTheirDelayUnlessCancelled() throws Exception {
        CompletableFuture<Long> ran = new CompletableFuture<>();
        CompletableFuture<Long> never = new CompletableFuture<>();
        long begun = loop().nanos();
        loop().submit(
                        () -> { // From inside, so that no timer can run before it is cancelled.
                            EventLoop.Timer cancelled = loop().schedule(0, () -> never.complete(loop().nanos()));
                            cancelled.cancel();
                            cancelled.cancel();
                            loop().schedule(5_000_000, () -> ran.complete(loop().nanos()));
                        });
        assertThat(ran.get(1, TimeUnit.MINUTES) - begun).isGreaterThanOrEqualTo(5_000_000);
        assertThat(never).isNotDone();
    }

    @Test
    void closedLoopDropsWhatIsSubmittedAndScheduled() {
        close();
        loop().submit(() -> fault.complete(new AssertionError("ran after close")));
        loop().schedule(DAY_NANOS, () -> {}).cancel();
        assertThat(fault).isNotDone();
    }
}
