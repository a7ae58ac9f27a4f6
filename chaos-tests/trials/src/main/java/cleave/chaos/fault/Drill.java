package cleave.chaos.fault;

import cleave.chaos.fault.Trial.Step;
import cleave.chaos.process.BookKeeper;
import cleave.chaos.process.ChildProcess;
import cleave.chaos.process.Cluster;
import cleave.chaos.process.ClusterPlan;
import cleave.deploy.terminal.Wait;
import cleave.model.Key;
import cleave.model.KeyRange;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A trial of real processes: faults, and random splits, merges and moves, under clients that never pause for long and never retry. Confined to
 * its thread.
 */
final class Drill {
    private static final int CLIENTS = 3;
    private static final int CLIENTS_ALONE = 6;
    private static final int RANGES = 6;
    private static final int RANGES_MIN = 4;
    private static final int RANGES_MAX = 12;
    private static final Duration ROUND = Duration.ofMillis(100);
    /** How long ZooKeeper waits for a sign of a bookie. */
    private static final Duration SESSION = Duration.ofSeconds(30);
    /** How long a process of BookKeeper is down. */
    private static final Duration AWAY = Duration.ofSeconds(5);
    /** Autorecovery copies one ledger after the other. */
    private static final Duration COPIES_PATIENCE = Duration.ofMinutes(30);
    /** Each look starts a program. */
    private static final Duration COPIES_LOOK = Duration.ofSeconds(2);

    static final List<Integer> ALL =
            IntStream.range(0, FaultCluster.PARTITIONS).boxed().toList();

    private final Consumer<String> progress;
    private final FaultCluster faults;
    private final Cluster cluster;
    private final RecordingClients workload;
    private final Trial trial;
    private final boolean forcesHandoffs;
    private final ForcedHandoffs forced;
    private final HandoffEvents events;
    private long countsFrom = System.nanoTime();

    /**
     * How a drill loads the cluster.
     *
     * @param operators that request handoffs, each one at a time; 0 for a drill of faults alone
     * @param rate operations per second of all clients together; 0 for no limit
     * @param rangeBytes approximate average size of a range
     */
    record Shape(int operators, int rate, long rangeBytes, long seed) {
        int clients() {
            return operators == 0 ? CLIENTS_ALONE : CLIENTS;
        }

        /** Clients that concentrate on the ranges under handoff. */
        int followers() {
            return 2 * operators;
        }
    }

    /** @param stable entities to scan from end to end meanwhile; null for no scans */
    Drill(FaultCluster faults, @Nullable StableRows stable, Shape shape, Consumer<String> progress) {
        this.faults = faults;
        this.progress = progress;
        cluster = faults.cluster();
        workload = faults.workload(shape.clients());
        long table = faults.tableId();
        trial = new Trial(workload, table, this::settle, progress);
        forcesHandoffs = shape.operators() > 0;
        List<Key> bounds = IntStream.range(1, FaultCluster.PARTITIONS)
                .mapToObj(partition -> Key.beforePartition(table, RecordingClients.partitionKey(partition)))
                .toList();
        List<String> servers = IntStream.rangeClosed(1, cluster.servers().size())
                .mapToObj(server -> "server-" + server)
                .toList();
        forced = new ForcedHandoffs(
                cluster.admin(),
                table,
                new HandoffChoice(bounds, servers, RANGES_MIN, RANGES_MAX),
                shape.operators(),
                shape.seed());
        events = new HandoffEvents(cluster.admin(), forced::interval);
        workload.follow(forced::partitions, shape.followers());
        if (shape.rate() > 0) {
            workload.pace(shape.rate());
        }
        if (stable != null) {
            workload.scan(stable);
        }
    }

    static ClusterPlan plan(Path folder) {
        return ClusterPlan.in(folder).masters(3).servers(3).frontEnds(2);
    }

    /** A cluster with a table in several ranges, whose balancer is off, so that every handoff is one requested here. */
    static FaultCluster started(ClusterPlan plan) {
        FaultCluster faults = FaultCluster.started(plan, RANGES);
        faults.withoutBalancer();
        return faults;
    }

