package cleave.chaos.fault;

import cleave.chaos.client.Answer;
import cleave.chaos.client.Connection;
import cleave.chaos.client.Endpoint;
import cleave.chaos.client.Requests;
import cleave.chaos.process.BookKeeper;
import cleave.chaos.process.ChildProcess;
import cleave.chaos.process.Cluster;
import cleave.chaos.process.ClusterPlan;
import cleave.chaos.process.Patience;
import cleave.model.Key;
import cleave.wire.RangeRow;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The cluster that faults are tried on: 3 masters, 3 servers, 2 front ends, a DFS node or BookKeeper; one table in 24 ranges; thresholds so
 * small that logs roll and snapshots are taken all the time. Confined to its owner.
 */
public final class FaultCluster implements AutoCloseable {
    public static final int PARTITIONS = 24;
    public static final String TABLE = "Faults";
    public static final Patience PATIENCE = Patience.ofSeconds(300);

    private static final Duration REQUEST = Duration.ofSeconds(60);
    /** How long a part of BookKeeper is away. */
    private static final Duration AWAY = Duration.ofSeconds(5);

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
            faults.createTable();
            faults.split(ranges);
            faults.cluster.awaitServed(PATIENCE);
            return faults;
        } catch (IOException failed) {
            faults.close();
            throw new UncheckedIOException(failed);
        } catch (RuntimeException failed) {
            String tails = faults.cluster.logTails();
            faults.close();
            throw new IllegalStateException(tails, failed);
        }
    }

    private void createTable() throws IOException {
        Endpoint endpoint = cluster.endpoints().get(0);
        try (Connection connection = Connection.open(endpoint, REQUEST)) {
            Answer created = connection.exchange(new Requests(endpoint).createTable(TABLE));
            if (created.status() != 204) {
                throw new IOException("create table: " + created);
            }
        }
    }

    private void split(int ranges) {
        List<String> bounds = new ArrayList<>();
        for (int range = 1; range < ranges; range++) {
            bounds.add(Workload.partitionKey(range * PARTITIONS / ranges));
        }
        cluster.split(Endpoint.DEVELOPMENT_ACCOUNT, TABLE, bounds);
    }

    public Cluster cluster() {
        return cluster;
    }

    /** Clients on entities that no earlier workload touched. */
    public Workload workload(int clients) {
        workloads++;
        return new Workload(cluster.endpoints(), TABLE, PARTITIONS, clients, workloads + ".");
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

    /** Index of the server that owns most. */
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
        Key key = Key.of(tableId(rows), Workload.partitionKey(partition), "");
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

    private static long tableId(List<RangeRow> rows) {
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

    /** Kills the master that leads; returns when another leads, all ranges take writes, and the killed one is back. */
    public void killLeader(ChildProcess leader, Workload workload) {
        leader.kill();
        workload.awaitWritesEverywhere(PATIENCE);
        PATIENCE.until("another master leads", () -> cluster.leader() >= 0);
        restart(leader);
    }

    /** Kills a server; returns when others have its ranges, all ranges take writes, and it is back. */
    public void killServer(int index, Workload workload) {
        ChildProcess server = cluster.servers().get(index);
        server.kill();
        awaitTakenOver(index);
        workload.awaitWritesEverywhere(PATIENCE);
        restart(server);
    }

    /** Pauses a server; returns when others have its ranges, all ranges take writes, and it goes on. */
    public void pauseServer(int index, Workload workload) {
        ChildProcess server = cluster.servers().get(index);
        server.pause();
        awaitTakenOver(index);
        workload.awaitWritesEverywhere(PATIENCE);
        server.resume();
    }

    public void restartDfs() {
        ChildProcess dfs = cluster.dfsNodes().get(0);
        dfs.kill();
        restart(dfs);
    }

    private BookKeeper bookKeeper() {
        return cluster.bookKeeper().orElseThrow();
    }

    /** Each time another one. */
    private ChildProcess nextBookie() {
        List<ChildProcess> all = bookKeeper().bookies();
        bookie = (bookie + 1) % all.size();
        return all.get(bookie);
    }

    /** Kills a bookie and starts it again when all ranges take writes without it. */
    public void killBookie(Workload workload) {
        ChildProcess killed = nextBookie();
        killed.kill();
        workload.awaitWritesEverywhere(PATIENCE);
        restart(killed);
    }

    /** Pauses a bookie for a while; all ranges take writes meanwhile. */
    public void pauseBookie(Workload workload) {
        ChildProcess paused = nextBookie();
        paused.pause();
        keepWriting(workload);
        paused.resume();
        paused.awaitReady(PATIENCE);
    }

    /** Destroys a bookie's disk; returns when all that was on it has been copied, and an empty one has taken its place. */
    public void wipeBookie(Workload workload) {
        ChildProcess wiped = nextBookie();
        String id = bookKeeper().idOf(wiped);
        wiped.kill();
        bookKeeper().wipe(wiped);
        workload.awaitWritesEverywhere(PATIENCE);
        restart(wiped);
        PATIENCE.until("no file has a copy on " + id, () -> !bookKeeper().isUsed(id));
    }

    /** Kills the ZooKeeper server that leads, and starts it again after a while; all ranges take writes meanwhile. */
    public void killZooKeeper(Workload workload) {
        AtomicReference<@Nullable ChildProcess> leading = new AtomicReference<>();
        PATIENCE.until("a ZooKeeper server leads", () -> {
            leading.set(bookKeeper().leadingZooKeeper().orElse(null));
            return leading.get() != null;
        });
        ChildProcess leader = Objects.requireNonNull(leading.get());
        leader.kill();
        keepWriting(workload);
        restart(leader);
    }

    private static void keepWriting(Workload workload) {
        long until = System.nanoTime() + AWAY.toNanos();
        while (System.nanoTime() - until < 0) {
            workload.awaitWritesEverywhere(PATIENCE);
        }
    }

    /** Starts a process that is down and waits until it is ready. */
    public void restart(ChildProcess process) {
        process.start();
        process.awaitReady(PATIENCE);
    }

    @Override
    public void close() {
        cluster.close();
    }
}
