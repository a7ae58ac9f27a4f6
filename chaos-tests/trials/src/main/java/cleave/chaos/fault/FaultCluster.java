package cleave.chaos.fault;

import cleave.chaos.process.BookKeeper;
import cleave.chaos.process.ChildProcess;
import cleave.chaos.process.Cluster;
import cleave.chaos.process.ClusterPlan;
import cleave.chaos.process.Patience;
import cleave.client.Endpoint;
import cleave.client.Requests;
import cleave.client.RetryingClient;
import cleave.deploy.admin.AdminClient;
import cleave.model.Key;
import cleave.wire.AdminSplitRequest;
import cleave.wire.RangeRow;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;

/**
 * The cluster under faults: 3 masters, 3 servers, 2 front ends, a DFS node or BookKeeper; one table in 24 ranges; small
 * thresholds, so that logs roll and snapshots are taken constantly. Confined to its owner.
 */
public final class FaultCluster implements AutoCloseable {
    public static final int PARTITIONS = 24;
    public static final String TABLE = "Faults";
    public static final Patience PATIENCE = Patience.ofSeconds(300);

    private static final Duration REQUEST = Duration.ofSeconds(60);

    private final Cluster cluster;
    private int workloads;
    private int bookie = -1;

    private FaultCluster(Cluster cluster) {
        this.cluster = cluster;
    }

    public static ClusterPlan plan(Path folder) {
        return ClusterPlan.in(folder)
                .masters(3)
                .servers(3)
                .frontEnds(2)
                .set("server.checkpoint-log-bytes", "4KiB")
                .set("master.snapshot-every", "100");
    }

    /** Starts the cluster, creates the table and makes each of its partitions a range. */
    public static FaultCluster started(ClusterPlan plan) {
        return started(plan, PARTITIONS);
    }

    /** Starts the cluster, creates the table and splits it into ranges. */
    public static FaultCluster started(ClusterPlan plan, int ranges) {
        FaultCluster faults = new FaultCluster(Cluster.started(plan, PATIENCE));
        try {
            faults.makeTable(ranges);
            return faults;
        } catch (RuntimeException failed) {
            String tails = faults.cluster.logTails();
            faults.close();
            throw new IllegalStateException(tails, failed);
        }
    }

    /**
     * On a cluster that runs: turns its balancer off, creates the table and splits it into ranges. The cluster stays its owner's, who closes
     * it.
     */
    public static FaultCluster on(Cluster cluster, int ranges) {
        FaultCluster faults = new FaultCluster(cluster);
        faults.withoutBalancer();
        faults.makeTable(ranges);
        return faults;
    }

    /** From now on ranges are split, merged and moved by operators alone. */
    void withoutBalancer() {
        cluster.admin().change(Map.of("balancer.split", "false", "balancer.merge", "false", "balancer.move", "false"));
    }

    private void makeTable(int ranges) {
        makeTable(cluster.endpoints().get(0), cluster::admin, TABLE, PARTITIONS, ranges);
        cluster.awaitServed(PATIENCE);
    }

    /** Creates a table for these partitions, and makes ranges of them; asks again until both is done. */
    public static void makeTable(
            Endpoint endpoint, Callable<AdminClient> admin, String table, int partitions, int ranges) {
        AdminSplitRequest split = AdminSplitRequest.newBuilder()
                .setAccount(Endpoint.DEVELOPMENT_ACCOUNT)
                .setTable(table)
                .addAllPartitionKeys(IntStream.range(1, ranges)
                        .mapToObj(range -> RecordingClients.partitionKey(range * partitions / ranges))
                        .toList())
                .build();
        PATIENCE.until("the table is made", () -> {
            try (RetryingClient client = new RetryingClient(new Requests(endpoint), REQUEST)) {
                client.createTable(table);
            }
            admin.call().split(split);
            return true;
        });
    }

    public Cluster cluster() {
        return cluster;
    }

    /** Clients on entities that no earlier workload touched. */
    public RecordingClients workload(int clients) {
        workloads++;
        return new RecordingClients(cluster.endpoints(), TABLE, PARTITIONS, clients, workloads + ".");
    }

    /** Waits until each range has published this number of checkpoints, each with a roll of its log. */
    public void awaitCheckpoints(int each) {
        Map<Long, Set<String>> manifests = new HashMap<>();
        PATIENCE.until("each range has published " + each + " checkpoints", () -> {
            List<RangeRow> rows = cluster.admin().ranges();
            rows.forEach(row -> manifests
                    .computeIfAbsent(row.getId(), id -> new HashSet<>())
                    .add(row.getManifest()));
            return rows.stream()
                    .allMatch(
                            row -> manifests.getOrDefault(row.getId(), Set.of()).size() > each);
        });
    }

