package cleave.dfs;

import cleave.dfs.DfsException.Reason;
import cleave.dfs.link.Failures;
import cleave.runtime.loop.EventLoop;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.IntToLongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Repeats the calls of an engine that fail, with growing pauses, until a bound; then they are UNAVAILABLE. Thread-safe. An
 * attempt that failed may have been executed all the same.
 *
 * <p>A {@link DfsException} other than UNAVAILABLE is an answer, and is not repeated; nor is an error.
 */
public final class Retries implements AutoCloseable {
    private final EventLoop loop;
    private final long boundNanos;
    private final IntToLongFunction pauseNanos;
    private final AtomicLong numbers = new AtomicLong();
    private final ConcurrentSkipListMap<Long, Call<?>> underWay = new ConcurrentSkipListMap<>();
    private volatile boolean closed;

    /**
     * @param loop has the time, and runs the attempts after the first; stopped by its owner, after this was closed
     * @param pauseNanos after a number of failures in a row
     */
    public Retries(EventLoop loop, long boundNanos, IntToLongFunction pauseNanos) {
        this.loop = loop;
        this.boundNanos = boundNanos;
        this.pauseNanos = pauseNanos;
    }

    public <T> CompletableFuture<T> run(String what, Supplier<CompletableFuture<T>> attempt) {
        return run(what, attempt, tooLate -> {});
    }

    /** @param tooLate gets a result that comes after the caller's future has failed */
    public <T> CompletableFuture<T> run(String what, Supplier<CompletableFuture<T>> attempt, Consumer<T> tooLate) {
        Call<T> call = new Call<>(what, attempt, tooLate);
        long number = numbers.incrementAndGet();
        underWay.put(number, call);
        EventLoop.Timer bound = loop.schedule(boundNanos, call::giveUp);
        call.result.whenComplete((value, failure) -> {
            underWay.remove(number);
            bound.cancel();
        });
        call.next(0);
        return call.result;
    }

    @Override
    public void close() {
        closed = true;
        underWay.values().forEach(Call::end);
    }

    private final class Call<T> {
        final CompletableFuture<T> result = new CompletableFuture<>();
        private final String what;
        private final Supplier<CompletableFuture<T>> attempt;
        private final Consumer<T> tooLate;
        private final long untilNanos = loop.nanos() + boundNanos;
        private volatile @Nullable Throwable last;

        Call(String what, Supplier<CompletableFuture<T>> attempt, Consumer<T> tooLate) {
            this.what = what;
            this.attempt = attempt;
            this.tooLate = tooLate;
        }

        void next(int failures) {
            if (closed) {
                end();
            } else if (!result.isDone()) {
                begun().whenComplete((value, failure) -> {
                    if (failure != null) {
                        failed(Failures.cause(failure), failures + 1);
                    } else if (!result.complete(value)) {
                        tooLate.accept(value);
                    }
                });
            }
        }

        /** An exception counts as a failed attempt. */
        private CompletableFuture<T> begun() {
            try {
                return attempt.get();
            } catch (RuntimeException thrown) {
                return CompletableFuture.failedFuture(thrown);
            }
        }

        private void failed(Throwable cause, int failures) {
            boolean isAnswer = cause instanceof DfsException known && known.reason() != Reason.UNAVAILABLE;
            if (isAnswer || cause instanceof Error) {
                result.completeExceptionally(cause);
                return;
            }
            last = cause;
            long pause = pauseNanos.applyAsLong(failures);
            if (untilNanos - loop.nanos() <= pause) {
                giveUp();
            } else {
                loop.schedule(pause, () -> next(failures));
            }
        }

        void giveUp() {
            Throwable cause = last;
            if (cause == null) {
                result.completeExceptionally(new DfsException(Reason.UNAVAILABLE, what + " was not answered"));
                return;
            }
            Object why = cause instanceof DfsException ? cause.getMessage() : cause;
            result.completeExceptionally(new DfsException(Reason.UNAVAILABLE, what + ": " + why, cause));
        }

        void end() {
            result.completeExceptionally(new DfsException(Reason.BROKEN, "the DFS was closed"));
        }
    }
}
