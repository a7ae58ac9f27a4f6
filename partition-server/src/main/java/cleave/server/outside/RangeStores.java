package cleave.server.outside;

import cleave.model.KeyRange;
import cleave.model.manifest.Manifest;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Opens stores. Thread-safe. */
public interface RangeStores {
    /**
     * A store of what checkpoints hold, each within its own interval, which are disjoint, and all within the store's; in a place of
     * its own; empty without a checkpoint. Fails with a {@link StoreException} or with what the DFS answered.
     */
    CompletableFuture<RangeStore> open(KeyRange interval, List<Manifest.Checkpoint> checkpoints);

    /** As it was a moment ago; does not wait for the disk. */
    Space space();
}
