package cleave.server.outside;

import cleave.model.KeyRange;
import cleave.model.manifest.Manifest;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;

/** Opens stores. Thread-safe. */
public interface RangeStores {
    /**
     * Opens a store, in a new place, with the entities of the checkpoints, each within its own interval, which are
     * disjoint, and all within the store's. It is empty without a checkpoint. Fails with a {@link StoreException} or
     * the failure of the DFS; but not because a block of a file with entities is damaged in the DFS: {@link RangeStore#damagedFiles}.
     *
     * @param fetched takes how many more bytes of the checkpoints have come or were joined; in any thread
     */
    CompletableFuture<RangeStore> open(KeyRange interval, List<Manifest.Checkpoint> checkpoints, LongConsumer fetched);

    /** The recently measured space; does not wait for the disk. */
    Space space();
}
