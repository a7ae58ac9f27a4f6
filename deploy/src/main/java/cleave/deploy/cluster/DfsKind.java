package cleave.deploy.cluster;

import cleave.deploy.CommandFailure;
import java.util.Locale;
import java.util.Map;

/** The DFS of a local cluster. */
public enum DfsKind {
    /** One process of Cleave's own. */
    STUB,
    /** ZooKeeper, bookies and autorecovery. */
    BOOKKEEPER;

    static DfsKind of(Map<NodeId.Role, Integer> counts) {
        return NodeId.Role.BOOKKEEPER.stream().anyMatch(role -> counts.getOrDefault(role, 0) > 0) ? BOOKKEEPER : STUB;
    }

    static DfsKind of(String word) {
        for (DfsKind kind : values()) {
            if (kind.word().equals(word)) {
                return kind;
            }
        }
        throw CommandFailure.usage("a cluster has no DFS '" + word + "'; --dfs is stub or bookkeeper");
    }

    /** Its name on the command line. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
