package cleave.dfs;

import cleave.model.Readiness;
import com.google.protobuf.ByteString;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A distributed file system of append-only files. Thread-safe. Futures complete on threads of the implementation, which
 * callers must not block; a failed one carries a {@link DfsException}.
 *
 * <p>Paths are names like {@code ranges/17.0/42-s1.9-log-3}: segments of letters, digits, {@code . - _}, joined by slashes.
 *
 * <p>A file has one writer, in one process, for its whole life: the holder of the {@link DfsFile} that {@link #create}
 * returned. <b>Seal is the fence</b>: the new owner of a range seals its logs first; everything that the old owner had
 * acknowledged is within the sealed length, and nothing that it does later has an effect. A fence outlives its file:
 * the path of a deleted file is refused forever.
 */
public interface Dfs extends AutoCloseable {
    /** Creates an empty file; EXISTS if the path exists, sealed or not. A retry must use a fresh path. */
    CompletableFuture<DfsFile> create(String path);

    /**
     * Ends a file forever and answers its length. Idempotent, from any process. Afterwards no append and no barrier on
     * it ever succeeds. Every acknowledged append is within the length; the last unacknowledged ones may be, whole or
     * in part. A path that was never created exists afterwards, empty and sealed; a deleted path answers DELETED.
     */
    CompletableFuture<Long> seal(String path);

    /**
     * Reads up to {@code length} bytes from {@code offset}: of a sealed file any bytes; of an open one only those known
     * to be acknowledged (for a moment, fewer may be visible). Empty at or behind the visible end. NOT_FOUND, DELETED
     * or, if a checksum does not match, DAMAGED.
     */
    CompletableFuture<ByteString> read(String path, long offset, int length);

    /** Describes a file; NOT_FOUND if the path was never created or was deleted. */
    CompletableFuture<FileInfo> stat(String path);

    /** The files whose path begins with the prefix, by path. */
    CompletableFuture<List<FileInfo>> list(String prefix);

    /**
     * Deletes a file. Idempotent. Appends through handles to the file fail afterwards, and the path can never be used
     * again.
     */
    CompletableFuture<Void> delete(String path);

    /** Whether an append could be made durable now. Answers soon, and does not fail. */
    default CompletableFuture<Readiness> probe() {
        return CompletableFuture.completedFuture(Readiness.READY);
    }

    /** The last known state of the disk space, some seconds old. Thread-safe. */
    default Space space() {
        return Space.ROOMY;
    }

    /** Closes connections and threads; the files stay. */
    @Override
    void close();

    /** How much disk space there is. */
    enum Space {
        ROOMY(0),
        /** Only appends that help to free space should be made. */
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

    /** @param length of a sealed file its sealed length; of an open one the length known to be acknowledged */
    record FileInfo(String path, long length, boolean sealed) {}
}
