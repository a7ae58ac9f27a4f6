package cleave.master.dfs;

import cleave.dfs.Dfs;
import cleave.dfs.Dfs.FileInfo;
import cleave.dfs.DfsFile;
import cleave.master.policy.HighWater;
import com.google.protobuf.ByteString;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The file of the DFS in which a leader notes how far its map has come: one line after the other. Confined to one caller, who waits for
 * each answer before the next call. Each leader has a file of its own, and others when it is full or fails; what is behind it is deleted.
 */
final class HighWaterFile {
    private static final String PREFIX = "cluster/high-water/";
    private static final int BYTES_MAX = 64 << 10;
    private static final int READ_BYTES_MAX = 2 * BYTES_MAX;

    private final Dfs dfs;
    private final Supplier<String> names;
    private @Nullable DfsFile open;

    /** @param names gives names that no file has had */
    HighWaterFile(Dfs dfs, Supplier<String> names) {
        this.dfs = dfs;
        this.names = names;
    }

    /** Reads the notes of all leaders. It ends their files, so that nothing is noted later that this does not see. */
    CompletableFuture<HighWater> read() {
        return dfs.list(PREFIX)
                .thenCompose(files -> highest(files.stream().map(FileInfo::path).toList()));
    }

    private CompletableFuture<HighWater> highest(List<String> paths) {
        CompletableFuture<HighWater> highest = CompletableFuture.completedFuture(HighWater.NONE);
        for (String path : paths) {
            highest = highest.thenCombine(dfs.seal(path).thenCompose(length -> contentOf(path)), HighWater::or);
        }
        return highest;
    }

    private CompletableFuture<HighWater> contentOf(String path) {
        return dfs.read(path, 0, READ_BYTES_MAX).thenApply(bytes -> HighWater.ofLines(bytes.toStringUtf8()));
    }

    /** Durable when complete. */
    CompletableFuture<Void> note(HighWater reached) {
        DfsFile file = open;
        return file == null ? begin(reached) : append(file, reached);
    }

    private CompletableFuture<Void> append(DfsFile file, HighWater reached) {
        return file.append(ByteString.copyFromUtf8(reached.line())).handle((length, failure) -> {
            if (failure != null || length >= BYTES_MAX) {
                open = null; // The next one begins another.
                dfs.seal(file.path()).whenComplete((end, unsealed) -> file.close());
            }
            if (failure != null) {
                throw new IllegalStateException("the high-water mark was not noted", failure);
            }
            return null;
        });
    }

    private CompletableFuture<Void> begin(HighWater reached) {
        return dfs.create(PREFIX + names.get())
                .thenCompose(file -> {
                    open = file;
                    return append(file, reached);
                })
                .thenCompose(noted -> dfs.list(PREFIX))
                .thenAccept(this::deleteOthers);
    }

    /** They are behind: a leader notes no less than what it has read of others. */
    private void deleteOthers(List<FileInfo> files) {
        DfsFile mine = open;
        for (FileInfo file : files) {
            if (mine != null && !file.path().equals(mine.path()) && file.sealed()) {
                dfs.delete(file.path());
            }
        }
    }
}
