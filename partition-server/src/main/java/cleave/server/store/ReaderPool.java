package cleave.server.store;

import cleave.server.loop.Readers;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Threads that run scans, with a bounded queue before them. Thread-safe. */
public final class ReaderPool implements Readers, AutoCloseable {
    private static final int WAITING_MAX = 1024;

    private final ThreadPoolExecutor threads;

    public ReaderPool(int count) {
        AtomicInteger number = new AtomicInteger();
        threads = new ThreadPoolExecutor(
                count, count, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(WAITING_MAX), task -> {
                    Thread thread = new Thread(task, "server-reader-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
    }

    @Override
    public <T> @Nullable CompletableFuture<T> submit(Supplier<T> scan) {
        CompletableFuture<T> result = new CompletableFuture<>();
        try {
            threads.execute(() -> {
                try {
                    result.complete(scan.get());
                } catch (Throwable failure) { // Whoever waits for the result judges it.
                    result.completeExceptionally(failure);
                }
            });
        } catch (RejectedExecutionException full) {
            return null;
        }
        return result;
    }

    /** Takes no more; what was taken still runs, for each scan holds on to its store. */
    @Override
    public void close() {
        threads.shutdown();
    }
}
