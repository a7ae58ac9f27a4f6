package cleave.chaos.fault;

import cleave.chaos.process.BookKeeper;
import cleave.chaos.process.ChildProcess;
import cleave.chaos.process.Cluster;
import cleave.chaos.process.ClusterPlan;
import cleave.chaos.process.Patience;
import cleave.client.Answer;
import cleave.client.Connection;
import cleave.client.Endpoint;
import cleave.client.Requests;
import cleave.deploy.terminal.Wait;
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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The cluster under faults: 3 masters, 3 servers, 2 front ends, a DFS node or BookKeeper; one table in 24 ranges; small
 * thresholds, so that logs roll and snapshots are taken constantly. Confined to its owner.
 */
public final class FaultCluster implements AutoCloseable {
    public static final int PARTITIONS = 24;
    public static final String TABLE = "Faults";
    public static final Patience PATIENCE = Patience.ofSeconds(300);

    private static final Duration REQUEST = Duration.ofSeconds(60);
    /** How long a process of BookKeeper is down. */
    private static final Duration AWAY = Duration.ofSeconds(5);
    /** Autorecovery copies one ledger after the other. */
    private static final Duration COPIES_PATIENCE = Duration.ofMinutes(30);
    /** Each look starts a program. */
    private static final Duration COPIES_LOOK = Duration.ofSeconds(2);

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

    /**
     * On a cluster that runs: turns its balancer off, creates the table and splits it into ranges. The cluster stays its owner's, who closes
     * it.
     */
    public static FaultCluster on(Cluster cluster, int ranges) throws IOException {
        FaultCluster faults = new FaultCluster(cluster);
        faults.withoutBalancer();
        faults.createTable();
        faults.split(ranges);
        cluster.awaitServed(PATIENCE);
        return faults;
    }

    /** From now on ranges are split, merged and moved by operators alone. */
    void withoutBalancer() {
        cluster.admin().change(Map.of("balancer.split", "false", "balancer.merge", "false", "balancer.move", "false"));
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

    /** The clients first: masters that are asked again and again would be slower with the takeover. */
    private void awaitTakenOver(int server, Workload workload) {
        workload.awaitWritesEverywhere(PATIENCE);
        awaitTakenOver(server);
    }

    public ChildProcess leader() {
        return cluster.masters().get(cluster.leader());
    }

    // The following methods return when the fault itself was over: when the process was started again or resumed.

    /** Kills the leading master; returns when another leads, all ranges take writes, and the killed one is back. */
    public long killLeader(ChildProcess leader, Workload workload) {
        leader.kill();
        workload.awaitWritesEverywhere(PATIENCE);
        PATIENCE.until("another master leads", () -> cluster.leader() >= 0);
        return restart(leader);
    }

    /** Kills a server; returns when others have its ranges, all ranges take writes, and it is back. */
    public long killServer(int index, Workload workload) {
        ChildProcess server = cluster.servers().get(index);
        server.kill();
        awaitTakenOver(index, workload);
        return restart(server);
    }

    /** Pauses a server; returns when others have its ranges, all ranges take writes, and it runs again. */
    public long pauseServer(int index, Workload workload) {
        ChildProcess server = cluster.servers().get(index);
        server.pause();
        awaitTakenOver(index, workload);
        server.resume();
        return System.nanoTime();
    }

    /** Kills the DFS node and starts it again at once. */
    public long restartDfs() {
        ChildProcess dfs = cluster.dfsNodes().get(0);
        dfs.kill();
        return restart(dfs);
    }

    private BookKeeper bookKeeper() {
        return cluster.bookKeeper().orElseThrow();
    }

    /** Picks a different one each time. */
    private ChildProcess nextBookie() {
        List<ChildProcess> all = bookKeeper().bookies();
        bookie = (bookie + 1) % all.size();
        return all.get(bookie);
    }

    /** Kills a bookie and starts it again when all ranges take writes without it. */
    public long killBookie(Workload workload) {
        ChildProcess killed = nextBookie();
        killed.kill();
        workload.awaitWritesEverywhere(PATIENCE);
        return restart(killed);
    }

    /** Pauses a bookie for a while; all ranges take writes meanwhile. */
    public long pauseBookie(Workload workload) {
        return pause(nextBookie(), AWAY, workload);
    }

    /** Destroys a bookie's disk; returns when everything on it is replicated again and an empty bookie has replaced it. */
    public long wipeBookie(Workload workload) {
        ChildProcess wiped = nextBookie();
        wiped.kill();
        bookKeeper().destroyDisk(wiped);
        if (bookKeeper().isWholeAgain()) {
            throw new IllegalStateException("nothing was on the disk of " + wiped.name());
        }
        workload.awaitWritesEverywhere(PATIENCE);
        long over = restart(wiped);
        if (!Wait.until(this::isWholeAgain, COPIES_PATIENCE, COPIES_LOOK)) {
            throw new IllegalStateException("what was on the disk of " + wiped.name() + " has not been copied");
        }
        return over;
    }

    /** Autorecovery that ended, because ZooKeeper was away before, copies nothing. */
    private boolean isWholeAgain() {
        startEnded();
        return bookKeeper().isWholeAgain();
    }

    private ChildProcess leadingZooKeeper() {
        AtomicReference<@Nullable ChildProcess> leading = new AtomicReference<>();
        PATIENCE.until("a ZooKeeper server leads", () -> {
            leading.set(bookKeeper().leadingZooKeeper().orElse(null));
            return leading.get() != null;
        });
        return Objects.requireNonNull(leading.get());
    }

    /** Kills the ZooKeeper server that leads, and starts it again after a while; all ranges take writes meanwhile. */
    public long killZooKeeper(Workload workload) {
        ChildProcess leader = leadingZooKeeper();
        leader.kill();
        workload.keepWriting(AWAY, PATIENCE);
        return restart(leader);
    }

    /** Pauses the ZooKeeper server that leads; all ranges take writes meanwhile. */
    public long pauseZooKeeper(Duration duration, Workload workload) {
        return pause(leadingZooKeeper(), duration, workload);
    }

    /** Destroys the disk of the ZooKeeper server that leads, of at least three; it gets what it lost from the others. */
    public long wipeZooKeeper(Workload workload) {
        ChildProcess leader = leadingZooKeeper();
        leader.kill();
        bookKeeper().destroyMetadata(leader);
        workload.keepWriting(AWAY, PATIENCE);
        return restart(leader);
    }

    /** Kills all ZooKeeper servers, and starts them again after a time, whatever goes on meanwhile. */
    public long withoutZooKeeper(Duration duration) {
        bookKeeper().zookeepers().forEach(ChildProcess::kill);
        CountDownLatch never = new CountDownLatch(1);
        try {
            never.await(duration.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", interrupted);
        }
        bookKeeper().zookeepers().forEach(ChildProcess::start);
        return System.nanoTime();
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
    private List<String> startEnded() {
        List<ChildProcess> ended = processesOfBookKeeper().stream()
                .filter(process -> !process.isAlive())
                .toList();
        ended.forEach(ChildProcess::start);
        return ended.stream().map(ChildProcess::name).toList();
    }

    private List<ChildProcess> processesOfBookKeeper() {
        return cluster.bookKeeper().map(BookKeeper::all).orElse(List.of());
    }

    private static long pause(ChildProcess paused, Duration duration, Workload workload) {
        paused.pause();
        workload.keepWriting(duration, PATIENCE);
        paused.resume();
        long over = System.nanoTime();
        paused.awaitReady(PATIENCE);
        return over;
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
