package cleave.chaos.sim;

import cleave.dfs.Dfs;
import cleave.dfs.DfsException;
import cleave.dfs.DfsFile;
import com.google.protobuf.ByteString;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** A process' way to the DFS with a bug planted on it. Confined to the simulation. */
final class MutantDfs implements Dfs {
    private final SimMedium medium;
    private final Dfs dfs;
    private final Bug bug;
    private final TreeSet<String> own = new TreeSet<>();
    private String newest = "";

    MutantDfs(SimMedium medium, Dfs dfs, Bug bug) {
        this.medium = medium;
        this.dfs = dfs;
        this.bug = bug;
    }

    private static boolean isLog(String path) {
        return path.contains("-log-");
    }

    @Override
    public CompletableFuture<DfsFile> create(String path) {
        own.add(path);
        newest = path;
        CompletableFuture<DfsFile> created = dfs.create(path);
        return isLog(path) ? created.thenApply(Mutant::new) : created;
    }

    @Override
    public CompletableFuture<Long> seal(String path) {
        boolean takesOver = isLog(path) && !own.contains(path);
        if (takesOver && bug == Bug.SEAL_SKIPPED) {
            return dfs.stat(path).thenApply(file -> medium.durableLength(path));
        }
        CompletableFuture<Long> sealed = dfs.seal(path);
        return takesOver && bug == Bug.REPLAY_CUT_SHORT ? sealed.thenApply(length -> Math.max(0, length - 1)) : sealed;
    }

    @Override
    public CompletableFuture<ByteString> read(String path, long offset, int length) {
        return dfs.read(path, offset, length);
    }

    @Override
    public CompletableFuture<FileInfo> stat(String path) {
        return dfs.stat(path);
    }

    @Override
    public CompletableFuture<List<FileInfo>> list(String prefix) {
        return dfs.list(prefix);
    }

    @Override
    public CompletableFuture<Void> delete(String path) {
        if (bug == Bug.REACHABLE_FILE_SWEPT && !newest.isEmpty()) {
            dfs.delete(newest);
        }
        return dfs.delete(path);
    }

    @Override
    public void close() {
        dfs.close();
    }

    private final class Mutant implements DfsFile {
        private final DfsFile file;
        private long sent;

        Mutant(DfsFile file) {
            this.file = file;
        }

        @Override
        public String path() {
            return file.path();
        }

        @Override
        public CompletableFuture<Long> append(ByteString bytes) {
            sent += bytes.size();
            long end = sent;
            CompletableFuture<Long> append = file.append(bytes);
            return switch (bug) {
                case ACKNOWLEDGED_BEFORE_DURABLE -> CompletableFuture.completedFuture(end);
                case WRITTEN_BEHIND_UNKNOWN_APPEND ->
                    append.thenApply(length -> end).exceptionallyCompose(failure -> again(bytes, end, failure));
                default -> append;
            };
        }

        private CompletableFuture<Long> again(ByteString bytes, long end, Throwable failure) {
            Throwable why =
                    failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
            boolean unknown = why instanceof DfsException answer && answer.reason() == DfsException.Reason.BROKEN;
            if (!unknown) {
                return CompletableFuture.failedFuture(failure);
            }
            medium.mend(path());
            return file.append(bytes).thenApply(length -> end);
        }

        @Override
        public CompletableFuture<Void> barrier() {
            return bug == Bug.BARRIER_SKIPPED ? CompletableFuture.completedFuture(null) : file.barrier();
        }

        @Override
        public void close() {
            file.close();
        }
    }
}
