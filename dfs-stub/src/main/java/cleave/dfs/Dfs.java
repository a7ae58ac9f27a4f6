package cleave.dfs;

import cleave.model.Readiness;
import com.google.protobuf.ByteString;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A distributed file system of append-only files. Thread-safe. Futures complete on threads of the implementation, which the
 * caller must not hold up; a failed one carries a {@link DfsException}.
 *
 * <p>Paths are names like {@code ranges/17.0/42-s1.9-log-3}: segments of letters, digits, {@code . - _}, joined by slashes.
 *
 * <p>A file has one writer, in one process, for life: the holder of the {@link DfsFile} that {@link #create} gave. <b>Seal is
 * the fence</b>: the new owner of a range seals its logs first; what the old owner had acknowledged is inside the sealed
 * length, and nothing that it does later counts. A fence outlives its file: what was deleted is refused forever.
 */
public interface Dfs extends AutoCloseable {
    /** Makes a new, empty file; EXISTS if the path exists, sealed or not. A retried create uses a fresh path. */
    CompletableFuture<DfsFile> create(String path);

    /**
     * Ends a file forever and answers its length: idempotent, from any process. Afterwards no append and no barrier on it
     * succeeds, ever. Every acknowledged append is inside the length; the last unacknowledged ones may be, whole or cut. A path
     * never created exists afterwards, empty and sealed; a deleted path answers DELETED.
     */
    CompletableFuture<Long> seal(String path);

    /**
     * Up to {@code length} bytes from {@code offset}: of a sealed file all there are; of an open one only what is known to be
     * acknowledged (less than that may be visible for a moment). Empty at or behind the visible end. NOT_FOUND, DELETED or, if
     * a checksum does not match, DAMAGED.
     */
    CompletableFuture<ByteString> read(String path, long offset, int length);

    /** NOT_FOUND if the path was never created or was deleted. */
    CompletableFuture<FileInfo> stat(String path);

    /** The files whose path begins with the prefix, by path. */
    CompletableFuture<List<FileInfo>> list(String prefix);

    /** Idempotent. Appends through handles to the file fail afterwards, and the path is never free again. */
    CompletableFuture<Void> delete(String path);

    /** Whether an append could be made durable now; answers soon, and does not fail. */
    default CompletableFuture<Readiness> probe() {
        return CompletableFuture.completedFuture(Readiness.READY);
    }

    /** How much can still be written, as far as is known: some seconds old. On any thread. */
    default Space space() {
        return Space.ROOMY;
    }

    /** Gives up connections and threads; the files stay. */
    @Override
    void close();

    /** Whether there is space for more. */
    enum Space {
        ROOMY(0),
        /** Only what serves to free space is to be written. */
        LOW(1),
        /** Appends wait until there is more; reads, barriers, seals and deletes go on. */
        FULL(2);

        private final int level;

        Space(int level) {
            this.level = level;
        }

        /** For metrics. */
        public int level() {
            return level;
        }
    }

    /**
     * @param length of a sealed file its sealed length; of an open one what is known to be acknowledged
     */
    record FileInfo(String path, long length, boolean sealed) {}
}
