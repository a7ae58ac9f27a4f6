package cleave.chaos.bench;

import cleave.chaos.bench.Contender.Member;
import cleave.chaos.bench.empty.EmptyChain;
import cleave.chaos.bench.empty.SignedEcho;
import cleave.chaos.bench.peer.Cassandra;
import cleave.chaos.bench.peer.Peer;
import cleave.chaos.bench.peer.PeerKind;
import cleave.chaos.bench.peer.Postgres;
import cleave.chaos.command.RunFolder;
import cleave.chaos.command.RunOptions;
import cleave.chaos.load.Azurite;
import cleave.chaos.load.Closing;
import cleave.chaos.process.ClassArchive;
import cleave.chaos.process.Cluster;
import cleave.chaos.process.ClusterPlan;
import cleave.chaos.process.Patience;
import cleave.chaos.process.Standalone;
import cleave.client.Endpoint;
import cleave.deploy.CommandFailure;
import cleave.deploy.cluster.DfsKind;
import cleave.deploy.cluster.DfsOption;
import cleave.deploy.cluster.DfsPlan;
import cleave.deploy.cluster.Jvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cleave bench}: compares Azurite or other stores, the all-in-one process and a cluster under the same load. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        header = "compares other stores, standalone and a cluster under the same load, in one run",
        description = {
            "Starts Azurite (its table service, default disk mode; npm installs it and the Node it needs), a standalone and a"
                    + " cluster as processes of this machine, and gives each the same load in turn, round by round: point get,"
                    + " insert, merge, 100-entity query, 100-operation transaction. Cleave syncs every write to disk before it"
                    + " answers. Prints the medians over all rounds and their ratios to the first endpoint, in Markdown.",
            "",
            "Each round then sends the same operations at a fixed low rate, and a second table shows what one costs, there and"
                    + " at full rate: the processor time of all processes that carry it, by role, and what they allocate. Unlike"
                    + " rates it hardly depends on what else runs on the machine. What the processes consume while idle is shown"
                    + " apart, and subtracted.",
            "",
            "Three limits stand beside them. The empty chain is three processes that carry the same bytes over the same hops as"
                    + " the cluster (HTTP, a gRPC call, a message on a stream, for a write a synced file) and do nothing else."
                    + " The table shows how many times as much as there a request costs elsewhere. The signed echo is one"
                    + " process that verifies a request's signature and answers. RocksDB alone writes entities in this"
                    + " process, and syncs each.",
            "",
            "With --dfs bookkeeper a cluster on BookKeeper is compared as well.",
            "",
            "With --peer other stores are compared instead of Azurite, under the workloads A to F of YCSB, and without the"
                    + " limits. All get the same 10,000 entities, which are counted, and ratios are to the peers. Apache"
                    + " Cassandra is one node that syncs its commit log in batches; writes are lightweight transactions and"
                    + " reads have the consistency SERIAL, which is as strict as Cleave is. It is fetched when it is first"
                    + " asked for, and needs Java 17 or 11. PostgreSQL is a server with its defaults, a cache of 512 MB and a"
                    + " table of jsonb; Debian's package 'postgresql' brings it."
        })
public final class BenchCommand implements Callable<Integer> {
    private static final Patience START = Patience.ofSeconds(600);
    private static final String HEAP = "512m";
    /** More than any process of Cleave has here. */
    private static final String PEER_HEAP = "2g";

    @Mixin
    private final RunOptions run = new RunOptions();

    @Mixin
    private final DfsOption dfs = new DfsOption();

    @Option(
            names = "--peer",
            paramLabel = "STORE",
            split = ",",
            description = "compare with this store under YCSB: cassandra or postgres; may be repeated")
    private List<String> peers = new ArrayList<>();

    @Option(
            names = "--peer-java",
            paramLabel = "HOME",
            description = "the Java for Cassandra, 17 or 11 (default: one that is found)")
    private @Nullable Path peerJava;

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

