package cleave.server.outside;

import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.manifest.Manifest;
import cleave.server.state.Effect;
import cleave.server.state.EntityCursor;
import cleave.server.state.LogPosition;
import cleave.server.state.StoredSize;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A range's local index and cache over its checkpoint and logs: disposable at any time. Confined to the range's loop, but for the
 * cursors it gives. Calls throw {@link StoreException} when the medium fails.
 */
public interface RangeStore {
    byte @Nullable [] get(Key key);

    /** All of it or nothing, together with the position behind the record. A drop is cut to the store's interval. */
    void apply(List<Effect> effects, LogPosition position);

    /** Up to which commit logs were applied; null if none ever was. */
    @Nullable
    LogPosition position();

    /** The entities of an interval as they are now, to be walked on any thread, and closed. */
    EntityCursor cursor(KeyRange interval);

    /**
     * Makes a checkpoint of what is applied now, or a little later, and brings what is new in it to the DFS, durable and sealed.
     * One at a time. Goes on being usable meanwhile.
     */
    CompletableFuture<StoredCheckpoint> checkpoint(RangeFiles files);

    /** Gives up, in the background, the room of what was dropped in an interval. */
    CompletableFuture<Void> compact(KeyRange interval);

    /** About how large it is now, or a little later. One at a time; an estimate that reads little. Goes on being usable meanwhile. */
    CompletableFuture<StoredSize> size();

    /** Idempotent; cursors that are still open keep what they need. */
    void close();

    /**
     * Immutable.
     *
     * @param position up to which it holds the logs; null if nothing was ever applied
     */
    record StoredCheckpoint(@Nullable LogPosition position, List<Manifest.File> files) {
        public StoredCheckpoint {
            files = List.copyOf(files);
        }
    }
}
