package cleave.server.loop;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Runs scans beside the loops. Thread-safe. */
public interface Readers {
    /** Null if too many wait already; fails with whatever the scan threw. */
    <T> @org.jspecify.annotations.Nullable CompletableFuture<T> submit(Supplier<T> scan);
}
