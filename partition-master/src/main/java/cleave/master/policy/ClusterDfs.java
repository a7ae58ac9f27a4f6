package cleave.master.policy;

import cleave.master.state.MasterCommand.UseDfs;
import cleave.master.state.MasterState;
import cleave.model.DfsIdentity;
import cleave.model.FeatureLevels;
import cleave.model.Fence;
import cleave.model.Row;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a master uses the DFS that keeps the cluster's files, and when another DFS takes its place. Stateless.
 *
 * <p>A copy takes the place of its origin only if it has every manifest that the map names, and every armed fence. The logs and fences of
 * the origin were all sealed for the copy. A log is appended to only after a published manifest names it, so whatever was acknowledged in
 * the origin later is in a log of a manifest that the copy lacks (I3). A read that was confirmed there later was confirmed by such a log, or
 * by a fence that was armed later, which the copy lacks (I2). The same is true of a copy of a copy that no leader ever used, whose files
 * are still those of the origin.
 */
public final class ClusterDfs {
    private ClusterDfs() {}

    /**
     * Why a master that uses this DFS must not lead; null if nothing speaks against it.
     *
     * @param used empty if it has no identity yet, and no space for one
     */
    public static @Nullable String problem(MasterState state, Optional<DfsIdentity> used) {
        if (state.dfs().isEmpty()) {
            return null;
        }
        if (used.isEmpty()) {
            return "this master uses a DFS that does not say which one it is, but the files of its cluster are in DFS "
                    + state.dfs() + ": correct setting dfs of this master and restart it";
        }
        return isClusters(state, used.get()) || isCopyOfClusters(state, used.get())
                ? null
                : "this master uses DFS " + used.get() + ", but the files of its cluster are in DFS " + state.dfs()
                        + ": correct setting dfs of this master and restart it";
    }

    private static boolean isClusters(MasterState state, DfsIdentity used) {
        return state.dfs().equals(used.id());
    }

    private static boolean isCopyOfClusters(MasterState state, DfsIdentity used) {
        return !state.dfs().isEmpty() && used.origins().contains(state.dfs());
    }

    /** Why a copy cannot take the place of the DFS before; null if it can, or need not. */
    public static @Nullable String outdated(MasterState state, Optional<DfsIdentity> used, List<String> paths) {
        boolean isCopy = used.isPresent() && isCopyOfClusters(state, used.get());
        String missing = isCopy ? missing(state, paths) : null;
        return missing == null
                ? null
                : "this master uses DFS " + used.get() + ", which lacks " + missing
                        + " of the map: the cluster went on in DFS "
                        + state.dfs()
                        + " after that was copied. Set dfs of all masters and servers to that DFS, or copy it again to an empty one";
    }

    /**
     * The command that makes this DFS the cluster's; null if it is that already, or cannot be now.
     *
     * <p>The first DFS of a cluster is taken on trust. If it is a copy, its origin was the first, so that the copy takes its place by the
     * same conditions as any other.
     */
    public static @Nullable UseDfs next(MasterState state, Optional<DfsIdentity> used, List<String> paths) {
        if (state.level() < FeatureLevels.DFS || used.isEmpty() || isClusters(state, used.get())) {
            return null;
        }
        DfsIdentity dfs = used.get();
        if (state.dfs().isEmpty()) {
            return new UseDfs("", dfs.origin().isEmpty() ? dfs.id() : dfs.origin(), state.mapVersion());
        }
        boolean takesItsPlace = isCopyOfClusters(state, dfs) && missing(state, paths) == null;
        return takesItsPlace ? new UseDfs(state.dfs(), dfs.id(), state.mapVersion()) : null;
    }

    /** A manifest that the map names, or an armed fence, that the DFS lacks. */
    private static @Nullable String missing(MasterState state, List<String> paths) {
        Set<String> present = new HashSet<>(paths);
        for (Row row : state.rows().all()) {
            String manifest = row.manifest();
            if (manifest != null && !present.contains(manifest)) {
                return manifest;
            }
        }
        for (Fence fence : state.fences().all()) {
            if (!present.contains(fence.path())) {
                return fence.path();
            }
        }
        return null;
    }

    /**
     * Why a server must not be admitted; null if nothing speaks against it.
     *
     * @param used the id of the DFS that the server uses; empty if it does not name it, as servers of older versions
     * @param own the id of the leader's DFS; empty if it has none yet
     */
    public static @Nullable String serverProblem(String server, String used, String own, int level) {
        if (own.isEmpty() || used.equals(own) || (used.isEmpty() && level < FeatureLevels.DFS)) {
            return null;
        }
        return "server " + server + " uses " + (used.isEmpty() ? "a DFS that it does not name" : "DFS " + used)
                + ", but the files of its cluster are in DFS " + own
                + ": correct setting dfs of the server and restart it";
    }
}
