package cleave.server.range;

import cleave.model.manifest.DroppedTables;
import cleave.runtime.loop.EventLoop;
import cleave.server.metrics.Busy;
import cleave.server.metrics.ServerMetrics;
import cleave.server.outside.RangeStore;
import cleave.server.outside.StoreException;
import cleave.server.policy.AnswerOrder;
import cleave.server.policy.Judgement;
import cleave.server.policy.WriteJudge;
import cleave.server.settings.RangeSettings;
import cleave.server.state.Effect;
import cleave.server.state.LogPosition;
import cleave.server.state.LogRecordBuilder;
import cleave.wire.ErrorCode;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/**
 * Owns the write order of one range: takes the waiting writes as a group, judges them against the store and the writes
 * in flight, appends one record per group, and once that is durable applies and answers it, in order. Confined to the
 * range's loop.
 *
 * <p>Invariant I3: no write is answered before its record is durable; and no refusal, which may depend on a record in
 * flight, before every earlier record is durable. A refusal whose group appended nothing is confirmed like a read.
 *
 * <p>Appends are pipelined: requests that arrive while appends are in flight form the next group, so the slower the
 * DFS, the larger the groups.
 */
final class Committer {
    private final EventLoop loop;
    private final CommitLog log;
    private final Confirmer confirmer;
    private final RangeStore store;
    private final RangeSettings settings;
    private final ServerMetrics metrics;
    private final StateMachine machine;
    private final StoreFailures failures;
    private final Consumer<Group> applied;
    private final AnswerOrder answerOrder;
    private final TimestampLimit timestampLimit;
    private final WriteJudge judge;
    private final InFlight inFlight;
    private final RequestQueue<Change> queue;
    private final Deque<Group> order = new ArrayDeque<>();
    private long orderBytes;
    private final OneEvent drain;
    private DroppedTables dropped;

    /** @param applied takes each group whose record is durable and applied */
    Committer(
            Range.Outside outside,
            Opened opened,
            CommitLog log,
            Confirmer confirmer,
            StateMachine machine,
            StoreFailures failures,
            Consumer<Group> applied) {
        this.loop = outside.loop();
        this.settings = outside.settings();
        this.metrics = outside.metrics();
        this.answerOrder = outside.answerOrder();
        this.log = log;
        this.confirmer = confirmer;
        this.store = opened.store();
        this.machine = machine;
        this.failures = failures;
        this.applied = applied;
        this.timestampLimit = outside.timestampLimit();
        this.judge = new WriteJudge(opened.highestTimestamp());
        this.queue = new RequestQueue<>(outside);
        this.drain = new OneEvent(loop, this::drain);
        this.dropped = opened.dropped();
        this.inFlight = new InFlight(store, dropped);
    }

    /** Takes a request, in a phase that begins requests; answers it now or later, exactly once. */
    void submit(Change change) {
        if (queue.add(change)) {
            drainSoon();
        } else {
            change.refuse(Busy.QUEUE);
        }
    }

    /** Appends the waiting writes, unless that is already scheduled. Called when the log accepts appends again. */
    void drainSoon() {
        drain.soon(); // Behind the requests that have arrived meanwhile, so that they join the group.
    }

    private void drain() {
        while (!queue.isEmpty() && mayAppend()) {
            LogRecordBuilder record = new LogRecordBuilder();
            Group group = gather(record);
            if (!group.changes().isEmpty()) {
                send(group, record);
            }
        }
        queue.expireLater();
    }

    private boolean mayAppend() {
        return machine.phase().appends()
                && log.inFlight() < settings.appendsInFlight()
                && order.size() < settings.groupsInFlight()
                && orderBytes < settings.queueBytes();
    }

    private Group gather(LogRecordBuilder record) {
        Group group = new Group();
        long nowNanos = loop.nanos();
        long nowTicks = Math.min(loop.ticks(), timestampLimit.at(nowNanos));
        while (record.size() < settings.groupBytes()) {
            Change change = queue.poll();
            if (change == null) {
                break;
            }
            change.waited(nowNanos);
            if (change.isLate(nowNanos)) {
                change.expired();
                continue;
            }
            Judgement judgement = judge(change, nowTicks);
            if (answerOrder.mayOvertake(judgement)) {
                change.answer(judgement);
                continue;
            }
            for (Effect effect : judgement.effects()) {
                record.add(effect);
            }
            group.add(change, judgement);
            inFlight.add(judgement.effects(), group);
        }
        return group;
    }

    private Judgement judge(Change change, long nowTicks) {
        try {
            return change.judge(judge, inFlight, nowTicks);
        } catch (StoreException failure) {
            return Judgement.refused(failures.unreadable(failure), 0, "what it depends on cannot be read");
        }
    }

