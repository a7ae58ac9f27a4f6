package cleave.master.loop;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The files of ranges, as the sweep needs them. Thread-safe. Futures fail when the DFS does. */
public interface SweepFiles {
    /** All files of ranges there are, garbage and not. */
    CompletableFuture<List<String>> list();

    /** The files that a manifest names; fails if it cannot be read. */
    CompletableFuture<List<String>> named(String manifest);

    /** Idempotent. */
    CompletableFuture<Void> delete(String path);
}