    /** Writes entities that never change, which make the ranges as large as requested. */
    static StableRows load(FaultCluster faults, Shape shape, Consumer<String> progress) throws IOException {
        StableRows stable =
                StableRows.ofBytes(FaultCluster.TABLE, FaultCluster.PARTITIONS, RANGES * shape.rangeBytes());
        stable.load(faults.cluster().endpoints().get(0), progress);
        return stable;
    }

    void begin() {
        trial.begin();
        if (forcesHandoffs) {
            events.start();
            forced.start();
        }
    }

    /** Measures the handoffs that begin from now on; earlier ones were a warm-up. */
    void count() {
        countsFrom = System.nanoTime();
    }

    /** Waits until this number of further handoffs is committed. */
    void awaitHandoffs(int more) {
        int wanted = events.done() + more;
        int told = events.done();
        while (events.done() < wanted) {
            int before = events.done();
            FaultCluster.PATIENCE.until("another handoff is done", () -> events.done() > before);
            if (events.done() >= told + 100) {
                told = events.done();
                progress.accept("  " + told + " handoffs are done");
            }
        }
    }

    /** Kills the leading master, during handoffs if there are any, and starts it again. This excuses no failed request. */
    void killLeader() {
        ChildProcess leader = faults.leader();
        inject("leader killed", ALL, () -> {
            leader.kill();
            awaitWrites();
            FaultCluster.PATIENCE.until("another master leads", () -> cluster.leader() >= 0);
            return faults.restart(leader);
        });
    }

    /** Kills the server that owns most ranges, and starts it again. */
    void killServer() {
        int index = faults.busiestServer();
        injectExcused("server killed", faults.partitionsOf(index), () -> faults.killServer(index, workload));
    }

    /** Pauses the server that owns most ranges until others have taken them over. */
    void pauseServer() {
        int index = faults.busiestServer();
        ChildProcess server = cluster.servers().get(index);
        injectExcused("server paused", faults.partitionsOf(index), () -> {
            server.pause();
            awaitWrites();
            faults.awaitTakenOver(index);
            server.resume();
            return System.nanoTime();
        });
    }

    /** Kills the DFS node and starts it again at once. */
    void restartDfs() {
        ChildProcess dfs = cluster.dfsNodes().get(0);
        injectExcused("DFS node restarted", ALL, () -> {
            dfs.kill();
            return faults.restart(dfs);
        });
    }

    /** Kills a bookie and starts it again when all ranges take writes without it. Like the following faults, this excuses no failed request. */
    void killBookie() {
        ChildProcess bookie = faults.nextBookie();
        inject("bookie killed", ALL, () -> {
            bookie.kill();
            awaitWrites();
            return faults.restart(bookie);
        });
    }

    void pauseBookie() {
        inject("bookie paused", ALL, () -> pause(faults.nextBookie(), AWAY));
    }

    /** Destroys the disk of a bookie; returns when everything on it is replicated again, and an empty bookie has replaced it. */
    void wipeBookie() {
        ChildProcess bookie = faults.nextBookie();
        inject("bookie's disk destroyed", ALL, () -> {
            bookie.kill();
            bookKeeper().destroyDisk(bookie);
            if (bookKeeper().isWholeAgain()) {
                throw new IllegalStateException("nothing was on the disk of " + bookie.name());
            }
            awaitWrites();
            long over = faults.restart(bookie);
            if (!Wait.until(this::isWholeAgain, COPIES_PATIENCE, COPIES_LOOK)) {
                throw new IllegalStateException("what was on the disk of " + bookie.name() + " has not been copied");
            }
            return over;
        });
    }

    /** Autorecovery that ended, because ZooKeeper was away before, copies nothing. */
    private boolean isWholeAgain() {
        faults.startEnded();
        return bookKeeper().isWholeAgain();
    }

    /** Kills the ZooKeeper server that leads, and starts it again after a while. */
    void killZooKeeper() {
        inject("leading ZooKeeper killed", ALL, () -> withoutLeadingZooKeeper(killed -> {}));
    }

    /** The same, and destroys its disk; it gets what it lost from the others, of which there must be two. */
    void wipeZooKeeper() {
        inject("leading ZooKeeper's disk destroyed", ALL, () -> withoutLeadingZooKeeper(bookKeeper()::destroyDisk));
    }

