package cleave.dfs.bookkeeper;

import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.runtime.loop.Backoff;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Repeats what fails with UNAVAILABLE, or with an error of ZooKeeper or the bookies, until a bound; then it is UNAVAILABLE. Thread-safe. What is
 * given to it may have been done already when it is repeated.
 */
final class Attempts implements AutoCloseable {
    private static final Backoff PAUSES = new Backoff(20_000_000, 300_000_000);

    private final ScheduledThreadPoolExecutor timers;
    private final long boundNanos;
    private final Set<Call<?>> underWay = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** @param timers which are stopped by their owner, after this was closed */
    Attempts(ScheduledThreadPoolExecutor timers, long boundNanos) {
        this.timers = timers;
        this.boundNanos = boundNanos;
    }

    <T> CompletableFuture<T> run(String what, Supplier<CompletableFuture<T>> attempt) {
        return run(what, attempt, tooLate -> {});
    }

    /** @param tooLate gets a result that came after the caller had been told that there was none */
    <T> CompletableFuture<T> run(String what, Supplier<CompletableFuture<T>> attempt, Consumer<T> tooLate) {
        Call<T> call = new Call<>(what, attempt, tooLate);
        underWay.add(call);
        call.result.whenComplete((value, failure) -> underWay.remove(call));
        call.next(0);
        return call.result;
    }

    private final class Call<T> {
        final CompletableFuture<T> result = new CompletableFuture<>();
        private final String what;
        private final Supplier<CompletableFuture<T>> attempt;
        private final Consumer<T> tooLate;
        private final long untilNanos = System.nanoTime() + boundNanos;

        Call(String what, Supplier<CompletableFuture<T>> attempt, Consumer<T> tooLate) {
            this.what = what;
            this.attempt = attempt;
            this.tooLate = tooLate;
        }

        void next(int failures) {
            if (closed) {
                fail(new DfsException(Reason.BROKEN, "the DFS was closed"));
                return;
            }
            long left = untilNanos - System.nanoTime();
            ScheduledFuture<?> bound;
            try {
                bound = timers.schedule(
                        () -> fail(new DfsException(Reason.UNAVAILABLE, what + ": no answer")),
                        left,
                        TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException stopped) {
                fail(new DfsException(Reason.BROKEN, "the DFS was closed", stopped));
                return;
            }
            begun().whenComplete((value, failure) -> {
                bound.cancel(false);
                if (failure == null) {
                    succeed(value);
                } else {
                    retryOrFail(Failures.cause(failure), failures + 1);
                }
            });
        }

        /** What is thrown counts as failed. */
        private CompletableFuture<T> begun() {
            try {
                return attempt.get();
            } catch (RuntimeException thrown) {
                return CompletableFuture.failedFuture(thrown);
            }
        }

        private void retryOrFail(Throwable cause, int failures) {
            long pauseNanos = PAUSES.nanos(failures);
            boolean isFinal = cause instanceof DfsException known && known.reason() != Reason.UNAVAILABLE;
            if (isFinal || cause instanceof Error) {
                fail(cause);
            } else if (closed) {
                fail(new DfsException(Reason.BROKEN, "the DFS was closed"));
            } else if (untilNanos - System.nanoTime() <= pauseNanos) {
                fail(
                        cause instanceof DfsException
                                ? cause
                                : new DfsException(Reason.UNAVAILABLE, what + ": " + cause, cause));
            } else {
                timers.schedule(() -> next(failures), pauseNanos, TimeUnit.NANOSECONDS);
            }
        }

        private void succeed(T value) {
            if (!result.complete(value)) {
                tooLate.accept(value);
            }
        }

        private void fail(Throwable cause) {
            result.completeExceptionally(cause);
        }
    }

    @Override
    public void close() {
        closed = true;
        List.copyOf(underWay).forEach(call -> call.fail(new DfsException(Reason.BROKEN, "the DFS was closed")));
    }
}
