package cleave.master.sweep;

import cleave.master.policy.HighWater;
import cleave.model.ClusterIdentity;
import cleave.model.DfsIdentity;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The files of the DFS, for a leader and its sweep. Called from the master loop. Futures fail when the DFS does. */
public interface SweepFiles {
    /** Whose files the DFS keeps; empty if it belongs to no cluster. */
    CompletableFuture<Optional<ClusterIdentity>> identity();

    /** Which DFS it is; it gets an identity if it has none. Empty if it has none and no space for one. Thread-safe. */
    CompletableFuture<Optional<DfsIdentity>> dfs();

    /** How far the map had come, by what all leaders have noted; after this none notes anything that the answer lacks. */
    CompletableFuture<HighWater> highWater();

    /** Notes how far the map has come; durable when complete. One at a time. */
    CompletableFuture<Void> note(HighWater reached);

    /** All files of ranges there are, garbage and not. */
    CompletableFuture<List<String>> list();

    /** The files that a manifest names; fails if it cannot be read. */
    CompletableFuture<List<String>> named(String manifest);

    /** Whether the DFS is short of space, as far as is known. */
    boolean areShortOfSpace();

    /** Idempotent. */
    CompletableFuture<Void> delete(String path);
}
