package cleave.chaos.fault;

import cleave.chaos.history.History;
import cleave.chaos.history.HistoryChecker;
import cleave.chaos.history.HistoryVerdict;
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
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Splits, merges and moves at random under load that never stops, on real processes, with faults in between; and what clients
 * saw of it. Confined to its thread.
 *
 * <p>The balancer is switched off, so every handoff is one that was asked for here.
 */
final class HandoffRun {
    private static final int CLIENTS = 3;
    private static final int SCANNERS = 1;
    private static final int RANGES = 6;
    private static final int RANGES_MIN = 4;
    private static final int RANGES_MAX = 12;
    private static final Duration ROUND = Duration.ofMillis(100);

    private final Consumer<String> progress;
    private final FaultCluster faults;
    private final Cluster cluster;
    private final Workload workload;
    private final List<ScanningClient> scanners = new ArrayList<>();
    private final ForcedHandoffs forced;
    private final HandoffEvents events;
    private final List<Excuse> excuses = new ArrayList<>();
    private long countsFrom = System.nanoTime();

    /**
     * What is done.
     *
     * @param operators that ask for handoffs, each one after the other
     * @param rate operations a second of all clients together; 0 for as many as are answered
     * @param rangeBytes how large ranges are on average, about
     */
    record Shape(int operators, int rate, long rangeBytes, long seed) {
        /** Clients that keep to the ranges under handoff. */
        int followers() {
            return 2 * operators;
        }
    }

    /** A time in which a request to an interval may have gone wrong. */
    record Excuse(@Nullable KeyRange interval, long from, long until) {
        boolean overlaps(SeenHandoff handoff) {
            return handoff.begun() < until && handoff.ended() > from;
        }

        boolean holds(Trouble trouble, long table) {
            boolean isThen = trouble.call().invoked() < until && trouble.call().returned() > from;
            return isThen
                    && (interval == null
                            || trouble.key() == null
                            || interval.contains(Key.of(table, trouble.key().partition(), "")));
        }
    }