    /** Partitions whose ranges a server owns now; index counts from 0. */
    public List<Integer> partitionsOf(int server) {
        String id = "server-" + (server + 1);
        List<Integer> partitions = new ArrayList<>();
        List<RangeRow> rows = cluster.admin().ranges();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            if (rowOf(rows, partition).getOwner().getServer().equals(id)) {
                partitions.add(partition);
            }
        }
        return partitions;
    }

    /** Index of the server that owns most ranges. */
    public int busiestServer() {
        return IntStream.range(0, cluster.servers().size())
                .boxed()
                .max(Comparator.comparingInt(server -> partitionsOf(server).size()))
                .orElseThrow();
    }

    /** The row of the range that holds a partition. */
    public RangeRow rowOf(int partition) {
        return rowOf(cluster.admin().ranges(), partition);
    }

    private static RangeRow rowOf(List<RangeRow> rows, int partition) {
        Key key = Key.of(tableId(rows), RecordingClients.partitionKey(partition), "");
        for (RangeRow row : rows) {
            Key start = Key.fromWire(row.getStart());
            boolean below = row.getEnd().isEmpty() || key.compareTo(Key.fromWire(row.getEnd())) < 0;
            if (start.compareTo(key) <= 0 && below) {
                return row;
            }
        }
        throw new IllegalStateException("no range holds " + key);
    }

    public long tableId() {
        return tableId(cluster.admin().ranges());
    }

    /** The latest table of these ranges. */
    public static long tableId(List<RangeRow> rows) {
        return rows.stream()
                .mapToLong(row -> Key.fromWire(row.getStart()).table())
                .max()
                .orElseThrow();
    }

    /** Waits until no range is owned by this server's present or former incarnations. */
    public void awaitTakenOver(int server) {
        PATIENCE.until(
                "server-" + (server + 1) + " owns nothing",
                () -> partitionsOf(server).isEmpty());
    }

    public ChildProcess leader() {
        return cluster.masters().get(cluster.leader());
    }

    /** Kills a server; returns when others have its ranges, all ranges take writes, and it is back. */
    public long killServer(int index, RecordingClients workload) {
        ChildProcess server = cluster.servers().get(index);
        server.kill();
        workload.awaitWritesEverywhere(
                PATIENCE); // Masters that are asked again and again would be slower with the takeover.
        awaitTakenOver(index);
        return restart(server);
    }

    /** Waits until every process that runs is ready and every range is served. */
    void awaitWhole() {
        cluster.awaitReady(PATIENCE);
        cluster.awaitServed(PATIENCE);
    }

    /** A different one each time. */
    ChildProcess nextBookie() {
        List<ChildProcess> bookies = cluster.bookKeeper().orElseThrow().bookies();
        bookie = (bookie + 1) % bookies.size();
        return bookies.get(bookie);
    }

    /**
     * Waits until BookKeeper's processes are ready, and starts those again that end, as whatever runs them would: a bookie that cannot
     * register again with ZooKeeper ends. Returns the names of those.
     */
    public List<String> keepBookKeeperUp() {
        List<String> started = new ArrayList<>();
        PATIENCE.until("BookKeeper is ready", () -> {
            started.addAll(startEnded());
            for (ChildProcess process : processesOfBookKeeper()) {
                if (!process.readiness().ready()) {
                    throw new IllegalStateException(
                            process.name() + ": " + process.readiness().missing());
                }
            }
            return true;
        });
        return started;
    }

    /** The names of BookKeeper's processes that had ended, and are started again. */
    List<String> startEnded() {
        List<ChildProcess> ended = processesOfBookKeeper().stream()
                .filter(process -> !process.isAlive())
                .toList();
        ended.forEach(ChildProcess::start);
        return ended.stream().map(ChildProcess::name).toList();
    }

    private List<ChildProcess> processesOfBookKeeper() {
        return cluster.bookKeeper().map(BookKeeper::all).orElse(List.of());
    }

    /** Starts a process that is down and waits until it is ready; when it was started. */
    public long restart(ChildProcess process) {
        long over = System.nanoTime();
        process.start();
        process.awaitReady(PATIENCE);
        return over;
    }

    @Override
    public void close() {
        cluster.close();
    }
}
