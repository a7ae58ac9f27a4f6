package cleave.dfs.bookkeeper;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Bounds how many bytes all reads of a process have under way at once, about: a bookie keeps what it answers in its direct memory until it is
 * sent, and ends when it has none left. First come, first served. Thread-safe.
 */
final class ReadBudget {
    private final ReentrantLock lock = new ReentrantLock();
    /** Guarded by the lock. */
    private final Deque<Waiting> waiting = new ArrayDeque<>();

    private final long bytesMax;
    /** Guarded by the lock. */
    private long underWay;

    private record Waiting(long bytes, Runnable begin) {}

    ReadBudget(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Begins a read of about so many bytes as soon as there is room for it. One larger than all of the room has it alone. */
    <T> CompletableFuture<T> run(long bytes, Supplier<CompletableFuture<T>> read) {
        CompletableFuture<T> result = new CompletableFuture<>();
        long counted = Math.min(bytes, bytesMax);
        Runnable begin = () -> begun(read).whenComplete((value, failure) -> {
            give(counted);
            if (failure == null) {
                result.complete(value);
            } else {
                result.completeExceptionally(failure);
            }
        });
        if (takes(counted, begin)) {
            begin.run();
        }
        return result;
    }

    /** What is thrown counts as failed. */
    private static <T> CompletableFuture<T> begun(Supplier<CompletableFuture<T>> read) {
        try {
            return read.get();
        } catch (RuntimeException thrown) {
            return CompletableFuture.failedFuture(thrown);
        }
    }

    private boolean takes(long bytes, Runnable begin) {
        lock.lock();
        try {
            if (!waiting.isEmpty() || underWay + bytes > bytesMax) {
                waiting.add(new Waiting(bytes, begin));
                return false;
            }
            underWay += bytes;
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void give(long bytes) {
        Deque<Waiting> ready = new ArrayDeque<>();
        lock.lock();
        try {
            underWay -= bytes;
            while (!waiting.isEmpty() && underWay + waiting.element().bytes() <= bytesMax) {
                Waiting next = waiting.remove();
                underWay += next.bytes();
                ready.add(next);
            }
        } finally {
            lock.unlock();
        }
        ready.forEach(each -> each.begin().run());
    }
}
