package cleave.master.membership;

import cleave.model.ClusterIdentity;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The cluster to which the DFS belongs, by its files. Thread-safe. Futures fail when the DFS does. */
public interface ClusterFiles {
    /** Empty if no cluster was founded on it. */
    CompletableFuture<Optional<ClusterIdentity>> identity();

    /** Makes this the identity, unless there is one: answers which one is there now. Idempotent. */
    CompletableFuture<ClusterIdentity> found(ClusterIdentity identity);

    /**
     * Notes that a master begins as a founder with this token: answers the token of the first time, which is another one if the master
     * has begun before with a folder that it has lost. Idempotent.
     */
    CompletableFuture<String> claim(String master, String token);

    /** Whether there are files of ranges. */
    CompletableFuture<Boolean> hasRanges();
}