    private long withoutLeadingZooKeeper(Consumer<ChildProcess> meanwhile) {
        ChildProcess leader = leadingZooKeeper();
        leader.kill();
        meanwhile.accept(leader);
        workload.keepWriting(AWAY, FaultCluster.PATIENCE);
        return faults.restart(leader);
    }

    void pauseZooKeeper(Duration duration) {
        inject("leading ZooKeeper paused", ALL, () -> pause(leadingZooKeeper(), duration));
    }

    private ChildProcess leadingZooKeeper() {
        AtomicReference<@Nullable ChildProcess> leading = new AtomicReference<>();
        FaultCluster.PATIENCE.until("a ZooKeeper server leads", () -> {
            leading.set(bookKeeper().leadingZooKeeper().orElse(null));
            return leading.get() != null;
        });
        return Objects.requireNonNull(leading.get());
    }

    /** Kills all ZooKeeper servers and starts them again after a time. Requests may fail only if that is longer than their sessions. */
    void withoutZooKeeper(Duration duration) {
        Step step = inject(
                "without ZooKeeper for " + duration.toSeconds() + " s",
                ALL,
                () -> without(bookKeeper().zookeepers(), duration, () -> {}));
        if (duration.compareTo(SESSION) >= 0) {
            trial.excuse(step);
        }
    }

    /** Kills all masters and starts them again after a time. Only requests to ranges in a handoff may fail. */
    void stopMasters(Duration duration) {
        List<KeyRange> inHand = new ArrayList<>();
        Step step = inject("all masters stopped", ALL, () -> {
            inHand.addAll(forced.underWay());
            return without(cluster.masters(), duration, forcesHandoffs ? () -> {} : this::awaitWrites);
        });
        inHand.forEach(interval -> trial.excuse(interval, step));
    }

    /** Kills all of them, and starts them again after a time, in which something is done again and again. */
    private static long without(List<ChildProcess> processes, Duration duration, Runnable meanwhile) {
        long from = System.nanoTime();
        processes.forEach(ChildProcess::kill);
        while (System.nanoTime() - from < duration.toNanos()) {
            meanwhile.run();
            LockSupport.parkNanos(ROUND.toNanos());
        }
        long over = System.nanoTime();
        processes.forEach(ChildProcess::start);
        processes.forEach(process -> process.awaitReady(FaultCluster.PATIENCE));
        return over;
    }

    /** Pauses a process for a while; all ranges take writes meanwhile. */
    private long pause(ChildProcess paused, Duration duration) {
        paused.pause();
        workload.keepWriting(duration, FaultCluster.PATIENCE);
        paused.resume();
        long over = System.nanoTime();
        paused.awaitReady(FaultCluster.PATIENCE);
        return over;
    }

    private BookKeeper bookKeeper() {
        return cluster.bookKeeper().orElseThrow();
    }

    void awaitWrites() {
        workload.awaitWritesEverywhere(FaultCluster.PATIENCE);
    }

    /** @param fault carries it out, and returns when it was over */
    private Step inject(String kind, List<Integer> partitions, Trial.Action fault) {
        if (forcesHandoffs) {
            FaultCluster.PATIENCE.until(
                    "a handoff is under way", () -> !cluster.admin().handoffs().isEmpty());
        }
        return trial.step(kind, "", partitions, fault);
    }

    /** The same, and any request may fail meanwhile. */
    void injectExcused(String kind, List<Integer> partitions, Trial.Action fault) {
        trial.excuse(inject(kind, partitions, fault));
    }

    private void settle() {
        faults.keepBookKeeperUp().forEach(name -> progress.accept("  " + name + " had ended, and was started again"));
        if (forcesHandoffs) {
            awaitHandoffs(1);
        } else {
            faults.awaitWhole();
        }
    }

    /** Requests no more handoffs, waits until none is under way, and returns all that were seen. May be called again. */
    List<SeenHandoff> endHandoffs() {
        forced.stop();
        FaultCluster.PATIENCE.until(
                "no handoff is under way", () -> cluster.admin().handoffs().isEmpty());
        cluster.awaitServed(FaultCluster.PATIENCE);
        events.stop();
        return events.seen();
    }

    /** Stops the clients and checks their history. */
    Report end() {
        return trial.end(forcesHandoffs ? new Handoffs(endHandoffs(), forced.asked(), countsFrom) : Handoffs.NONE);
    }
}
