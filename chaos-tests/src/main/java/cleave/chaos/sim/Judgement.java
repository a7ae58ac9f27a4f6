package cleave.chaos.sim;

import cleave.chaos.history.EntityKey;
import cleave.chaos.history.HistoryChecker;
import cleave.chaos.history.HistoryVerdict;
import cleave.chaos.history.OperationKind;
import cleave.chaos.history.Outcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * The end of every run, once all has healed: each key must be served again within a bound, and what clients saw must have an
 * explanation. Confined to the simulation.
 */
final class Judgement {
    private static final long SECOND = 1_000_000_000L;
    private static final String PROBE = "probe";
    static final long CONVERGENCE_NANOS_MAX = 60 * SECOND;

    private final World world;
    private final SimRaft raft;
    private final Workload workload;
    private final SimClient client;
    private final List<EntityKey> unconverged = new ArrayList<>();

    /** @param client whoever reads and writes each key again */
    Judgement(World world, SimRaft raft, Workload workload, SimClient client) {
        this.world = world;
        this.raft = raft;
        this.workload = workload;
        this.client = client;
    }

    /** By then all must be served. */
    void pass(long bound) {
        converge(bound);
        if (world.violations().isEmpty()) {
            judgeHistory();
        }
    }

    /** Every key can be written and read again: the last word on what was acknowledged. */
    private void converge(long bound) {
        Deque<EntityKey> left = new ArrayDeque<>();
        for (int partition = 0; partition < Workload.PARTITIONS; partition++) {
            workload.use(new EntityKey(Workload.TABLE, "p" + partition, PROBE));
        }
        left.addAll(workload.everUsed());
        unconverged.addAll(left);
        if (world.violations().isEmpty()) {
            probe(left);
            world.runUntil(bound, unconverged::isEmpty);
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
            workload.tables().forEach(this::scan);
        }
    }

    private void scan(String table) {
        Done scanned = new Done();
        new SimScan(world, workload, client, workload.walkOf(table), isWhole -> scanned.done = true).begin();
        world.runUntil(world.now() + 20 * SECOND, scanned);
    }

    private static final class Done implements BooleanSupplier {
        private boolean done;

        @Override
        public boolean getAsBoolean() {
            return done;
        }
    }

    private void probe(Deque<EntityKey> left) {
        EntityKey key = left.peek();
        if (key == null) {
            return;
        }
        OperationKind kind = key.row().equals(PROBE) ? OperationKind.INSERT_OR_REPLACE : OperationKind.GET;
        client.operate(key, kind, result -> {
            if (result.outcome() == Outcome.DONE || result.outcome() == Outcome.MISSING) {
                unconverged.remove(left.remove());
                probe(left);
            } else {
                world.after(100_000_000, () -> probe(left));
            }
        });
    }

    private void judgeHistory() {
        HistoryVerdict verdict = HistoryChecker.check(workload.history());
        verdict.violations().forEach(violation -> world.violation(Finding.By.HISTORY, violation.toString()));
        verdict.undecided().forEach(name -> world.trace().count("histories undecided"));
    }
}
