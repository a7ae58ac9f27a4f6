package cleave.master.policy;

import cleave.master.state.MasterCommand.UseDfs;
import cleave.master.state.MasterState;
import cleave.model.DfsIdentity;
import cleave.model.FeatureLevels;
import cleave.model.Row;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a master uses the DFS that keeps the cluster's files, and when another DFS takes its place. Stateless.
 *
 * <p>A copy takes the place of its origin only if it has every manifest that the map names. The logs of the origin were all sealed for
 * the copy, and a log is appended to only after a published manifest names it; so whatever was acknowledged in the origin later is in a
 * log of a manifest that the copy lacks (I3).
 */
public final class ClusterDfs {
    private ClusterDfs() {}

    /** Why a master that uses this DFS must not lead; null if nothing speaks against it. */
    public static @Nullable String problem(MasterState state, DfsIdentity used) {
        return state.dfs().isEmpty()
                        || state.dfs().equals(used.id())
                        || state.dfs().equals(used.origin())
                ? null
                : "this master uses DFS " + used + ", but the files of its cluster are in DFS " + state.dfs()
                        + ": correct setting dfs of this master and restart it";
    }

    /** Why a copy cannot take the place of the DFS before; null if it can, or need not. */
    public static @Nullable String outdated(MasterState state, DfsIdentity used, List<String> paths) {
        boolean isCopy = !state.dfs().isEmpty() && state.dfs().equals(used.origin());
        String missing = isCopy ? missing(state, paths) : null;
        return missing == null
                ? null
                : "this master uses DFS " + used + ", which lacks " + missing
                        + " of the map: the cluster went on in DFS "
                        + state.dfs()
                        + " after that was copied. Set dfs of all masters and servers to that DFS, or copy it again to an empty one";
    }

    /** The command that makes this DFS the cluster's; null if it is that already, or cannot be now. */
    public static @Nullable UseDfs next(MasterState state, DfsIdentity used, List<String> paths) {
        boolean isNext = state.level() >= FeatureLevels.DFS
                && !state.rows().isEmpty()
                && !state.dfs().equals(used.id())
                && problem(state, used) == null
                && missing(state, paths) == null;
        return isNext ? new UseDfs(state.dfs(), used.id(), state.mapVersion()) : null;
    }

    /** A manifest that the map names and the DFS lacks. */
    private static @Nullable String missing(MasterState state, List<String> paths) {
        Set<String> present = new HashSet<>(paths);
        for (Row row : state.rows().all()) {
            String manifest = row.manifest();
            if (manifest != null && !present.contains(manifest)) {
                return manifest;
            }
        }
        return null;
    }

    /**
     * Why a server must not be admitted; null if nothing speaks against it.
     *
     * @param used the id of the DFS that the server uses; empty if it does not name it, as servers of older versions
     * @param own the id of the leader's DFS
     */
    public static @Nullable String serverProblem(String server, String used, String own, int level) {
        if (used.equals(own) || (used.isEmpty() && level < FeatureLevels.DFS)) {
            return null;
        }
        return "server " + server + " uses " + (used.isEmpty() ? "a DFS that it does not name" : "DFS " + used)
                + ", but the files of its cluster are in DFS " + own
                + ": correct setting dfs of the server and restart it";
    }
}
