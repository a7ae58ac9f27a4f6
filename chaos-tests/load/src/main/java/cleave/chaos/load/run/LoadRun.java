package cleave.chaos.load.run;

import cleave.chaos.load.workload.Action;
import cleave.chaos.load.workload.Items;
import cleave.chaos.load.workload.Operation;
import cleave.chaos.load.workload.Planner;
import cleave.deploy.terminal.Wait;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Clients that carry a workload out. Each has a thread, a connection and a {@link Planner} of its own, so there are never more requests in flight
 * than clients. Confined to the thread that started it.
 */
public final class LoadRun {
    private static final Duration WARM = Duration.ofSeconds(60);
    private static final Duration PAUSE = Duration.ofMillis(10);

    private final LoadPlan plan;
    private final Tally tally = new Tally();
    private final Tally warmUp = new Tally();
    private final StepTally steps;
    private final Items items;
    private final Pace pace;
    private final @Nullable Ledger ledger;
    private final long startedMillis;
    private final Clients clients;

    private LoadRun(LoadPlan plan, @Nullable Ledger ledger) {
        this.plan = plan;
        this.ledger = ledger;
        this.items = new Items(plan.workload().shape().items());
        this.steps = new StepTally(plan.schedule());
        this.startedMillis = System.currentTimeMillis() + Math.round(plan.warmUpSeconds() * 1e3);
        this.pace = new Pace(plan.schedule(), plan.seconds(), plan.warmUpSeconds());
        this.clients = Clients.started(plan.clients(), "load-" + plan.workload().name(), this::client);
    }

    /** @param ledger where writes are noted; null: nowhere */
    public static LoadRun started(LoadPlan plan, @Nullable Ledger ledger) {
        return new LoadRun(plan, ledger);
    }

    private void client(int number) {
        long seed = plan.seed() * 1_000_003 + number;
        Planner planner = new Planner(plan.workload(), items, plan.runId(), seed);
        Random chance = new Random(seed);
        try (Target.Session session = plan.target().open(plan.table(), plan.workload(), plan.patience())) {
            for (long due = pace.awaitDue(); due >= 0; due = pace.awaitDue()) {
                if (due >= pace.zeroNanos()) {
                    pace.sent();
                }
                carryOut(planner.next(), due, session, chance);
            }
        }
    }

    private void carryOut(Operation operation, long due, Target.Session session, Random chance) {
        Tally to = due >= pace.zeroNanos() ? tally : warmUp;
        long invoked = pace.now();
        boolean mayHaveHappened = false;
        for (int attempts = 1; ; attempts++) {
            long sent = pace.now();
            Attempt attempt = session.attempt(operation);
            if (attempt.status().mayHaveHappened() && !mayHaveHappened) {
                mayHaveHappened = true;
                noteUnknown(operation, invoked);
            }
            boolean isRefused = attempt.status() == Attempt.Status.REFUSED
                    && Attempt.isRightRefusal(
                            operation.action(), attempt.text(), mayBeMissing(operation), mayHaveHappened);
            Times times = new Times(due, invoked, sent, pace.now());
            if (attempt.status() == Attempt.Status.DONE || isRefused) {
                done(operation, attempt, times, to);
                return;
            }
            to.problem(attempt);
            double wait = attempt.status().isWorthRetry() ? plan.retries().waitSeconds(attempts - 1, chance) : -1;
            if (wait < 0) {
                to.failed(operation.action(), times.returned() - due, operation + ": " + attempt.text());
                if (to == tally) {
                    steps.failed(due - pace.zeroNanos());
                }
                withoutInsert(operation);
                return;
            }
            if (!pace.pause(wait, due)) {
                to.cutOff(operation.action());
                withoutInsert(operation);
                return;
            }
            to.retried(operation.action());
        }
    }

    private record Times(long due, long invoked, long sent, long returned) {}

    private void done(Operation operation, Attempt attempt, Times times, Tally to) {
        boolean isMissing = attempt.text().startsWith("404");
        int entities = isMissing ? 0 : entities(operation, attempt);
        to.done(
                operation.action(),
                times.returned() - times.due(),
                times.returned() - times.sent(),
                entities,
                isMissing);
        if (to == tally) {
            steps.done(times.due() - pace.zeroNanos(), times.returned() - times.due());
        }
        if (operation.action() == Action.INSERT) {
            items.inserted(operation.item(), true);
        }
        if (ledger != null && operation.action().isWrite() && !isMissing) {
            // A success is that of the last attempt; an insert refused with 409 was done by an earlier one.
            long began = attempt.status() == Attempt.Status.DONE ? times.sent() : times.invoked();
            ledger.acknowledged(operation, began, times.returned());
        }
    }

    private static int entities(Operation operation, Attempt attempt) {
        return switch (operation.action()) {
            case GET -> 1;
            case PAGE, PARTITION_SCAN, TABLE_SCAN -> attempt.reads();
            case INSERT, MERGE, REPLACE, DELETE, TRANSACTION -> operation.keys().size();
            case READ_MODIFY_WRITE -> 2;
        };
    }

    private void withoutInsert(Operation operation) {
        if (operation.action() == Action.INSERT) {
            items.inserted(operation.item(), false);
        }
    }

    private void noteUnknown(Operation operation, long invoked) {
        if (ledger != null && operation.action().isWrite()) {
            ledger.unknown(operation, invoked);
        }
    }

    private boolean mayBeMissing(Operation operation) {
        return plan.workload().mix().has(Action.DELETE) || items.mayBeMissing(operation.item());
    }

    /** The measurements of its clients. */
    public Tally tally() {
        return tally;
    }

    /** Their measurements of the warm-up. */
    public Tally warmUp() {
        return warmUp;
    }

    /** Their measurements of each step of the schedule, when they have ended; none if it has a single phase. */
    public List<Step> steps() {
        return steps.all();
    }

    /** The wall clock at second 0, when the warm-up ends, in milliseconds. */
    public long startedMillis() {
        return startedMillis;
    }

    /** Seconds since second 0, at most until the last answer; negative during the warm-up. */
    public double seconds() {
        return (pace.at(clients.nowOrEnd()) - pace.zeroNanos()) / 1e9;
    }

    /** By how many seconds sending is behind the schedule. */
    public double behindSeconds() {
        return pace.behindNanos() / 1e9;
    }

    /** Waits until there are as many answers as clients. */
    public void awaitWarm() {
        Wait.until(
                () -> tally.counts().values().stream()
                                .mapToLong(Tally.Count::operations)
                                .sum()
                        >= plan.clients(),
                WARM,
                PAUSE);
    }

    public boolean isRunning() {
        return clients.isRunning();
    }

    /** Sends nothing more. */
    public void stop() {
        pace.stop();
    }

    /** Waits until all clients have their last answers; returns how many operations were due and never sent. */
    public long end() {
        clients.join();
        return pace.neverSent();
    }
}