    @Option(names = "--without-cluster", description = "leave the cluster on a DFS node out, and the limits")
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
        Set<PeerKind> others = EnumSet.noneOf(PeerKind.class);
        peers.forEach(name -> others.add(PeerKind.of(name)));
        try (RunFolder folder = run.folder();
                Closing running = new Closing()) {
            List<Contender> contenders =
                    others.isEmpty() ? started(folder.path(), running) : startedWith(others, folder.path(), running);
            Comparison comparison = new Comparison(
                    contenders,
                    others.isEmpty() ? Comparison.OPERATIONS : Comparison.YCSB,
                    connections,
                    Comparison.Lengths.of(warmUp, seconds),
                    run::progress);
            String table = "Bench" + Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);
            comparison.prepare(table);
            SyncedPuts puts = limits(folder.path(), others, running);
            comparison.run(table, rounds, () -> {
                if (puts != null) {
                    run.progress("RocksDB alone");
                    puts.measure(Duration.ofSeconds(seconds));
                }
            });
            run.print(comparison.table());
            run.print("\n" + comparison.costs());
            if (puts != null) {
                run.print("\n" + puts.table());
            }
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

    private @Nullable SyncedPuts limits(Path folder, Set<PeerKind> others, Closing running) throws IOException {
        return withoutCluster || !others.isEmpty()
                ? null
                : running.add(new SyncedPuts(Files.createTempDirectory(folder, "rocksdb-"), connections));
    }

    private List<Contender> startedWith(Set<PeerKind> others, Path folder, Closing running)
            throws IOException, InterruptedException {
        List<Contender> contenders = new ArrayList<>();
        Path data = Files.createTempDirectory(folder, "data-");
        for (PeerKind other : others) {
            run.progress("starting " + other.title());
            Peer peer = running.add(
                    switch (other) {
                        case CASSANDRA -> Cassandra.started(data.resolve("cassandra"), PEER_HEAP, peerJava, START);
                        case POSTGRES -> Postgres.started(folder, data.resolve("postgres"), START);
                    });
            contenders.add(Contender.of(peer));
        }
        contenders.add(standalone(data, running));
        if (!withoutCluster) {
            contenders.add(Contender.of("cluster", cluster(data.resolve("cluster"), DfsPlan.STUB, running)));
        }
        addOnBookKeeper(contenders, data, running);
        return contenders;
    }

    private Contender standalone(Path data, Closing running) {
        run.progress("starting Cleave below " + data);
        Standalone standalone = running.add(Standalone.started(data.resolve("standalone"), List.of("-Xmx1g"), START));
        return Contender.of("standalone", standalone.endpoint(), Member.of(standalone.process()));
    }

    private void addOnBookKeeper(List<Contender> contenders, Path data, Closing running) {
        DfsPlan asked = dfs.plan().orStub();
        if (asked.kind() == DfsKind.BOOKKEEPER) {
            contenders.add(Contender.of(
                    "cluster on BookKeeper", cluster(data.resolve("cluster-on-bookkeeper"), asked, running)));
        }
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
        contenders.add(standalone(data, running));
        if (!withoutCluster) {
            Cluster cluster = cluster(data.resolve("cluster"), DfsPlan.STUB, running);
            contenders.add(Contender.of("cluster", cluster));
            addLimits(contenders, data, cluster.endpoints().get(0), running);
        }
        addOnBookKeeper(contenders, data, running);
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

    /** Starts the empty chain and the echo on the JVM of the cluster's processes. */
    private void addLimits(List<Contender> contenders, Path data, Endpoint like, Closing running) throws IOException {
        run.progress("starting the empty chain and the signed echo");
        Jvm jvm = ClassArchive.sameClassPath(List.of())
                .with(plan(data, DfsPlan.STUB).jvmOptions().toArray(String[]::new));
        contenders.add(Contender.of(
                "empty chain", running.add(EmptyChain.started(jvm, data.resolve("empty-chain"), like, START))));
        contenders.add(
                Contender.of("signed echo", running.add(SignedEcho.started(jvm, data.resolve("echo"), like, START))));
    }
}
