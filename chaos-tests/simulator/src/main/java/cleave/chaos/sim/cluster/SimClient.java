package cleave.chaos.sim.cluster;

import cleave.chaos.history.Call;
import cleave.chaos.history.Change;
import cleave.chaos.history.EntityKey;
import cleave.chaos.history.Get;
import cleave.chaos.history.Operation;
import cleave.chaos.history.OperationKind;
import cleave.chaos.history.Outcome;
import cleave.chaos.history.Page;
import cleave.chaos.history.Result;
import cleave.chaos.history.Write;
import cleave.chaos.operation.EntityRequests;
import cleave.chaos.operation.Interpretation;
import cleave.chaos.sim.world.SimProcess;
import cleave.chaos.sim.world.World;
import cleave.client.Request;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/**
 * One client: performs one operation at a time on a few entities, never retries a write, and records the outcomes. Some
 * clients only read, and some use only one front end, so that reads through one front end's map meet writes through
 * another's.
 */
public final class SimClient {
    private static final long PATIENCE_NANOS = 12_000_000_000L;

    private final World world;
    private final Http http;
    private final SimWorkload workload;
    private final SimProcess process;
    private final List<String> frontEnds;
    private final Random random;
    private final int number;
    private final int thinkNanosMax;
    private final boolean onlyReads;
    private boolean stopped;
    private boolean idle = true;

    public SimClient(SimCluster cluster, SimWorkload workload, String name, List<String> frontEnds, int number) {
        this.world = cluster.world();
        this.http = new Http(cluster);
        this.workload = workload;
        this.process = new SimProcess(world, name);
        this.number = number;
        this.random = world.newRandom();
        this.frontEnds = random.nextBoolean() ? frontEnds : List.of(frontEnds.get(random.nextInt(frontEnds.size())));
        this.onlyReads = random.nextInt(3) == 0;
        int think = 150_000_000 + random.nextInt(400_000_000);
        this.thinkNanosMax = onlyReads ? think / 3 : think;
    }

    public void start() {
        idle = false;
        pause();
    }

    /** Ends it after the operation under way. */
    public void stop() {
        stopped = true;
    }

    public boolean isIdle() {
        return idle;
    }

    private void pause() {
        world.after(random.nextInt(thinkNanosMax), this::next);
    }

    private void next() {
        if (stopped) {
            idle = true;
            return;
        }
        String missing = workload.missingTable();
        int dice = random.nextInt(100);
        if (missing != null) {
            createTable(missing);
        } else if (dice < 84) {
            OperationKind kind = onlyReads ? OperationKind.GET : workload.randomKind(random);
            operate(workload.randomKey(random), kind, result -> pause());
        } else if (dice < 93 && !onlyReads) {
            transact(workload.transaction(random), change -> pause());
        } else {
            SimScan.run(this, workload.walk(random), isWhole -> pause());
        }
    }

    private void createTable(String table) {
        send(workload.requests().createTable(table), (answer, sent) -> {
            if (answer != null && (answer.isSuccess() || answer.status() == 409)) {
                workload.tableExistsNow(table);
            }
            pause();
        });
    }

    public World world() {
        return world;
    }

    public SimWorkload workload() {
        return workload;
    }

    public String name() {
        return process.node();
    }

    public int number() {
        return number;
    }

    public Random random() {
        return random;
    }

    /** Sends a request to one of the front ends. */
    public void send(Request request, Http.Ending ending) {
        String frontEnd = frontEnds.get(random.nextInt(frontEnds.size()));
        http.exchange(process, frontEnd, request, PATIENCE_NANOS, ending);
    }

    /** Does one operation on one entity. */
    public void operate(EntityKey key, OperationKind kind, Consumer<Result> then) {
        long invoked = world.now();
        Write write = kind.isWrite() ? workload.write(key, kind, random) : null;
        Request request = write == null
                ? EntityRequests.get(workload.requests(), key)
                : EntityRequests.write(workload.requests(), write);
        send(request, (answer, sent) -> {
            Result result = answer == null ? silence(sent) : Interpretation.of(kind, answer);
            Call call = new Call(number, invoked, world.now());
            finished(write == null ? new Get(call, key, result) : Change.of(call, write, result));
            then.accept(result);
        });
    }

    private static Result silence(boolean sent) {
        return Result.of(sent ? Outcome.UNKNOWN : Outcome.NOT_EXECUTED, "no answer");
    }

    private void finished(Operation operation) {
        workload.record(operation);
        world.trace().note(world.now(), process.node(), "had", digest(operation), operation::toString);
    }

    /** A digest that distinguishes runs without the names that the trace prints. */
    static int digest(Operation operation) {
        int told = operation.outcome().name().hashCode();
        if (operation instanceof Change change) {
            for (Write write : change.writes()) {
                told = 31 * told + write.key().hashCode();
            }
            return 31 * told + change.etags().hashCode() + change.refused();
        }
        if (operation instanceof Get get) {
            return 31 * (31 * told + get.key().hashCode()) + get.result().etag().hashCode();
        }
        if (operation instanceof Page page) {
            for (Page.Row row : page.rows()) {
                told = 31 * (31 * told + row.key().hashCode())
                        + row.result().etag().hashCode();
            }
            return told;
        }
        throw new AssertionError("unknown operation " + operation);
    }

    /** Writes some rows of a partition in one transaction. */
    public void transact(List<Write> writes, Consumer<Change> then) {
        long invoked = world.now();
        send(EntityRequests.transaction(workload.requests(), writes), (answer, sent) -> {
            Call call = new Call(number, invoked, world.now());
            Change change;
            if (answer == null) {
                change = Change.unanswered(call, writes, silence(sent).outcome(), "no answer");
            } else {
                change = Interpretation.transaction(call, writes, answer);
            }
            world.count("transactions " + change.outcome());
            finished(change);
            then.accept(change);
        });
    }
}