    HandoffRun(FaultCluster faults, StableRows stable, Shape shape, Consumer<String> progress) {
        this.faults = faults;
        this.progress = progress;
        cluster = faults.cluster();
        workload = faults.workload(CLIENTS);
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
                new WishChoice(bounds, servers, RANGES_MIN, RANGES_MAX),
                shape.operators(),
                shape.seed());
        events = new HandoffEvents(cluster.admin(), forced::interval);
        workload.follow(forced::partitions, shape.followers());
        if (shape.rate() > 0) {
            workload.pace(shape.rate());
        }
        for (int i = 0; i < SCANNERS; i++) {
            scanners.add(workload.scan(stable));
        }
    }

    static ClusterPlan plan(Path folder) {
        return ClusterPlan.in(folder).masters(3).servers(3).frontEnds(2);
    }

    /** A cluster with a table in some ranges, and no balancer. */
    static FaultCluster started(ClusterPlan plan) {
        FaultCluster faults = FaultCluster.started(plan, RANGES);
        faults.cluster()
                .admin()
                .change(Map.of("balancer.split", "false", "balancer.merge", "false", "balancer.move", "false"));
        return faults;
    }

    /** Puts entities into the table that make ranges as large as wanted. */
    static StableRows load(FaultCluster faults, Shape shape) throws IOException {
        StableRows stable =
                StableRows.ofBytes(FaultCluster.TABLE, FaultCluster.PARTITIONS, RANGES * shape.rangeBytes());
        stable.load(faults.cluster().endpoints().get(0));
        return stable;
    }

    void begin() {
        workload.start();
        workload.awaitWritesEverywhere(FaultCluster.PATIENCE);
        events.start();
        forced.start();
    }

    /** Has figures taken of the handoffs from now on; those before have warmed the processes up. */
    void count() {
        countsFrom = System.nanoTime();
    }

    /** Waits until this number of further handoffs has ended. */
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

    private void awaitOneUnderWay() {
        FaultCluster.PATIENCE.until(
                "a handoff is under way", () -> !cluster.admin().handoffs().isEmpty());
    }

    /** Kills the master that leads while handoffs are under way, and starts it again. */
    void killLeader() {
        ChildProcess leader = faults.leader();
        awaitOneUnderWay();
        progress.accept("killing the leader " + leader.name());
        faults.killLeader(leader, workload);
        settle();
    }

    /** Kills the server that owns most while handoffs are under way, and starts it again. */
    void killServer() {
        int index = faults.busiestServer();
        awaitOneUnderWay();
        progress.accept("killing " + cluster.servers().get(index).name());
        long from = System.nanoTime();
        faults.killServer(index, workload);
        settle();
        excuses.add(new Excuse(null, from, System.nanoTime()));
    }

    /** Kills all masters while handoffs are under way, and starts them again after a time. */
    void stopMasters(Duration duration) {
        awaitOneUnderWay();
        progress.accept("killing all masters for " + duration.toSeconds() + " s");
        List<KeyRange> inHand = forced.underWay();
        long from = System.nanoTime();
        cluster.masters().forEach(ChildProcess::kill);
        while (System.nanoTime() - from < duration.toNanos()) {
            LockSupport.parkNanos(ROUND.toNanos());
        }
        cluster.masters().forEach(ChildProcess::start);
        cluster.awaitReady(FaultCluster.PATIENCE);
        settle();
        long until = System.nanoTime();
        inHand.forEach(interval -> excuses.add(new Excuse(interval, from, until)));
    }

    private void settle() {
        awaitHandoffs(1);
        workload.awaitWritesEverywhere(FaultCluster.PATIENCE);
    }

    /** Asks for no more handoffs, and waits until none is under way; what was seen of them. May be called again. */
    List<SeenHandoff> endHandoffs() {
        forced.stop();
        FaultCluster.PATIENCE.until(
                "no handoff is under way", () -> cluster.admin().handoffs().isEmpty());
        cluster.awaitServed(FaultCluster.PATIENCE);
        events.stop();
        return events.seen();
    }

    /** Ends everything but the processes, and judges. */
    Report end() {
        endHandoffs();
        History history = workload.stop();
        progress.accept("judging " + history.size() + " operations");
        Map<Boolean, List<Trouble>> troubles =
                workload.troubles().stream().collect(Collectors.partitioningBy(this::isExcused));
        return new Report(
                history,
                HistoryChecker.check(history),
                events.seen(),
                List.copyOf(excuses),
                forced.asked(),
                troubles.getOrDefault(false, List.of()),
                troubles.getOrDefault(true, List.of()),
                scanners.stream().flatMap(each -> each.problems().stream()).toList(),
                scanners.stream().mapToInt(ScanningClient::finished).sum(),
                faults.tableId(),
                countsFrom);
    }

    private boolean isExcused(Trouble trouble) {
        return excuses.stream().anyMatch(excuse -> excuse.holds(trouble, faults.tableId()));
    }

    /**
     * What was seen.
     *
     * @param troubles requests that failed, except those on ranges that a fault affected
     * @param excused those
     * @param scanProblems entities that scans missed or gave twice
     * @param scans of all stable entities that came to their end
     * @param countsFrom figures are taken of the handoffs that began then or later
     */
    record Report(
            History history,
            HistoryVerdict verdict,
            List<SeenHandoff> handoffs,
            List<Excuse> excuses,
            List<ForcedHandoffs.Asked> asked,
            List<Trouble> troubles,
            List<Trouble> excused,
            List<String> scanProblems,
            int scans,
            long table,
            long countsFrom) {
        boolean isRight() {
            return verdict.isRight() && troubles.isEmpty() && scanProblems.isEmpty();
        }

        /** Handoffs that began and whose end no leader told: at most those of a leader that was killed. */
        List<SeenHandoff> untold() {
            return handoffs.stream()
                    .filter(handoff -> handoff.ended() == SeenHandoff.NEVER)
                    .toList();
        }

        /** Those that were done while nothing else happened, and whose switch was measured. */
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

        /** What was asked for and answered by anything but OK. */
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
