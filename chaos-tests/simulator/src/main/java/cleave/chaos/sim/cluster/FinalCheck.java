package cleave.chaos.sim.cluster;

import cleave.chaos.history.CheckResult;
import cleave.chaos.history.EntityKey;
import cleave.chaos.history.HistoryChecker;
import cleave.chaos.history.OperationKind;
import cleave.chaos.history.Outcome;
import cleave.chaos.sim.world.Finding;
import cleave.chaos.sim.world.SimProcess;
import cleave.chaos.sim.world.World;
import cleave.master.state.Server;
import cleave.model.Row;
import cleave.wire.AdminGrpc.AdminStub;
import cleave.wire.CommandReply;
import cleave.wire.Status;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The checks at the end of every run, once everything is repaired: each key must be served again within a bound, each
 * range must be movable, and the history must be linearizable.
 */
public final class FinalCheck {
    private static final long SECOND = 1_000_000_000L;
    private static final String PROBE = "probe";
    public static final long CONVERGENCE_NANOS_MAX = 60 * SECOND;

    private final World world;
    private final SimCluster cluster;
    private final SimWorkload workload;
    private final SimClient client;
    private final SimProcess operator;
    private final CalmCheck calm;
    private final List<EntityKey> unconverged = new ArrayList<>();

    /**
     * @param client reads and writes each key again
     * @param operator requests the last moves
     */
    public FinalCheck(SimCluster cluster, SimClient client, SimProcess operator) {
        this.world = cluster.world();
        this.cluster = cluster;
        this.workload = client.workload();
        this.client = client;
        this.operator = operator;
        this.calm = new CalmCheck(cluster, workload, operator);
    }

    /** Everything must be served by then. */
    public void pass(long bound) {
        converge(bound);
        if (world.violations().isEmpty()) {
            judgeHistory();
        }
    }

    /** Writes and reads every key again, which shows whether acknowledged writes survived. */
    private void converge(long bound) {
        Deque<EntityKey> left = new ArrayDeque<>();
        for (int partition = 0; partition < SimWorkload.PARTITIONS; partition++) {
            workload.use(new EntityKey(SimWorkload.TABLE, "p" + partition, PROBE));
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
                            + cluster.audited().rows().all() + ", the servers are "
                            + cluster.audited().servers().values());
        }
        cluster.roles().renewDisks(); // Everything was served without that; from now on any server can own any range.
        if (world.violations().isEmpty()) {
            calm.begin();
        }
        for (Row row : List.copyOf(cluster.audited().rows().all())) {
            if (world.violations().isEmpty()) {
                move(row, world.now() + CONVERGENCE_NANOS_MAX);
            }
        }
        if (world.violations().isEmpty()) {
            calm.end();
        }
        if (world.violations().isEmpty()) {
            workload.tables().forEach(this::scan);
        }
    }

    /** No remains of an abandoned handoff, or of one whose end was lost, may prevent the next one. */
    private void move(Row row, long bound) {
        @Nullable Status[] last = new Status[1];
        while (world.now() < bound && world.violations().isEmpty()) {
            Server to = otherServer(row);
            String leader = cluster.raft().leaderNode();
            if (to != null && leader != null) {
                last[0] = null;
                ask(Admin.of(world, operator, leader), row, to, reply -> last[0] = reply.getStatus());
                world.runUntil(world.now() + Admin.PATIENCE_NANOS, () -> last[0] != null);
            }
            Row now = cluster.audited().rows().row(row.id());
            if (now == null || now.epoch() != row.epoch()) {
                return;
            }
            world.runFor(SECOND / 5);
        }
        world.violation(Finding.By.CONVERGENCE, "the range cannot be moved any more: " + row + ", but: " + last[0]);
    }

    private @Nullable Server otherServer(Row row) {
        return cluster.audited().servers().values().stream()
                .filter(server -> !server.incarnation().equals(row.owner()))
                .findFirst()
                .orElse(null);
    }

    private static void ask(AdminStub admin, Row row, Server to, Consumer<CommandReply> answer) {
        String server = to.incarnation().server();
        if (to.draining()) {
            admin.drain(Admin.drain(server, true), Admin.on(answer));
        } else {
            admin.move(Admin.move(row, server), Admin.on(answer));
        }
    }

    private void scan(String table) {
        boolean[] isOver = new boolean[1];
        client.scan(workload.walkOf(table), isWhole -> isOver[0] = true);
        world.runUntil(world.now() + 20 * SECOND, () -> isOver[0]);
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
        CheckResult result = HistoryChecker.check(workload.history());
        result.violations().forEach(violation -> world.violation(Finding.By.HISTORY, violation.toString()));
        result.undecided().forEach(name -> world.count("histories undecided"));
    }
}
