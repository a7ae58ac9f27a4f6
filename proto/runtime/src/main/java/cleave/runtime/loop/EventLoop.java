package cleave.runtime.loop;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs events one after the other, in order of submission. Thread-safe.
 *
 * <p>The state that a loop owns is touched only inside it. Outside work (appends, calls) comes back by {@link #whenDone}. An
 * event that throws is a bug: the loop reports it to its fault handler, which ends the process. Events that are submitted or scheduled
 * after the loop's end are dropped.
 */
public interface EventLoop extends Clock {
    /** Runs the event inside the loop, soon; from inside, after the current event. */
    void submit(Runnable event);

    /** Runs the event inside the loop after a delay, unless the timer is cancelled before. */
    Timer schedule(long delayNanos, Runnable event);

    /** Checks that the caller is inside the loop. */
    void assertInside();

    /** Calls {@code end} inside the loop with the result of outside work or, if there is none, with the {@link #cause} of its failure. */
    default <T> void whenDone(CompletableFuture<T> work, BiConsumer<@Nullable T, @Nullable Throwable> end) {
        work.whenComplete((result, failure) -> submit(() -> end.accept(result, cause(failure))));
    }

    /** The failure of outside work without the exception in which a future wraps it. */
    static @Nullable Throwable cause(@Nullable Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    /** A scheduled event. Thread-safe. */
    interface Timer {
        /** Idempotent; no effect once the event has begun. */
        void cancel();
    }
}
