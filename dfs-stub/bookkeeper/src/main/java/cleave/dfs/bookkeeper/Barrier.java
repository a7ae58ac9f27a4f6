package cleave.dfs.bookkeeper;

import cleave.runtime.loop.EventLoop;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Turns many waits for a message that was sent after they began into few messages: one is pending at a time. Thread-safe. */
final class Barrier<T> {
    /** The time after which the next message is sent even without an answer, which still counts if it comes. */
    static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final Supplier<CompletableFuture<T>> message;
    private final EventLoop timers;
    private final ReentrantLock lock = new ReentrantLock();
    private boolean isUnderWay;
    /** For the callers that came since the pending message was sent. */
    private @Nullable CompletableFuture<T> next;

    Barrier(Supplier<CompletableFuture<T>> message, EventLoop timers) {
        this.message = message;
        this.timers = timers;
    }

    /** The answer to a message that is sent after this call. */
    CompletableFuture<T> pass() {
        CompletableFuture<T> mine;
        lock.lock();
        try {
            if (isUnderWay) {
                mine = next == null ? new CompletableFuture<>() : next;
                next = mine;
                return mine;
            }
            isUnderWay = true;
            mine = new CompletableFuture<>();
        } finally {
            lock.unlock();
        }
        send(mine);
        return mine;
    }

    private void send(CompletableFuture<T> waiting) {
        CompletableFuture<T> answered = sent();
        AtomicBoolean isPassed = new AtomicBoolean();
        EventLoop.Timer timer = timers.schedule(ANSWER_NANOS, () -> goOn(isPassed));
        answered.whenComplete((answer, failure) -> {
            timer.cancel();
            goOn(isPassed);
        });
        answered.whenComplete((answer, failure) -> {
            if (failure == null) {
                waiting.complete(answer);
            } else {
                waiting.completeExceptionally(Failures.cause(failure));
            }
        });
    }

    /** Once for each message. */
    private void goOn(AtomicBoolean isPassed) {
        if (isPassed.compareAndSet(false, true)) {
            CompletableFuture<T> behind = takeNext();
            if (behind != null) {
                send(behind);
            }
        }
    }

    /** An exception counts as a failed message. */
    private CompletableFuture<T> sent() {
        try {
            return message.get();
        } catch (RuntimeException thrown) {
            return CompletableFuture.failedFuture(thrown);
        }
    }

    private @Nullable CompletableFuture<T> takeNext() {
        lock.lock();
        try {
            CompletableFuture<T> behind = next;
            next = null;
            isUnderWay = behind != null;
            return behind;
        } finally {
            lock.unlock();
        }
    }
}
