package cleave.deploy.backup;

import cleave.deploy.CommandFailure;
import cleave.model.DfsIdentity;
import cleave.model.FeatureLevels;
import cleave.wire.StatusReply;
import java.util.Optional;

/** Compares the DFS that a command reads with that of the masters: a copy of it belongs to the same cluster. Stateless. */
final class UsedDfs {
    private UsedDfs() {}

    /**
     * The id of the DFS, by which backups of it are known; empty if it has none, or the cluster's other processes may not know ids. Ends the
     * command if the masters use another one.
     *
     * @param found in the DFS
     */
    static String idOf(StatusReply masters, Optional<DfsIdentity> found) {
        check(masters, found.map(DfsIdentity::id).orElse(""));
        return masters.getLevel() < FeatureLevels.DFS
                ? ""
                : found.map(DfsIdentity::id).orElse("");
    }

    /** Ends the command if the masters use another DFS than this one. */
    static void check(StatusReply masters, String id) {
        if (!masters.getDfs().isEmpty() && !id.isEmpty() && !masters.getDfs().equals(id)) {
            throw CommandFailure.usage("the masters keep the files of cluster " + masters.getCluster() + " in DFS "
                    + masters.getDfs() + ", but --dfs is DFS " + id
                    + ", which has files of the same cluster: one of them is an old copy. Give as --dfs what the setting dfs of"
                    + " its servers names");
        }
    }
}
