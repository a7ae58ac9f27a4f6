package cleave.chaos.load;

import cleave.chaos.client.Endpoint;
import cleave.chaos.command.RunOptions;
import cleave.chaos.process.Cluster;
import cleave.chaos.process.ClusterPlan;
import cleave.chaos.process.Patience;
import cleave.chaos.process.Standalone;
import cleave.deploy.cluster.DfsKind;
import cleave.deploy.cluster.DfsOption;
import cleave.deploy.cluster.DfsPlan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cleave bench}: compares Azurite, the all-in-one process and a cluster under the same load. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        header = "compares Azurite, standalone and a cluster under the same load, in one run",
        description = {
            "Starts Azurite (its table service, default disk mode; npm installs it and the Node it needs), a standalone and a"
                    + " cluster as processes of this machine, and gives each the same load in turn, round by round: point get,"
                    + " insert, merge, 100-entity query, 100-operation transaction. Cleave syncs every write to disk before it"
                    + " answers. Prints the medians over all rounds and their ratios to the first endpoint, in Markdown.",
            "",
            "With --dfs bookkeeper a cluster on BookKeeper is compared as well."
        })
public final class BenchCommand implements Callable<Integer> {
    private static final Patience START = Patience.ofSeconds(120);

    @Mixin
    private final RunOptions run = new RunOptions();

    @Mixin
    private final DfsOption dfs = new DfsOption();

    @Option(names = "--rounds", paramLabel = "N", description = "measured rounds (default: 5)")
    private int rounds = 5;

    @Option(names = "--seconds", paramLabel = "N", description = "length of one run (default: 3)")
    private int seconds = 3;

    @Option(names = "--connections", paramLabel = "N", description = "concurrent clients (default: 16)")
    private int connections = 16;

    @Option(names = "--servers", paramLabel = "N", description = "partition servers of the cluster (default: 3)")
    private int servers = 3;

    @Option(names = "--without-azurite", description = "compare standalone and cluster only")
    private boolean withoutAzurite;

    @Option(names = "--without-cluster", description = "leave the cluster on a DFS node out")
    private boolean withoutCluster;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path folder = run.folder();
        Map<String, Endpoint> endpoints = new LinkedHashMap<>();
        try (Closing running = new Closing()) {
            start(folder, endpoints, running);
            Comparison comparison =
                    new Comparison(endpoints, rounds, connections, Duration.ofSeconds(seconds), run::progress);
            comparison.run("Bench" + Long.toString(System.currentTimeMillis(), Character.MAX_RADIX));
            run.print(comparison.table());
        }
        return 0;
    }

    private void start(Path folder, Map<String, Endpoint> endpoints, Closing running)
            throws IOException, InterruptedException {
        Path data = Files.createTempDirectory(folder, "data-");
        if (!withoutAzurite) {
            run.progress("installing Azurite below " + folder);
            Azurite.install(folder.resolve("azurite"));
            run.progress("starting Azurite " + Azurite.version(folder.resolve("azurite")));
            endpoints.put(
                    "Azurite",
                    running.add(Azurite.start(folder.resolve("azurite"), data.resolve("azurite")))
                            .endpoint());
        }
        run.progress("starting Cleave below " + data);
        endpoints.put(
                "standalone",
                running.add(Standalone.started(data.resolve("standalone"), List.of("-Xmx1g"), START))
                        .endpoint());
        if (!withoutCluster) {
            endpoints.put("cluster", cluster(data.resolve("cluster"), DfsPlan.STUB, running));
        }
        DfsPlan asked = dfs.plan().orStub();
        if (asked.kind() == DfsKind.BOOKKEEPER) {
            endpoints.put("cluster on BookKeeper", cluster(data.resolve("cluster-on-bookkeeper"), asked, running));
        }
    }

    private Endpoint cluster(Path folder, DfsPlan on, Closing running) {
        ClusterPlan plan =
                ClusterPlan.in(folder).masters(3).servers(servers).dfs(on).atFullSpeed("512m");
        return running.add(Cluster.started(plan, START)).endpoints().get(0);
    }
}
