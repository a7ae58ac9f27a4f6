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
 * returned. <b>Seal is the fence</b>: the new owner of a range seals its logs first. Everything that the old owner had
 * acknowledged is within the sealed length, and nothing that it does later has an effect. A fence outlives its file: once
 * a seal or a delete of a path was answered, no append and no barrier that is sent afterwards is ever reported as done.
 * That holds for every handle, however late, and whatever was restarted meanwhile. An engine that forgets the fences of deleted files
 * keeps this by {@link cleave.dfs.policy.NameTrust}.
 *
 * <p>A writer that is done with a file seals it and then closes its handle. One that closes it unsealed gives the file up as
 * it is: nothing is lost, and whether it looks open or sealed until somebody seals it is left to the implementation.
 *
 * <p>Names are linearizable over all processes: what a create, seal or delete has answered is seen by every create, seal,
 * delete, stat and list that is sent afterwards. A deleted path is refused for at least an hour, which concerns only
 * messages that old: no path is used twice.
 *
 * <p>The content of an open file is less certain: see {@link #read}, {@link #stat} and {@link #list}. What was visible can
 * become invisible again until the file is sealed, but what is visible was acknowledged and will be within the sealed length.
 */
public interface Dfs extends AutoCloseable {
    /** Creates an empty file; EXISTS if the path exists, sealed or not. A retry must use a fresh path. */
    CompletableFuture<DfsFile> create(String path);

    /**
     * Creates a file that nobody needs before it is sealed, such as a copy of another. An engine that can gives it its name only
     * when this process seals it. If that ends before, or closes the handle, nothing is left, and the path can be created again; until
     * then a seal by this process answers DELETED. Elsewhere this is {@link #create}.
     */
    default CompletableFuture<DfsFile> createStaged(String path) {
        return create(path);
    }

    /**
     * Creates a file whose content nobody needs: only barriers are sent to it, to learn whether it was sealed. So an engine may report them
     * before any disk has them, as long as a seal is on disks when it is answered. In all else it is a file as any other.
     */
    default CompletableFuture<DfsFile> createFence(String path) {
        return create(path);
    }

    /**
     * Ends a file forever and answers its length. Idempotent, from any process. Afterwards no append and no barrier on
     * it ever succeeds. Every acknowledged append is within the length; the last unacknowledged ones may be, whole or
     * in part. A path that was never created exists afterwards, empty and sealed; a deleted path answers DELETED, and so
     * does, to the process that created it, one whose deletion is no longer remembered.
     */
    CompletableFuture<Long> seal(String path);

    /**
     * Reads {@code length} bytes from {@code offset}; fewer if the visible end comes before. Of a sealed file everything
     * is visible to a process that knows of the seal by a seal, stat or list of its own; to others it may look open for a
     * while. Of an open file some part of what is acknowledged is visible, from its beginning, perhaps nothing; only its
     * seal makes sure that all is. NOT_FOUND, DELETED (for a while after a delete, the bytes may still be readable) or, if
     * a checksum does not match, DAMAGED.
     */
    CompletableFuture<ByteString> read(String path, long offset, int length);

    /**
     * Describes a file; NOT_FOUND if the path was never created or was deleted. The length of an open file is exact: it
     * includes everything that was acknowledged before the call, and what it includes is visible to this process. If that
     * cannot be found out now, the answer is UNAVAILABLE.
     */
    CompletableFuture<FileInfo> stat(String path);

    /** The files whose path begins with the prefix, by path. The lengths of open files may be less than is acknowledged. */
    CompletableFuture<List<FileInfo>> list(String prefix);

    /** The paths of those files, sorted. Cheaper than the list, where the storage keeps lengths apart from names. */
    default CompletableFuture<List<String>> listPaths(String prefix) {
        return list(prefix)
                .thenApply(files -> files.stream().map(FileInfo::path).toList());
    }

    /**
     * Deletes a file. Idempotent. Appends through handles to the file fail afterwards, and the path must never be used
     * again.
     */
    CompletableFuture<Void> delete(String path);

    /**
     * At how many barriers their file should be replaced by another one, because the implementation stores each of them:
     * they take space, and make the file long to read. {@link Long#MAX_VALUE} if it stores none.
     */
    default long barriersPerFile() {
        return Long.MAX_VALUE;
    }

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
        /** Appends wait until there is more, but for a few that serve ranges; reads, barriers, seals and deletes go on. */
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

    /** @param length of a sealed file its sealed length; of an open one a length known to be acknowledged */
    record FileInfo(String path, long length, boolean sealed) {}
}
