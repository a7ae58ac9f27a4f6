package cleave.chaos.fault;

import cleave.chaos.history.Call;
import cleave.chaos.history.Change;
import cleave.chaos.history.EntityKey;
import cleave.chaos.history.History;
import cleave.chaos.history.HistoryChecker;
import cleave.chaos.history.HistoryVerdict;
import cleave.chaos.history.Operation;
import cleave.chaos.history.Outcome;
import cleave.chaos.process.ChildProcess;
import cleave.chaos.process.Cluster;
import cleave.chaos.process.ClusterPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Faults one after another under constant work, and how long each kept clients from writing. Confined to its thread.
 *
 * <p>The time of a fault is that of the range it kept longest: from the fault to the answer of the first write that was begun
 * after it and succeeded.
 */
final class Drill {
    private static final int CLIENTS = 6;
    private static final int CHECKPOINTS = 5;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final String MASTERS_DOWN = "all masters stopped";

    private final FaultCluster faults;
    private final Cluster cluster;
    private final Consumer<String> progress;
    private final List<Event> events = new ArrayList<>();
    private Workload workload;

    /** Something that was done to the cluster: what, when, and the partitions that it can have kept from being written. */
    private record Event(String kind, long at, List<Integer> partitions) {}

    /** How often each fault is tried. */
    record Repetitions(int serverKills, int serverPauses, int leaderKills, int dfsRestarts, Duration mastersStopped) {}

    Drill(ClusterPlan plan, Consumer<String> progress) {
        this.progress = progress;
        progress.accept("starting " + plan.folder());
        faults = FaultCluster.started(plan);
        cluster = faults.cluster();
        workload = faults.workload(CLIENTS);
    }

    /** What was measured and found. */
    record Report(String table, HistoryVerdict verdict) {}

    Report run(Repetitions repetitions) {
        try {
            workload.start();
            progress.accept("waiting until each range has published " + CHECKPOINTS + " checkpoints");
            faults.awaitCheckpoints(CHECKPOINTS);
            workload.stop();
            workload = faults.workload(CLIENTS);
            workload.start();
            settle();
            for (int i = 0; i < repetitions.serverKills(); i++) {
                killServer(i % cluster.servers().size());
            }
            for (int i = 0; i < repetitions.serverPauses(); i++) {
                pauseServer(i % cluster.servers().size());
            }
            for (int i = 0; i < repetitions.leaderKills(); i++) {
                killLeader();
            }
            for (int i = 0; i < repetitions.dfsRestarts(); i++) {
                restartDfs();
            }
            long from = System.nanoTime();
            stopMasters(repetitions.mastersStopped());
            return report(workload.stop(), from, System.nanoTime());
        } finally {
            cluster.close();
        }
    }

    private void settle() {
        cluster.awaitReady(FaultCluster.PATIENCE);
        cluster.awaitServed(FaultCluster.PATIENCE);
        workload.awaitWritesEverywhere(FaultCluster.PATIENCE);
    }

    private void killServer(int index) {
        record("server killed", faults.partitionsOf(index));
        faults.killServer(index, workload);
        spread();
        settle();
    }

    private void pauseServer(int index) {
        record("server paused", faults.partitionsOf(index));
        faults.pauseServer(index, workload);
        settle();
    }

    private void killLeader() {
        ChildProcess leader = faults.leader();
        record("leader killed", allPartitions());
        faults.killLeader(leader, workload);
        settle();
    }

    private void restartDfs() {
        record("dfs node killed and started", allPartitions());
        faults.restartDfs();
        settle();
    }

    private void stopMasters(Duration duration) {
        record(MASTERS_DOWN, allPartitions());
        cluster.masters().forEach(ChildProcess::kill);
        long until = System.nanoTime() + duration.toNanos();
        while (System.nanoTime() < until) {
            workload.awaitWritesEverywhere(FaultCluster.PATIENCE);
            LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
        }
        cluster.masters().forEach(ChildProcess::start);
        settle();
    }

    /** Nothing moves ranges back by itself yet: a server that came back owns what it takes over at the next fault. */
    private void spread() {
        int owners = (int) IntStream.range(0, cluster.servers().size())
                .filter(server -> !faults.partitionsOf(server).isEmpty())
                .count();
        progress.accept("  ranges are on " + owners + " servers");
    }

    private void record(String kind, List<Integer> partitions) {
        events.add(new Event(kind, System.nanoTime(), partitions));
        progress.accept(kind + ", with " + partitions.size() + " ranges");
    }

    private static List<Integer> allPartitions() {
        return IntStream.range(0, FaultCluster.PARTITIONS).boxed().toList();
    }

    private Report report(History history, long mastersDownFrom, long mastersDownUntil) {
        progress.accept("judging " + history.size() + " operations");
        Map<String, List<Double>> seconds = new LinkedHashMap<>();
        Map<EntityKey, List<Change>> writes = writes(history);
        for (Event event : events) {
            if (!event.partitions().isEmpty()) {
                seconds.computeIfAbsent(event.kind(), kind -> new ArrayList<>())
                        .add(longest(event, writes) / NANOS_PER_SECOND);
            }
        }
        StringBuilder table =
                new StringBuilder("| fault | times | min s | median s | max s |\n|---|---|---|---|---|\n");
        seconds.forEach((kind, all) -> table.append(line(kind, all)));
        table.append("\nWith all masters stopped: ")
                .append(errors(history, mastersDownFrom, mastersDownUntil))
                .append(" reads or writes failed.\nAll operations: ")
                .append(history.outcomes())
                .append('\n');
        return new Report(table.toString(), HistoryChecker.check(history));
    }

    /** Those that were done, by entity. */
    private static Map<EntityKey, List<Change>> writes(History history) {
        Map<EntityKey, List<Change>> writes = new TreeMap<>();
        for (Operation operation : history.operations()) {
            if (operation instanceof Change change && change.outcome() == Outcome.DONE) {
                change.writes()
                        .forEach(write -> writes.computeIfAbsent(write.key(), key -> new ArrayList<>())
                                .add(change));
            }
        }
        return writes;
    }

    private long longest(Event event, Map<EntityKey, List<Change>> writes) {
        return event.partitions().stream()
                .mapToLong(partition -> untilWritten(event, writes.getOrDefault(workload.probe(partition), List.of())))
                .max()
                .orElse(0);
    }

    private static long untilWritten(Event event, List<Change> writes) {
        return writes.stream()
                .map(Change::call)
                .filter(call -> call.invoked() > event.at())
                .min(Comparator.comparingLong(Call::invoked))
                .map(call -> call.returned() - event.at())
                .orElse(Long.MAX_VALUE);
    }

    private static String line(String kind, List<Double> seconds) {
        List<Double> sorted = seconds.stream().sorted().toList();
        return String.format(
                Locale.ROOT,
                "| %s | %d | %.2f | %.2f | %.2f |%n",
                kind,
                sorted.size(),
                sorted.get(0),
                sorted.get(sorted.size() / 2),
                sorted.get(sorted.size() - 1));
    }

    private static long errors(History history, long from, long until) {
        return history.operations().stream()
                .filter(operation ->
                        operation.call().invoked() > from && operation.call().returned() < until)
                .filter(operation ->
                        operation.outcome() == Outcome.UNKNOWN || operation.outcome() == Outcome.NOT_EXECUTED)
                .count();
    }
}
