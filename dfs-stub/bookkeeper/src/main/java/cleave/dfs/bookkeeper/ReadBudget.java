package cleave.dfs.bookkeeper;

import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Bounds how many bytes the reads of a process request at once: a bookie keeps its answers in its direct memory until they are sent, and
 * ends when it has none left. First come, first served. Thread-safe.
 *
 * <p>It does not count the last entries that a seal, or a request for a length, gets from each bookie, nor requests to a second copy.
 */
final class ReadBudget {
    private final ReentrantLock lock = new ReentrantLock();
    /** Guarded by the lock. */
    private final Deque<Waiting> waiting = new ArrayDeque<>();

    private final long bytesMax;
    private final long boundNanos;
    private final LongSupplier clock;
    /** Guarded by the lock. */
    private long underWay;
    /** One thread at a time begins reads, so that reads which end at once do not begin one another. Guarded by the lock. */
    private boolean beginning;

    private record Waiting(long bytes, Runnable begin) {}

    /** @param boundNanos nobody waits longer for a read, so that it need not begin then */
    ReadBudget(long bytesMax, long boundNanos, LongSupplier clock) {
        this.bytesMax = bytesMax;
        this.boundNanos = boundNanos;
        this.clock = clock;
    }

    /**
     * Begins a read of at most {@code bytes} once there is room for it. A read that is larger than the whole budget waits until no other is
     * in progress. UNAVAILABLE if nobody waits for it any more when its turn comes.
     */
    <T> CompletableFuture<T> run(long bytes, Supplier<CompletableFuture<T>> read) {
        CompletableFuture<T> result = new CompletableFuture<>();
        long counted = Math.min(bytes, bytesMax);
        long asked = clock.getAsLong();
        add(new Waiting(
                counted,
                () -> begun(asked, read).whenComplete((value, failure) -> {
                    give(counted);
                    if (failure == null) {
                        result.complete(value);
                    } else {
                        result.completeExceptionally(failure);
                    }
                })));
        beginAll();
        return result;
    }

    /** An exception counts as a failed read. */
    private <T> CompletableFuture<T> begun(long asked, Supplier<CompletableFuture<T>> read) {
        if (clock.getAsLong() - asked >= boundNanos) {
            return CompletableFuture.failedFuture(
                    new DfsException(Reason.UNAVAILABLE, "too many reads were waiting before this one"));
        }
        return CompletableFuture.<@Nullable Void>completedFuture(null).thenCompose(nothing -> read.get());
    }

    private void add(Waiting read) {
        lock.lock();
        try {
            waiting.add(read);
        } finally {
            lock.unlock();
        }
    }

    private void give(long bytes) {
        lock.lock();
        try {
            underWay -= bytes;
        } finally {
            lock.unlock();
        }
        beginAll();
    }

    private void beginAll() {
        boolean mine = false;
        for (Waiting next = next(mine); next != null; next = next(mine)) {
            mine = true;
            next.begin().run();
        }
    }

    /** Takes the next read that there is room for. Null if there is none, or if another thread will begin it. */
    private @Nullable Waiting next(boolean mine) {
        lock.lock();
        try {
            if (beginning && !mine) {
                return null;
            }
            Waiting first = waiting.peek();
            beginning = first != null && underWay + first.bytes() <= bytesMax;
            if (!beginning || first == null) {
                return null;
            }
            underWay += first.bytes();
            return waiting.remove();
        } finally {
            lock.unlock();
        }
    }
}
