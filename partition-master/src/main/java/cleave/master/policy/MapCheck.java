package cleave.master.policy;

import cleave.master.state.MasterState;
import cleave.model.ClusterIdentity;
import cleave.model.DfsIdentity;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The checks of a leader's map against the DFS, in the order in which they are made. Immutable. A check that fails says why the leader must
 * change nothing.
 */
public enum MapCheck {
    /** Protects files whose owner is not known. */
    DFS_NAMES_A_CLUSTER(
            true,
            (cluster, state, shown) -> shown.identity().isPresent()
                    ? null
                    : "the DFS does not say that it belongs to cluster " + cluster
                            + ", whose master this is: set dfs right and restart it"),

    /** Protects the files of another cluster. */
    DFS_NAMES_THIS_CLUSTER(
            true,
            (cluster, state, shown) -> shown.isOf(cluster)
                    ? null
                    : "the DFS keeps the files of cluster " + shown.identity().get()
                            + ", but this is a master of cluster " + cluster
                            + ": set dfs or master.dir right and restart it"),

    /** Protects the cluster from going on in another DFS than the one that has its files. */
    DFS_IS_IN_USE(true, (cluster, state, shown) -> ClusterDfs.problem(state, shown.dfs())),

    /** Protects the files of this cluster from the map of another one, if a folder was restored in part. */
    LOG_IS_OF_THIS_CLUSTER(
            false,
            (cluster, state, shown) ->
                    state.cluster().isEmpty() || state.cluster().equals(cluster)
                            ? null
                            : "the log in this master's folder is of cluster " + state.cluster()
                                    + ", but the folder of cluster " + cluster + ": restore the whole folder"),

    /** Protects what an older map has forgotten, as far as earlier leaders noted how far it had come. */
    MAP_IS_AS_NEW_AS_NOTED(
            false, (cluster, state, shown) -> outdated(shown.reached().problem(state))),

    /** Protects what an older map has forgotten, as far as the names of files show it. */
    MAP_IS_AS_NEW_AS_THE_FILES(false, (cluster, state, shown) -> outdated(Lineage.problem(state, shown.paths()))),

    /** Protects what was acknowledged in the DFS in use after it was copied. */
    COPY_IS_COMPLETE(true, (cluster, state, shown) -> ClusterDfs.outdated(state, shown.dfs(), shown.paths()));

    private final boolean isOfSettings;

    @SuppressWarnings("ImmutableEnumChecker") // The checks capture nothing.
    private final Check check;

    MapCheck(boolean isOfSettings, Check check) {
        this.isOfSettings = isOfSettings;
        this.check = check;
    }

    /** One check; it answers why the master of a cluster must change nothing, or null. */
    private interface Check {
        @Nullable
        String failure(String cluster, MasterState state, Shown shown);
    }

    /**
     * The content of the DFS. Immutable.
     *
     * @param identity whose it is; empty if it belongs to no cluster
     * @param dfs which one it is; empty if it has no identity, and no space for one, or is not this cluster's
     * @param reached how far leaders noted that the map had come
     * @param paths of the files of ranges, and of fences
     */
    public record Shown(
            Optional<ClusterIdentity> identity, Optional<DfsIdentity> dfs, HighWater reached, List<String> paths) {
        public boolean isOf(String cluster) {
            return identity.isPresent() && identity.get().cluster().text().equals(cluster);
        }
    }

    /**
     * The reason why a leader must change nothing. Immutable.
     *
     * @param isOfSettings whether another member may well be right, since this one's settings lead it to wrong files
     */
    public record Problem(String text, boolean isOfSettings) {}

    /** The first problem that a check finds; null if all pass. */
    public static @Nullable Problem problem(String cluster, MasterState state, Shown shown) {
        for (MapCheck each : values()) {
            String failure = each.check.failure(cluster, state, shown);
            if (failure != null) {
                return new Problem(failure, each.isOfSettings);
            }
        }
        return null;
    }

    private static @Nullable String outdated(@Nullable String older) {
        return older == null
                ? null
                : older
                        + ". Their folders are older copies: stop all masters, and start them with the newest folders that"
                        + " there are (docs/operations.md)";
    }
}
