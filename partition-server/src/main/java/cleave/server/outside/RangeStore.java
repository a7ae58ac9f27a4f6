package cleave.server.outside;

import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.manifest.Manifest;
import cleave.server.state.Effect;
import cleave.server.state.EntityCursor;
import cleave.server.state.LogPosition;
import cleave.server.state.StoredSize;
import com.google.protobuf.ByteString;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A range's local index and cache over its checkpoint and logs: disposable at any time. Confined to the range's loop, but for the
 * cursors it gives. Calls throw {@link StoreException} when the medium fails, or when what they read is damaged.
 */
public interface RangeStore {
    byte @Nullable [] get(Key key);

    /**
     * Applies all of it or nothing, together with the position behind the record. A drop is restricted to the store's
     * interval.
     */
    void apply(List<Effect> effects, LogPosition position);

    /** Position up to which commit logs were applied; null if none ever was. */
    @Nullable
    LogPosition position();

    /** A snapshot of the entities of an interval. The cursor may be used on any thread, and must be closed. */
    EntityCursor cursor(KeyRange interval);

    /**
     * Does the same as {@link #cursor}, but passes over what cannot be read because the DFS holds a file damaged, where that one fails with
     * {@link StoreException.Kind#STORED_DAMAGE}. It reads or passes over everything that there is.
     */
    EntityCursor salvage(KeyRange interval);

    /**
     * Makes a checkpoint of the present state, or a slightly later one, and uploads its new files to the DFS, durable
     * and sealed. One at a time. The store can be used meanwhile.
     *
     * <p>What is uploaded was verified: of each new file, the bytes that were sent were those that were written when the file was made.
     * If they were not, it fails with {@link StoreException.Kind#LOCAL_DAMAGE}, and nothing stays.
     *
     * @param inlineMax the bytes up to which a file without entities may be answered {@linkplain Manifest.FileSet#inline() inline}
     *     instead; 0: none may
     */
    CompletableFuture<StoredCheckpoint> checkpoint(RangeFiles files, int inlineMax);

    /** Frees, in the background, the space of dropped data in an interval. */
    CompletableFuture<Void> compact(KeyRange interval);

    /** Estimates the present size, reading little. One at a time. The store can be used meanwhile. */
    CompletableFuture<StoredSize> size();

    /**
     * The files of its checkpoints, by their paths, that the DFS holds damaged; known when it is opened, or {@linkplain #lost
     * found later}. What lies in their bad blocks is answered with {@link StoreException.Kind#STORED_DAMAGE}. Immutable.
     */
    List<String> damagedFiles();

    /**
     * Reads these bytes of its own copy of a file, which the last checkpoint names or the one that it was opened with; nothing if it has no
     * copy any more. Fails with {@link StoreException.Kind#LOCAL_DAMAGE} if they cannot be read although it needs them. The store can be used
     * meanwhile.
     */
    CompletableFuture<Optional<ByteString>> read(Manifest.File file, long offset, int length);

    /** Notes that the DFS holds a file damaged: a checkpoint that begins from now on does not name it, and uploads its own copy. */
    void uploadAgain(Manifest.File file);

    /** Notes that a file is damaged in the DFS and here: from now on it is one of {@link #damagedFiles}. */
    void lost(Manifest.File file);

    /** Idempotent; cursors that are still open keep what they need. */
    void close();

    /**
     * Immutable.
     *
     * @param position up to which it contains the logs; null if nothing was ever applied
     */
    record StoredCheckpoint(@Nullable LogPosition position, Manifest.FileSet files) {}
}
