package cleave.dfs.bookkeeper;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The ledgers that were read last, open. Thread-safe. */
final class Readers {
    private static final int COUNT_MAX = 512;

    private final ReentrantLock lock = new ReentrantLock();
    private final LinkedHashMap<String, CompletableFuture<LedgerReader>> byPath = new LinkedHashMap<>(16, 0.75f, true);

    /** The reader of a path if it is open already. */
    @Nullable
    LedgerReader known(String path) {
        lock.lock();
        try {
            CompletableFuture<LedgerReader> reader = byPath.get(path);
            return reader != null && reader.isDone() && !reader.isCompletedExceptionally() ? reader.join() : null;
        } finally {
            lock.unlock();
        }
    }

    /** Opens a reader unless there is one. */
    CompletableFuture<LedgerReader> of(String path, Supplier<CompletableFuture<LedgerReader>> open) {
        CompletableFuture<LedgerReader> mine = new CompletableFuture<>();
        CompletableFuture<LedgerReader> evicted = null;
        lock.lock();
        try {
            CompletableFuture<LedgerReader> known = byPath.get(path);
            if (known != null) {
                return known;
            }
            byPath.put(path, mine);
            if (byPath.size() > COUNT_MAX) {
                Map.Entry<String, CompletableFuture<LedgerReader>> eldest =
                        byPath.entrySet().iterator().next();
                evicted = byPath.remove(eldest.getKey());
            }
        } finally {
            lock.unlock();
        }
        close(evicted);
        opened(open).whenComplete((reader, failure) -> {
            if (failure == null) {
                mine.complete(reader);
            } else {
                forget(path, mine);
                mine.completeExceptionally(failure);
            }
        });
        return mine;
    }

    /** An exception counts as a failed open. */
    private static CompletableFuture<LedgerReader> opened(Supplier<CompletableFuture<LedgerReader>> open) {
        try {
            return open.get();
        } catch (RuntimeException thrown) {
            return CompletableFuture.failedFuture(thrown);
        }
    }

    void forget(String path) {
        CompletableFuture<LedgerReader> reader;
        lock.lock();
        try {
            reader = byPath.remove(path);
        } finally {
            lock.unlock();
        }
        close(reader);
    }

    /** Forgets this reader, if it is the one that is known. */
    void forget(String path, LedgerReader reader) {
        lock.lock();
        try {
            if (known(path) == reader) {
                byPath.remove(path);
            }
        } finally {
            lock.unlock();
        }
        reader.close();
    }

    private void forget(String path, CompletableFuture<LedgerReader> reader) {
        lock.lock();
        try {
            byPath.remove(path, reader);
        } finally {
            lock.unlock();
        }
    }

    private static void close(@Nullable CompletableFuture<LedgerReader> reader) {
        if (reader != null) {
            reader.thenAccept(LedgerReader::close);
        }
    }
}
