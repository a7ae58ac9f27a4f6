package cleave.master.core;

import cleave.master.membership.ClusterFiles;
import cleave.model.ClusterIdentity;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A DFS that belongs to no cluster. Immutable. */
final class FakeClusterFiles implements ClusterFiles {
    @Override
    public CompletableFuture<Optional<ClusterIdentity>> identity() {
        return CompletableFuture.completedFuture(Optional.empty());
    }

    @Override
    public CompletableFuture<ClusterIdentity> found(ClusterIdentity identity) {
        return CompletableFuture.completedFuture(identity);
    }

    @Override
    public CompletableFuture<String> claim(String master, String token) {
        return CompletableFuture.completedFuture(token);
    }

    @Override
    public CompletableFuture<Boolean> hasRanges() {
        return CompletableFuture.completedFuture(false);
    }
}
