package cleave.chaos.sim.faults;

import cleave.chaos.history.Call;
import cleave.chaos.history.Change;
import cleave.chaos.history.EntityKey;
import cleave.chaos.history.OperationKind;
import cleave.chaos.history.Outcome;
import cleave.chaos.history.Result;
import cleave.chaos.history.Write;
import cleave.chaos.operation.EntityRequests;
import cleave.chaos.operation.Interpretation;
import cleave.chaos.sim.cluster.SimClient;
import cleave.chaos.sim.cluster.SimWorkload;
import cleave.chaos.sim.world.Finding;
import cleave.chaos.sim.world.World;
import cleave.client.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Creates, fills, deletes and recreates a table through all front ends, including stale ones. Each incarnation has its
 * own name in the history, so nothing of one may be visible in the next.
 */
public final class TableChurn {
    private static final int ROWS_MAX = 6;
    /** The maximum duration of a request. */
    private static final long DOUBT_NANOS_MAX = 40_000_000_000L;

    private final World world;
    private final SimWorkload workload;
    private final SimClient client;
    private final Random random;
    private final List<Change> inDoubt = new ArrayList<>();
    private boolean stopped;
    private boolean idle = true;
    private int rows;
    private int lives;
    private int names;
    private String table = "churn";

    public TableChurn(SimClient client) {
        this.world = client.world();
        this.workload = client.workload();
        this.client = client;
        this.random = world.newRandom();
    }

    public void start() {
        idle = false;
        later(this::create);
    }

    public void stop() {
        stopped = true;
    }

    public boolean isIdle() {
        return idle;
    }

    private void later(Runnable step) {
        world.after(random.nextInt(200_000_000), () -> {
            if (stopped) {
                idle = true;
            } else {
                step.run();
            }
        });
    }

    private void create() {
        client.send(workload.requests().createTable(table), (answer, sent) -> {
            boolean exists =
                    answer != null && (answer.isSuccess() || answer.errorCode().equals("TableAlreadyExists"));
            later(exists ? this::look : this::create);
        });
    }

    private String life() {
        return EntityRequests.lifeOf(table, lives);
    }

    /** A request of unknown outcome may take effect in the next incarnation, because the table is found by name. */
    private void nextLife() {
        lives++;
        rows = 0;
        inDoubt.removeIf(change -> change.call().returned() < world.now() - DOUBT_NANOS_MAX);
        for (Change change : inDoubt) {
            Write old = change.writes().get(0);
            EntityKey key =
                    new EntityKey(life(), old.key().partition(), old.key().row());
            Write write = new Write(key, old.kind(), old.properties(), old.ifMatch());
            Call call = new Call(change.call().client(), world.now(), world.now());
            workload.record(Change.unanswered(call, List.of(write), Outcome.UNKNOWN, change.text()));
        }
    }

    private void insert(int left) {
        EntityKey key = new EntityKey(life(), "p", "r" + rows++ % ROWS_MAX);
        Write write = workload.write(key, random.nextInt(4) == 0 ? OperationKind.DELETE : OperationKind.INSERT, random);
        long invoked = world.now();
        client.send(EntityRequests.write(workload.requests(), write), (answer, sent) -> {
            isThere(answer);
            Result result = answer == null ? SimClient.silence(sent) : Interpretation.of(write.kind(), answer);
            Change change = Change.of(new Call(client.number(), invoked, world.now()), write, result);
            workload.record(change);
            if (change.outcome() == Outcome.UNKNOWN) {
                inDoubt.add(change);
            }
            later(left > 0 ? () -> insert(left - 1) : this::look);
        });
    }

    private void isThere(@Nullable Answer answer) {
        if (answer != null && answer.errorCode().equals("TableNotFound")) {
            world.violation(Finding.By.TABLE, "a table that was created is not there: " + answer);
        }
    }

    private void look() {
        client.scan(workload.walkOf(life()), isWhole -> {
            boolean goesOn = !isWhole || random.nextInt(3) > 0;
            later(goesOn ? () -> insert(random.nextInt(5)) : this::delete);
        });
    }

    private void delete() {
        client.send(workload.requests().deleteTable(table), (answer, sent) -> {
            if (answer != null && (answer.status() == 204 || answer.status() == 404)) {
                world.count("tables dropped");
                nextLife();
                later(this::create);
            } else if (answer == null && sent) {
                table = "churn" + ++names; // A late request may still delete it by its name.
                inDoubt.clear();
                nextLife();
                later(this::create);
            } else {
                later(this::delete);
            }
        });
    }
}
