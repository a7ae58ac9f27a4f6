package cleave.chaos.fault;

import cleave.chaos.history.Call;
import cleave.chaos.history.Change;
import cleave.chaos.history.CheckResult;
import cleave.chaos.history.EntityKey;
import cleave.chaos.history.History;
import cleave.chaos.history.HistoryChecker;
import cleave.chaos.history.Operation;
import cleave.chaos.history.Outcome;
import cleave.chaos.process.ChildProcess;
import cleave.chaos.process.Cluster;
import cleave.chaos.process.ClusterPlan;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.wire.ErrorCode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Faults and random splits, merges and moves on real processes under clients that never pause for long and never retry;
 * reports what the clients saw. Confined to its thread.
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

    private static final List<Integer> ALL =
            IntStream.range(0, FaultCluster.PARTITIONS).boxed().toList();

    private final Consumer<String> progress;
    private final FaultCluster faults;
    private final Cluster cluster;
    private final Workload workload;
    private final Shape shape;
    private final @Nullable ScanningClient scanner;
    private final ForcedHandoffs forced;
    private final HandoffEvents events;
    private final List<Fault> injected = new ArrayList<>();
    private final List<Excuse> excuses = new ArrayList<>();
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

    /** An interval of time in which requests to an interval of keys may fail; null: to any key. */
    record Excuse(@Nullable KeyRange interval, long from, long until) {
        boolean overlaps(SeenHandoff handoff) {
            return handoff.begun() < until && handoff.ended() > from;
        }

        boolean holds(FailedRequest failed, long table) {
            boolean isThen = failed.call().invoked() < until && failed.call().returned() > from;
            return isThen
                    && (interval == null
                            || failed.key() == null
                            || interval.contains(Key.of(table, failed.key().partition(), "")));
        }
    }

    /**
     * An injected fault, and the partitions that it can have affected.
     *
     * @param over when what failed was there again
     * @param until everything had recovered
     */
    record Fault(String kind, long from, long over, long until, List<Integer> partitions) {
        boolean overlaps(Operation operation) {
            return operation.call().returned() > from && operation.call().invoked() < until;
        }

        /** True if the gap began before what failed was there again, in a partition that it can have affected. */
        boolean explains(String partition, Availability.Gap gap) {
            return gap.until() > from
                    && gap.from() < over
                    && partitions.stream().map(Workload::partitionKey).anyMatch(partition::equals);
        }
    }

    /**
     * What clients saw of a fault, until everything had recovered.
     *
     * @param nanos from the fault until a write that began after it succeeded, in the range that took longest
     * @param stall the longest time that a client waited for an answer
     * @param mend from the return of what failed to the recovery of everything
     * @param acknowledged writes and transactions
     * @param failed requests that were not executed or have an unknown outcome
     */
    record Recovery(String kind, long nanos, long stall, long mend, long acknowledged, long failed) {}

    /** @param stable entities to scan from end to end meanwhile; null for no scans */
    Drill(FaultCluster faults, @Nullable StableRows stable, Shape shape, Consumer<String> progress) {
        this.faults = faults;
        this.shape = shape;
        this.progress = progress;
        cluster = faults.cluster();
        workload = faults.workload(shape.clients());
        long table = faults.tableId();
        List<Key> bounds = IntStream.range(1, FaultCluster.PARTITIONS)
                .mapToObj(partition -> Key.beforePartition(table, Workload.partitionKey(partition)))
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
        scanner = stable == null ? null : workload.scan(stable);
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
        workload.start();
        workload.awaitWritesEverywhere(FaultCluster.PATIENCE);
        events.start();
        forced.start();
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

    private boolean forcesHandoffs() {
        return shape.operators() > 0;
    }

    /** Kills the leading master, during handoffs if there are any, and starts it again. This excuses no failed request. */
    void killLeader() {
        ChildProcess leader = faults.leader();
        inject("leader killed", ALL, () -> faults.killLeader(leader, workload));
    }

    /** Kills the server that owns most ranges, and starts it again. */
    void killServer() {
        int index = faults.busiestServer();
        excuse(inject("server killed", faults.partitionsOf(index), () -> faults.killServer(index, workload)));
    }

    /** Pauses the server that owns most ranges until others have taken them over. */
    void pauseServer() {
        int index = faults.busiestServer();
        excuse(inject("server paused", faults.partitionsOf(index), () -> faults.pauseServer(index, workload)));
    }

    /** Kills the DFS node and starts it again. */
    void restartDfs() {
        excuse(inject("DFS node restarted", ALL, faults::restartDfs));
    }

    /** Kills the next bookie and starts it again. Neither this nor the following faults excuse a failed request. */
    void killBookie() {
        inject("bookie killed", ALL, () -> faults.killBookie(workload));
    }

    void pauseBookie() {
        inject("bookie paused", ALL, () -> faults.pauseBookie(workload));
    }

    /** Destroys the disk of a bookie; returns when everything on it is fully replicated again. */
    void wipeBookie() {
        inject("bookie's disk destroyed", ALL, () -> faults.wipeBookie(workload));
    }

    void killZooKeeper() {
        inject("leading ZooKeeper killed", ALL, () -> faults.killZooKeeper(workload));
    }

    void pauseZooKeeper(Duration duration) {
        inject("leading ZooKeeper paused", ALL, () -> faults.pauseZooKeeper(duration, workload));
    }

    void wipeZooKeeper() {
        inject("leading ZooKeeper's disk destroyed", ALL, () -> faults.wipeZooKeeper(workload));
    }

    /** Kills all ZooKeeper servers and starts them again after a time. Requests may fail only if that is longer than their sessions. */
    void withoutZooKeeper(Duration duration) {
        String kind = "without ZooKeeper for " + duration.toSeconds() + " s";
        Fault fault = inject(kind, ALL, () -> faults.withoutZooKeeper(duration));
        if (duration.compareTo(SESSION) >= 0) {
            excuse(fault);
        }
    }

    /** Kills all masters and starts them again after a time. Only requests to ranges in a handoff may fail. */
    void stopMasters(Duration duration) {
        List<KeyRange> inHand = new ArrayList<>();
        Fault fault = inject("all masters stopped", ALL, () -> {
            inHand.addAll(forced.underWay());
            long from = System.nanoTime();
            cluster.masters().forEach(ChildProcess::kill);
            while (System.nanoTime() - from < duration.toNanos()) {
                if (!forcesHandoffs()) {
                    workload.awaitWritesEverywhere(FaultCluster.PATIENCE);
                }
                LockSupport.parkNanos(ROUND.toNanos());
            }
            long over = System.nanoTime();
            cluster.masters().forEach(ChildProcess::start);
            cluster.awaitReady(FaultCluster.PATIENCE);
            return over;
        });
        inHand.forEach(interval -> excuses.add(new Excuse(interval, fault.from(), fault.until())));
    }

    private void excuse(Fault fault) {
        excuses.add(new Excuse(null, fault.from(), fault.until()));
    }

    /** @param fault carries it out, and returns when it was over */
    private Fault inject(String kind, List<Integer> partitions, LongSupplier fault) {
        if (forcesHandoffs()) {
            FaultCluster.PATIENCE.until(
                    "a handoff is under way", () -> !cluster.admin().handoffs().isEmpty());
        }
        progress.accept(kind + ", which affects " + partitions.size() + " partitions");
        long from = System.nanoTime();
        long over = fault.getAsLong();
        settle();
        Fault whole = new Fault(kind, from, over, System.nanoTime(), partitions);
        injected.add(whole);
        return whole;
    }

    private void settle() {
        faults.keepBookKeeperUp().forEach(name -> progress.accept("  " + name + " had ended, and was started again"));
        if (forcesHandoffs()) {
            awaitHandoffs(1);
        } else {
            cluster.awaitReady(FaultCluster.PATIENCE);
            cluster.awaitServed(FaultCluster.PATIENCE);
        }
        workload.awaitWritesEverywhere(FaultCluster.PATIENCE);
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
        endHandoffs();
        History history = workload.stop();
        progress.accept("checking the history of " + history.size() + " operations");
        Map<Boolean, List<FailedRequest>> failedRequests =
                workload.failedRequests().stream().collect(Collectors.partitioningBy(this::isExcused));
        return new Report(
                history,
                HistoryChecker.check(history),
                List.copyOf(injected),
                recoveries(history),
                events.seen(),
                List.copyOf(excuses),
                forced.asked(),
                failedRequests.getOrDefault(false, List.of()),
                failedRequests.getOrDefault(true, List.of()),
                scanner == null ? List.of() : scanner.problems(),
                scanner == null ? 0 : scanner.finished(),
                faults.tableId(),
                countsFrom);
    }

    private List<Recovery> recoveries(History history) {
        Map<EntityKey, List<Call>> writes = new HashMap<>();
        history.operations().forEach(operation -> {
            if (operation instanceof Change change && change.outcome() == Outcome.DONE) {
                change.writes()
                        .forEach(write -> writes.computeIfAbsent(write.key(), key -> new ArrayList<>())
                                .add(change.call()));
            }
        });
        return injected.stream().map(fault -> recovery(fault, history, writes)).toList();
    }

    private Recovery recovery(Fault fault, History history, Map<EntityKey, List<Call>> writes) {
        long stall = 0;
        long acknowledged = 0;
        long failed = 0;
        for (Operation operation : history.operations()) {
            if (fault.overlaps(operation)) {
                Outcome outcome = operation.outcome();
                stall = Math.max(
                        stall, operation.call().returned() - operation.call().invoked());
                acknowledged += outcome == Outcome.DONE && operation instanceof Change ? 1 : 0;
                failed += outcome == Outcome.UNKNOWN || outcome == Outcome.NOT_EXECUTED ? 1 : 0;
            }
        }
        return new Recovery(
                fault.kind(), longest(fault, writes), stall, fault.until() - fault.over(), acknowledged, failed);
    }

    private long longest(Fault fault, Map<EntityKey, List<Call>> writes) {
        return fault.partitions().stream()
                .map(partition -> writes.getOrDefault(workload.probe(partition), List.of()))
                .flatMapToLong(calls -> LongStream.of(calls.stream()
                        .filter(call -> call.invoked() > fault.from())
                        .mapToLong(call -> call.returned() - fault.from())
                        .min()
                        .orElse(Long.MAX_VALUE)))
                .max()
                .orElse(0);
    }

    private boolean isExcused(FailedRequest failed) {
        return excuses.stream().anyMatch(excuse -> excuse.holds(failed, faults.tableId()));
    }

    /**
     * What was seen.
     *
     * @param faults that were injected
     * @param recoveries one for each fault
     * @param failedRequests that no fault excuses
     * @param excused requests that failed in ranges that a fault affected
     * @param scanProblems entities that scans missed or repeated
     * @param scans completed full scans of the stable entities
     * @param countsFrom handoffs that began earlier are not measured
     */
    record Report(
            History history,
            CheckResult result,
            List<Fault> faults,
            List<Recovery> recoveries,
            List<SeenHandoff> handoffs,
            List<Excuse> excuses,
            List<ForcedHandoffs.Asked> asked,
            List<FailedRequest> failedRequests,
            List<FailedRequest> excused,
            List<String> scanProblems,
            int scans,
            long table,
            long countsFrom) {
        boolean isRight() {
            return result.isRight() && failedRequests.isEmpty() && scanProblems.isEmpty();
        }

        /** Handoffs whose end no leader reported: at most those of a leader that was killed. */
        List<SeenHandoff> untold() {
            return handoffs.stream()
                    .filter(handoff -> handoff.ended() == SeenHandoff.NEVER)
                    .toList();
        }

        /** Measured handoffs that were committed while no fault was in progress. */
        List<SeenHandoff> undisturbed(HandoffUse use) {
            return handoffs.stream()
                    .filter(handoff -> handoff.use() == use && handoff.isMeasured())
                    .filter(handoff -> handoff.begun() - countsFrom >= 0)
                    .filter(handoff -> excuses.stream().noneMatch(excuse -> excuse.overlaps(handoff)))
                    .toList();
        }

        List<SeenHandoff> givenUp() {
            return handoffs.stream()
                    .filter(handoff -> handoff.ended() != SeenHandoff.NEVER && !handoff.done())
                    .toList();
        }

        /** Requests that were answered by anything but OK. */
        List<ForcedHandoffs.Asked> refused() {
            return asked.stream()
                    .filter(each -> each.answer().getCode() != ErrorCode.OK)
                    .toList();
        }

        long count(Outcome outcome) {
            return history.outcomes().getOrDefault(outcome, 0);
        }
    }
}
