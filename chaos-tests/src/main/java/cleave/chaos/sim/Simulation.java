package cleave.chaos.sim;

import cleave.chaos.history.HistoryChecker;
import cleave.chaos.history.OperationKind;
import cleave.chaos.history.Outcome;
import cleave.chaos.history.Violation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One seed: a cluster, its clients, what goes wrong, and the judgement. Everything follows from the seed. Confined to its caller.
 *
 * <p>It has two phases. In the first one faults strike; whatever happens, nothing wrong may be answered. Then everything heals, and
 * the cluster must serve every key again within a bound.
 */
public final class Simulation {
    private static final long SECOND = 1_000_000_000L;
    private static final long CONVERGENCE_NANOS_MAX = 60 * SECOND;
    private static final int CLIENTS = 8;

    private final long seed;
    private final World world;
    private final SimRaft raft;
    private final SimCluster cluster;
    private final Workload workload = new Workload();
    private final Faults faults;
    private final TableChurn churn;
    private final List<SimClient> clients = new ArrayList<>();
    private final long faultsUntil;
    private final List<String> unconverged = new ArrayList<>();

    /** What came of a seed. Immutable. */
    public record Report(
            long seed,
            double virtualSeconds,
            long events,
            int operations,
            SortedMap<String, Integer> counts,
            long traceHash,
            List<Finding> violations) {
        public Report {
            violations = List.copyOf(violations);
        }

        public boolean isRight() {
            return violations.isEmpty();
        }

        @Override
        public String toString() {
            return "seed " + seed + (isRight() ? " is right" : " is WRONG") + ": "
                    + Math.round(virtualSeconds) + " virtual seconds, " + events + " events, " + operations
                    + " operations, trace " + Long.toHexString(traceHash)
                    + (isRight()
                            ? ""
                            : "\n" + violations.stream().map(Finding::toString).collect(Collectors.joining("\n"))
                                    + "\nreplay: cleave simulate --seed " + seed + " --trace   or: -Dsim.seed=" + seed);
        }
    }

    private Simulation(long seed, Bug bug, @Nullable Consumer<String> trace) {
        this.seed = seed;
        this.world = new World(seed, new Trace(trace));
        Random random = world.newRandom();
        SimDfs dfs = new SimDfs(world);
        Auditor auditor = new Auditor(world, dfs);
        this.raft = new SimRaft(world, bug, auditor::look);
        this.cluster = new SimCluster(world, new SimCluster.Size(3, 4, 2), SimSettings.random(random), bug, dfs, raft);
        SimProcess operator = new SimProcess(world, "operator", new NodeClock(world.scheduler(), 0));
        this.faults = new Faults(world, cluster, raft, dfs, operator);
        Http http = new Http(world, cluster);
        List<String> frontEnds = cluster.frontEnds().stream().map(Node::name).toList();
        for (int i = 1; i <= CLIENTS; i++) {
            SimProcess process = new SimProcess(world, "c" + i, new NodeClock(world.scheduler(), 0));
            clients.add(new SimClient(world, http, workload, process, frontEnds, i));
        }
        this.churn = new TableChurn(world, workload, clients.get(0));
        this.faultsUntil = (30 + random.nextInt(30)) * SECOND;
    }

    /** Runs a seed. */
    public static Report run(long seed) {
        return run(seed, Bug.NONE, null);
    }

    /**
     * Runs a seed.
     *
     * @param bug planted in the cluster
     * @param trace told what happens, line by line; null for nobody
     */
    public static Report run(long seed, Bug bug, @Nullable Consumer<String> trace) {
        return new Simulation(seed, bug, trace).run();
    }

    private Report run() {
        cluster.start();
        clients.forEach(SimClient::start);
        churn.start();
        runUntil(2 * SECOND, () -> false);
        faults.begin();
        runUntil(faultsUntil, () -> false);
        faults.end();
        runUntil(world.now() + 10 * SECOND, () -> false);
        clients.forEach(SimClient::stop);
        churn.stop();
        long bound = world.now() + CONVERGENCE_NANOS_MAX;
        runUntil(bound, () -> churn.isIdle() && clients.stream().allMatch(SimClient::isIdle));
        converge(bound);
        if (world.violations().isEmpty()) {
            judgeHistory();
        }
        return new Report(
                seed,
                world.now() / 1e9,
                world.scheduler().events(),
                workload.answered(),
                world.trace().counts(),
                world.trace().hash(),
                world.violations());
    }

    private interface Condition {
        boolean holds();
    }

    /** Until then, until the condition holds, or until something is wrong. */
    private void runUntil(long nanos, Condition condition) {
        boolean more = true;
        while (more && world.violations().isEmpty() && !condition.holds()) {
            more = world.scheduler().runNext(nanos);
        }
    }

    /** Every key can be written and read again: the last word on what was acknowledged. */
    private void converge(long bound) {
        Deque<String> left = new ArrayDeque<>();
        for (int partition = 0; partition < Workload.PARTITIONS; partition++) {
            workload.use("p" + partition + "/probe");
        }
        left.addAll(workload.everUsed());
        unconverged.addAll(left);
        SimClient client = clients.get(1);
        if (world.violations().isEmpty()) {
            probe(client, left);
            runUntil(bound, unconverged::isEmpty);
        }
        if (world.violations().isEmpty() && !unconverged.isEmpty()) {
            world.violation(
                    Finding.By.CONVERGENCE,
                    "no convergence: after " + CONVERGENCE_NANOS_MAX / SECOND
                            + " virtual seconds without faults this cannot be used: " + unconverged + "; the map is "
                            + raft.audited().rows().all() + ", the servers are "
                            + raft.audited().servers().values());
        }
        if (world.violations().isEmpty()) {
            Done scanned = new Done();
            new SimScan(world, workload, world.newRandom(), 99, client::send).begin(() -> scanned.done = true);
            runUntil(world.now() + 20 * SECOND, () -> scanned.done);
        }
    }

    private static final class Done {
        private boolean done;
    }

    private void probe(SimClient client, Deque<String> left) {
        String key = left.peek();
        if (key == null) {
            return;
        }
        OperationKind kind = key.endsWith("/probe") ? OperationKind.INSERT_OR_REPLACE : OperationKind.GET;
        client.operate(key, kind, result -> {
            if (result.outcome() == Outcome.DONE || result.outcome() == Outcome.MISSING) {
                unconverged.remove(left.remove());
                probe(client, left);
            } else {
                world.after(100_000_000, () -> probe(client, left));
            }
        });
    }

    private void judgeHistory() {
        for (Violation violation : HistoryChecker.check(workload.history())) {
            world.violation(Finding.By.HISTORY, violation.toString());
        }
    }
}
