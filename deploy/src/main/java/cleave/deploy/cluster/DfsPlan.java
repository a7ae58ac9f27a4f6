package cleave.deploy.cluster;

import cleave.deploy.CommandFailure;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The options of a local cluster's DFS; those that were left open are null. Immutable. */
public record DfsPlan(
        @Nullable DfsKind kind,
        @Nullable Integer bookies,
        @Nullable Integer zookeepers) {
    /** The default. */
    public static final DfsPlan STUB = new DfsPlan(DfsKind.STUB, null, null);

    private static final int COPIES = 3;

    public DfsPlan {
        if (kind == DfsKind.STUB && (bookies != null || zookeepers != null)) {
            throw CommandFailure.usage("--bookies and --zookeepers belong to --dfs bookkeeper");
        }
        if (bookies != null && bookies < COPIES) {
            throw CommandFailure.usage("each file is kept on " + COPIES + " bookies: --bookies is at least " + COPIES
                    + ", not " + bookies);
        }
        if (zookeepers != null && zookeepers % 2 == 0) {
            throw CommandFailure.usage("ZooKeeper decides by majority: --zookeepers is 1, 3 or 5, not " + zookeepers);
        }
    }

    /** The same, and the stub if no kind was asked for. */
    public DfsPlan orStub() {
        return kind == null ? new DfsPlan(DfsKind.STUB, bookies, zookeepers) : this;
    }

    /** Processes of each role, for a cluster that is made now. */
    public void putInto(Map<NodeId.Role, Integer> counts) {
        if (orStub().kind == DfsKind.STUB) {
            counts.put(NodeId.Role.DFS, 1);
            return;
        }
        counts.put(NodeId.Role.ZOOKEEPER, zookeepers == null ? 1 : zookeepers);
        counts.put(NodeId.Role.BOOKIE, bookies == null ? COPIES + 1 : bookies);
        counts.put(NodeId.Role.AUTORECOVERY, 1);
    }
}