    private void send(Group group, LogRecordBuilder record) {
        order.add(group);
        orderBytes += group.bytes();
        group.asksDfs(loop.nanos());
        if (record.isEmpty()) {
            confirmer.confirm(confirmed -> confirmed(group, confirmed));
            return;
        }
        ByteBuffer bytes = record.finish(log.sequence(), judge.highestTimestamp());
        int size = bytes.remaining();
        Confirmer.Batch reads = confirmer.takeWaiting();
        long sentNanos = loop.nanos();
        metrics.appends.inc();
        metrics.appendedBytes.inc(size);
        LogPosition behind = log.append(bytes, group, durable -> {
            confirmer.end(reads, durable);
            if (durable) {
                metrics.appended(loop.nanos() - sentNanos);
                appended(group);
            } // Otherwise the log is sealed, and its length decides.
        });
        group.sent(size, behind);
    }

    private void appended(Group group) {
        group.confirm();
        if (group.times() != null) {
            group.stored(loop.nanos());
        }
        settleHead();
    }

    private void confirmed(Group group, boolean confirmed) {
        if (confirmed) {
            appended(group);
        } else if (order.remove(group)) {
            orderBytes -= group.bytes();
            refuseAll(group, "the commit log was sealed before the answer was confirmed");
            settleHead();
        }
    }

    /** Answers leave in write order: a group waits for all groups before it. */
    private void settleHead() {
        while (!order.isEmpty() && order.element().isConfirmed()) {
            Group group = order.remove();
            orderBytes -= group.bytes();
            apply(group);
            group.changes().forEach(Change::answer);
        }
        if (!queue.isEmpty()) {
            drainSoon();
        }
        machine.advance();
    }

    private void apply(Group group) {
        LogPosition position = group.position();
        if (position == null || machine.isClosed()) {
            return; // The store is closed too: the next owner finds in the log what is durable.
        }
        try {
            store.apply(group.effects(), position);
        } catch (StoreException failure) {
            failures.failed(failure); // The record is durable all the same, and so the answer is true.
            return;
        }
        inFlight.applied(group);
        for (Effect effect : group.effects()) {
            if (effect instanceof Effect.DropTable drop) {
                dropped = dropped.plus(drop.table());
            }
        }
        applied.accept(group);
    }

    /**
     * Settles the writes in flight after the broken log was sealed: records within the sealed length are durable, and
     * so they are applied and answered as done, as are records of the log before it whose answers waited for an earlier
     * one. The others never happened, and requests judged on them are not executed either.
     */
    void settled(long length) {
        loop.assertInside();
        while (!order.isEmpty()) {
            Group group = order.remove();
            orderBytes -= group.bytes();
            LogPosition position = group.position();
            if (position != null && answerOrder.isDurable(group.isConfirmed(), position.offset(), length)) {
                apply(group);
                group.changes().forEach(Change::answer);
            } else {
                refuseAll(group, "the commit log was sealed before the write");
            }
        }
        inFlight.forget(dropped);
        machine.advance();
    }

    /**
     * Answers the records in flight with an unknown outcome, because the log is lost; only the next owner will see
     * which of them are durable.
     */
    void lost() {
        loop.assertInside();
        while (!order.isEmpty()) {
            Group group = order.remove();
            orderBytes -= group.bytes();
            for (Change change : group.changes()) {
                if (change.changesNothing()) {
                    change.refuse(ErrorCode.UNAVAILABLE, "it was judged on writes of unknown outcome");
                } else {
                    change.refuse(ErrorCode.UNKNOWN_OUTCOME, "the commit log with the write is lost");
                }
            }
        }
    }

    private static void refuseAll(Group group, String message) {
        group.changes().forEach(change -> change.refuse(ErrorCode.UNAVAILABLE, message));
    }

    /**
     * Removes the waiting writes that have not been judged, in order. The caller answers them, or submits them again.
     */
    List<Change> takeQueue() {
        return queue.takeAll();
    }

    /** Ids whose drop is durable. */
    DroppedTables dropped() {
        return dropped;
    }

    long highestTimestamp() {
        return judge.highestTimestamp();
    }

    /** By how much the highest timestamp exceeds the limit, in ticks; 0 if it does not. */
    long timestampsAhead() {
        return Math.max(0, judge.highestTimestamp() - timestampLimit.at(loop.nanos()));
    }

    /** True if nothing waits and nothing is in flight. */
    boolean isIdle() {
        return queue.isEmpty() && order.isEmpty();
    }
}
