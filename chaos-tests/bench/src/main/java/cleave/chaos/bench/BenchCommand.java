package cleave.chaos.bench;

import cleave.chaos.bench.Contender.Member;
import cleave.chaos.bench.empty.EmptyChain;
import cleave.chaos.command.RunFolder;
import cleave.chaos.command.RunOptions;
import cleave.chaos.load.Azurite;
import cleave.chaos.load.Closing;
import cleave.chaos.process.ClassArchive;
import cleave.chaos.process.Cluster;
import cleave.chaos.process.ClusterPlan;
import cleave.chaos.process.Patience;
import cleave.chaos.process.Standalone;
import cleave.deploy.CommandFailure;
import cleave.deploy.cluster.DfsKind;
import cleave.deploy.cluster.DfsOption;
import cleave.deploy.cluster.DfsPlan;
import cleave.deploy.cluster.Jvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
            "Each round then sends the same operations at a fixed low rate, and a second table shows what one costs: the"
                    + " processor time of all processes that carry it, by role, and what they allocate. Unlike rates it hardly"
                    + " depends on what else runs on the machine. What the processes consume while idle is shown apart, and"
                    + " subtracted.",
            "",
            "The empty chain is three processes beside the cluster that carry the same bytes over the same hops (HTTP, a gRPC"
                    + " call, a message on a stream, for a write a synced file) and do nothing else. The table shows how many"
                    + " times as much as there a request costs elsewhere.",
            "",
            "With --dfs bookkeeper a cluster on BookKeeper is compared as well."
        })
public final class BenchCommand implements Callable<Integer> {
    private static final Patience START = Patience.ofSeconds(120);
    private static final String HEAP = "512m";

    @Mixin
    private final RunOptions run = new RunOptions();

    @Mixin
    private final DfsOption dfs = new DfsOption();

    @Option(names = "--rounds", paramLabel = "N", description = "measured rounds (default: 5)")
    private int rounds = 5;

    @Option(names = "--seconds", paramLabel = "N", description = "length of one run (default: 3)")
    private int seconds = 3;

    @Option(
            names = "--warm-up",
            paramLabel = "SECONDS",
            description = "load on each endpoint before the first round; 0: none (default: 30)")
    private int warmUp = 30;

    @Option(names = "--connections", paramLabel = "N", description = "concurrent clients (default: 16)")
    private int connections = 16;

    @Option(names = "--servers", paramLabel = "N", description = "partition servers of the cluster (default: 3)")
    private int servers = 3;

    @Option(names = "--without-azurite", description = "compare standalone and cluster only")
    private boolean withoutAzurite;

    @Option(names = "--without-cluster", description = "leave the cluster on a DFS node out, and the empty chain")
    private boolean withoutCluster;

    @Option(
            names = "--profile",
            description =
                    "record where cluster and empty chain spend their processor time, and leave a recording of each process"
                            + " (Java Flight Recorder, for jfr view) in DIR/profiles; costs are then those of recorded processes")
    private boolean profiles;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (rounds < 1 || seconds < 1 || connections < 1 || servers < 1 || warmUp < 0) {
            throw CommandFailure.usage(
                    "--rounds, --seconds, --connections and --servers must be 1 or more, and --warm-up 0 or more");
        }
        try (RunFolder folder = run.folder();
                Closing running = new Closing()) {
            List<Contender> contenders = started(folder.path(), running);
            Comparison comparison =
                    new Comparison(contenders, connections, Comparison.Lengths.of(warmUp, seconds), run::progress);
            String table = "Bench" + Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);
            comparison.prepare(table);
            comparison.run(table, rounds);
            run.print(comparison.table());
            run.print("\n" + comparison.costs());
            for (Contender each : contenders) {
                if (profiles && each.isOfRecordedProcesses()) {
                    Path its = folder.path()
                            .resolve("profiles")
                            .resolve(each.name().replace(' ', '-'));
                    Recordings.dump(each.processes(), its);
                    run.print("recordings of the " + each.name() + ": " + its + "\n");
                }
            }
            if (!profiles) { // Recordings of profiles stay, also in a temporary folder.
                folder.succeeded();
            }
        }
        return 0;
    }

    private List<Contender> started(Path folder, Closing running) throws IOException, InterruptedException {
        List<Contender> contenders = new ArrayList<>();
        Path data = Files.createTempDirectory(folder, "data-");
        if (!withoutAzurite) {
            run.progress("installing Azurite below " + folder);
            Azurite.install(folder.resolve("azurite"));
            run.progress("starting Azurite " + Azurite.version(folder.resolve("azurite")));
            Azurite azurite = running.add(
                    Azurite.start(Azurite.Service.TABLE, folder.resolve("azurite"), data.resolve("azurite")));
            contenders.add(Contender.of("Azurite", azurite.endpoint(), new Member("azurite", azurite.id(), null)));
        }
        run.progress("starting Cleave below " + data);
        Standalone standalone = running.add(Standalone.started(data.resolve("standalone"), List.of("-Xmx1g"), START));
        contenders.add(Contender.of("standalone", standalone.endpoint(), Member.of(standalone.process())));
        if (!withoutCluster) {
            Contender cluster = Contender.of("cluster", cluster(data.resolve("cluster"), DfsPlan.STUB, running));
            contenders.add(cluster);
            contenders.add(Contender.of("empty chain", emptyChain(data.resolve("empty-chain"), cluster, running)));
        }
        DfsPlan asked = dfs.plan().orStub();
        if (asked.kind() == DfsKind.BOOKKEEPER) {
            contenders.add(Contender.of(
                    "cluster on BookKeeper", cluster(data.resolve("cluster-on-bookkeeper"), asked, running)));
        }
        return contenders;
    }

    private Cluster cluster(Path folder, DfsPlan on, Closing running) {
        return running.add(Cluster.started(plan(folder, on), START));
    }

    private ClusterPlan plan(Path folder, DfsPlan on) {
        ClusterPlan plan =
                ClusterPlan.in(folder).masters(3).servers(servers).dfs(on).atFullSpeed(HEAP);
        return profiles ? plan.withJvmOptions(Recordings.jvmOptions()) : plan;
    }

    /** Starts the empty chain on the JVM of the cluster's processes. */
    private EmptyChain emptyChain(Path folder, Contender cluster, Closing running) throws IOException {
        run.progress("starting the empty chain");
        Jvm jvm = ClassArchive.sameClassPath(List.of())
                .with(plan(folder, DfsPlan.STUB).jvmOptions().toArray(String[]::new));
        return running.add(EmptyChain.started(jvm, folder, cluster.endpoint(), START));
    }
}
