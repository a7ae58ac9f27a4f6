package cleave.master.tables;

import cleave.master.replication.Replication;
import cleave.master.servers.RangeCalls;
import cleave.master.settings.MasterTiming;
import cleave.master.state.Drop;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand.DropTable;
import cleave.master.state.MasterState;
import cleave.runtime.loop.EventLoop;
import cleave.wire.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;

/**
 * The table drops under way and the calls that wait for them. Confined to the master loop. The replicated state
 * contains the pending drops, so a new leader continues them.
 */
public final class TableDrops {
    private static final int RUNNING_MAX = 16;
    static final int WAITING_MAX = 10_000;

    private final EventLoop loop;
    private final MasterTiming timing;
    private final Replication replication;
    private final RangeCalls calls;
    private final LongConsumer whenDone;
    private final TreeMap<Long, TableDrop> running = new TreeMap<>();
    private final TreeMap<Long, List<CompletableFuture<MasterAnswer>>> waiting = new TreeMap<>();
    private int waitingCount;
    private int begun;

    /** @param whenDone gets the id of each table that this master has dropped */
    public TableDrops(
            EventLoop loop, MasterTiming timing, Replication replication, RangeCalls calls, LongConsumer whenDone) {
        this.loop = loop;
        this.timing = timing;
        this.replication = replication;
        this.calls = calls;
        this.whenDone = whenDone;
    }

    /** Logs the drop, or joins one under way. The future completes when the drop is done. */
    public void ask(Drop drop, CompletableFuture<MasterAnswer> caller) {
        loop.assertInside();
        if (waitingCount >= WAITING_MAX) {
            caller.complete(MasterAnswer.failed(ErrorCode.BUSY, WAITING_MAX + " calls wait for table drops"));
            return;
        }
        waitingCount++;
        caller.whenComplete((answer, failure) -> loop.submit(() -> left(drop.table())));
        replication.propose(new DropTable(drop)).thenAccept(answer -> loop.submit(() -> logged(drop, caller, answer)));
    }

    /** Forgets a caller that was answered or has left: a drop may take long, and clients repeat their requests. */
    private void left(long table) {
        waitingCount--;
        List<CompletableFuture<MasterAnswer>> callers = waiting.get(table);
        if (callers != null && callers.removeIf(CompletableFuture::isDone) && callers.isEmpty()) {
            waiting.remove(table);
        }
    }

    private void logged(Drop drop, CompletableFuture<MasterAnswer> caller, MasterAnswer answer) {
        if (!answer.isOk()) {
            caller.complete(answer);
            return;
        }
        if (!caller.isDone()) {
            waiting.computeIfAbsent(drop.table(), table -> new ArrayList<>()).add(caller);
        }
        if (replication.leaderTerm() == 0) {
            clear(replication.leaderAddress());
        } else {
            tick(replication.state());
        }
    }

    /** Starts pending drops that are not under way yet, and answers the callers whose drops are no longer pending. */
    public void tick(MasterState state) {
        loop.assertInside();
        for (Drop drop : state.drops().values()) {
            if (running.size() >= RUNNING_MAX) {
                break;
            }
            if (!running.containsKey(drop.table())) {
                TableDrop driver = new TableDrop(drop, loop, calls, replication, timing.callNanos(), this::ended);
                running.put(drop.table(), driver);
                begun++;
                driver.start();
            }
        }
        for (long table : List.copyOf(waiting.keySet())) {
            if (!state.drops().containsKey(table)) {
                answer(table, MasterAnswer.ok(state.mapVersion()));
            }
        }
    }

    private void ended(TableDrop driver) {
        running.remove(driver.drop().table());
        whenDone.accept(driver.drop().table());
        tick(replication.state());
    }

    /** Stops, since this master no longer leads. The next leader continues; callers ask it and wait there. */
    public void clear(String leader) {
        loop.assertInside();
        running.values().forEach(TableDrop::stop);
        running.clear();
        for (long table : List.copyOf(waiting.keySet())) {
            answer(table, MasterAnswer.failed(ErrorCode.NOT_LEADER, leader));
        }
    }

    private void answer(long table, MasterAnswer answer) {
        List<CompletableFuture<MasterAnswer>> callers = waiting.remove(table);
        if (callers != null) {
            callers.forEach(caller -> caller.complete(answer));
        }
    }

    /** How many drops this master has started; one that it starts again as a later leader counts twice. */
    public int begun() {
        return begun;
    }

    /** How many calls wait for a drop. */
    int waiting() {
        return waiting.values().stream().mapToInt(List::size).sum();
    }
}
