package cleave.deploy.cluster;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The choice of a cluster's DFS: the common options of commands that start one. Confined to its command. */
public final class DfsOption {
    @Option(
            names = "--dfs",
            paramLabel = "KIND",
            description =
                    "where files are kept: stub, one DFS node of Cleave's own (default), or bookkeeper: three copies on"
                            + " bookies of Apache BookKeeper")
    private @Nullable String kind;

    @Option(names = "--bookies", paramLabel = "N", description = "bookies, with --dfs bookkeeper (default: 4)")
    private @Nullable Integer bookies;

    @Option(
            names = "--zookeepers",
            paramLabel = "N",
            description = "ZooKeeper servers, with --dfs bookkeeper: 1, 3 or 5 (default: 1)")
    private @Nullable Integer zookeepers;

    public DfsPlan plan() {
        return new DfsPlan(kind == null ? null : DfsKind.of(kind), bookies, zookeepers);
    }
}
