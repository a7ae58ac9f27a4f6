package cleave.master.dfs;

import cleave.dfs.ClusterFile;
import cleave.dfs.Dfs;
import cleave.master.membership.ClusterFiles;
import cleave.master.policy.Sweep;
import cleave.model.ClusterIdentity;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The identity of the DFS, and whether there are files of ranges. Thread-safe. */
public final class DfsClusterFiles implements ClusterFiles {
    private final Dfs dfs;

    public DfsClusterFiles(Dfs dfs) {
        this.dfs = dfs;
    }

    @Override
    public CompletableFuture<Optional<ClusterIdentity>> identity() {
        return ClusterFile.read(dfs);
    }

    @Override
    public CompletableFuture<ClusterIdentity> found(ClusterIdentity identity) {
        return ClusterFile.found(dfs, identity);
    }

    @Override
    public CompletableFuture<String> claim(String master, String token) {
        return ClusterFile.claim(dfs, master, token);
    }

    @Override
    public CompletableFuture<Boolean> hasRanges() {
        return dfs.listPaths(Sweep.PREFIX).thenApply(paths -> !paths.isEmpty());
    }
}
