package cleave.server.loop;

import cleave.model.KeyRange;
import cleave.model.Manifest;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Opens stores. Thread-safe. */
public interface RangeStores {
    /**
     * A store of what a checkpoint holds within the interval, in a place of its own; empty without a checkpoint. Fails with a
     * {@link StoreException} or with what the DFS answered.
     */
    CompletableFuture<RangeStore> open(KeyRange interval, Manifest.@Nullable Checkpoint checkpoint);
}
