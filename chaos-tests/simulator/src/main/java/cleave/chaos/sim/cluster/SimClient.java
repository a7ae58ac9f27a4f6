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
import cleave.chaos.operation.Walk;
import cleave.chaos.sim.world.Finding;
import cleave.chaos.sim.world.SimProcess;
import cleave.chaos.sim.world.World;
import cleave.client.Answer;
import cleave.client.Request;
import java.io.IOException;
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
    private static final int REFUSALS_MAX = 5;
    private static final int TOP_MAX = 8;

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
            scan(workload.walk(random), isWhole -> pause());
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

    /** The result of a request without an answer. */
    public static Result silence(boolean sent) {
        return Result.of(sent ? Outcome.UNKNOWN : Outcome.NOT_EXECUTED, "no answer");
    }

    private void finished(Operation operation) {
        workload.record(operation);
        world.trace().note(world.now(), process.node(), "had", digest(operation), operation::toString);
    }

    /** A digest that distinguishes runs without the names that the trace prints. */
    private static int digest(Operation operation) {
        int digest = operation.outcome().name().hashCode();
        if (operation instanceof Change change) {
            for (Write write : change.writes()) {
                digest = 31 * digest + write.key().hashCode();
            }
            return 31 * digest + change.etags().hashCode() + change.refused();
        }
        if (operation instanceof Get get) {
            return 31 * (31 * digest + get.key().hashCode())
                    + get.result().etag().hashCode();
        }
        if (operation instanceof Page page) {
            for (Page.Row row : page.rows()) {
                digest = 31 * (31 * digest + row.key().hashCode())
                        + row.result().etag().hashCode();
            }
            return digest;
        }
        throw new AssertionError("unknown operation " + operation);
    }

    /**
     * Scans a table or a part of it, page by page.
     *
     * @param ending learns whether the scan is whole, or was given up
     */
    public void scan(Walk walk, Consumer<Boolean> ending) {
        page(walk, 0, ending);
    }

    private void page(Walk walk, int refusals, Consumer<Boolean> ending) {
        int top = random.nextBoolean() ? 1 + random.nextInt(TOP_MAX) : 0;
        long invoked = world.now();
        send(walk.request(workload.requests(), top), (answer, sent) -> {
            if (answer != null && answer.status() == 200) {
                took(walk, answer, invoked, ending);
            } else if (answer != null && answer.status() < 500) {
                world.violation(Finding.By.SCAN, "a scan was refused: " + answer);
            } else if (refusals == REFUSALS_MAX) {
                ending.accept(false);
            } else {
                world.after(random.nextInt(300_000_000), () -> page(walk, refusals + 1, ending));
            }
        });
    }

    private void took(Walk walk, Answer answer, long invoked, Consumer<Boolean> ending) {
        try {
            finished(walk.took(new Call(number, invoked, world.now()), answer));
        } catch (IOException malformed) {
            world.violation(Finding.By.SCAN, "a page that cannot be read: " + answer);
        }
        if (walk.isAtEnd()) {
            world.count("scans to the end");
            ending.accept(true);
        } else {
            world.after(random.nextInt(20_000_000), () -> page(walk, 0, ending));
        }
    }

    /** Writes some rows of a partition in one transaction. */
    public void transact(List<Write> writes, Consumer<Change> then) {
        long invoked = world.now();
        send(EntityRequests.transaction(workload.requests(), writes), (answer, sent) -> {
            Call call = new Call(number, invoked, world.now());
            Change change = answer == null
                    ? Change.unanswered(call, writes, silence(sent).outcome(), "no answer")
                    : Interpretation.transaction(call, writes, answer);
            world.count("transactions " + change.outcome());
            finished(change);
            then.accept(change);
        });
    }
}
