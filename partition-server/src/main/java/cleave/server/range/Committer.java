package cleave.server.range;

import cleave.model.manifest.DroppedTables;
import cleave.runtime.loop.EventLoop;
import cleave.server.metrics.ServerMetrics;
import cleave.server.outside.RangeStore;
import cleave.server.outside.StoreException;
import cleave.server.policy.AnswerOrder;
import cleave.server.policy.Judgement;
import cleave.server.policy.LoadMeter;
import cleave.server.policy.Timestamps;
import cleave.server.policy.WriteJudge;
import cleave.server.range.RangePhases.Phase;
import cleave.server.settings.RangeSettings;
import cleave.server.state.Effect;
import cleave.server.state.LogPosition;
import cleave.server.state.LogRecordBuilder;
import cleave.wire.ErrorCode;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Owns the write order of one range: drains what waits, judges it against the store and what is in flight, appends one record a
 * group, and when that is durable applies and answers, in order. Confined to the range's loop.
 *
 * <p>Invariant I3: nothing is answered before its record is durable; and a refusal, which may rest on a record in flight, not
 * before every record before it is. A refusal whose group appended nothing is confirmed like a read.
 *
 * <p>Appends are pipelined: while some are in flight, more requests gather, and so groups grow just as large as the DFS is slow.
 */
final class Committer {
    private final EventLoop loop;
    private final CommitLog log;
    private final Confirmer confirmer;
    private final RangeStore store;
    private final RangeSettings settings;
    private final ServerMetrics metrics;
    private final LoadMeter load;
    private final Range range;
    private final AnswerOrder answerOrder;
    private final TimestampLimit timestampLimit;
    private final Timestamps timestamps;
    private final WriteJudge judge;
    private final InFlight inFlight;
    private final Deque<Queued> queue = new ArrayDeque<>();
    private final Deque<Group> order = new ArrayDeque<>();
    private long queuedBytes;
    private long orderBytes;
    private DroppedTables dropped;
    private boolean draining;
    private boolean expiring;

    Committer(RangeContext with, Opened opened, CommitLog log, Confirmer confirmer, LoadMeter load, Range range) {
        this.loop = with.loop();
        this.settings = with.settings();
        this.metrics = with.metrics();
        this.answerOrder = with.answerOrder();
        this.log = log;
        this.confirmer = confirmer;
        this.store = opened.store();
        this.load = load;
        this.range = range;
        this.timestampLimit = with.timestampLimit();
        this.timestamps = new Timestamps(opened.highestTimestamp());
        this.judge = new WriteJudge(timestamps);
        this.dropped = opened.dropped();
        this.inFlight = new InFlight(store, dropped);
    }

    /** Takes a request while the phase is one that begins requests; answers it now or later, exactly once. */
    void submit(Queued request) {
        if (queuedBytes + request.bytes() > settings.queueBytes()) {
            request.answer(ErrorCode.BUSY, "the range's queue is full");
        } else {
            queue.add(request);
            queuedBytes += request.bytes();
            drainSoon();
        }
    }

    private void drainSoon() {
        if (!draining) {
            draining = true;
            loop.submit(this::drain); // Behind the requests that have arrived meanwhile, so that they join the group.
        }
    }

    private void drain() {
        draining = false;
        while (!queue.isEmpty() && mayAppend()) {
            LogRecordBuilder record = new LogRecordBuilder();
            Group group = gather(record);
            if (!group.answers().isEmpty()) {
                send(group, record);
            }
        }
        if (!queue.isEmpty()) {
            expireLater();
        }
    }

    private boolean mayAppend() {
        return range.phase().appends()
                && log.inFlight() < settings.appendsInFlight()
                && order.size() < settings.groupsInFlight()
                && orderBytes < settings.queueBytes();
    }

    private Group gather(LogRecordBuilder record) {
        Group group = new Group();
        long nowNanos = loop.nanos();
        long nowTicks = Math.min(loop.ticks(), timestampLimit.at(nowNanos));
        while (!queue.isEmpty() && record.size() < settings.groupBytes()) {
            Queued request = queue.remove();
            queuedBytes -= request.bytes();
            load.waited(nowNanos - request.arrivedNanos());
            if (nowNanos - request.deadlineNanos() >= 0) {
                request.answer(ErrorCode.BUSY, "the request waited longer than its deadline");
                continue;
            }
            Judgement judgement = judge(request, nowTicks);
            if (answerOrder.mayOvertake(judgement)) {
                request.answer().accept(judgement);
                continue;
            }
            for (Effect effect : judgement.effects()) {
                record.add(effect);
            }
            group.add(request, judgement);
            inFlight.add(judgement.effects(), group);
        }
        return group;
    }

    private Judgement judge(Queued request, long nowTicks) {
        try {
            return request.judge(judge, inFlight, inFlight.dropped(), nowTicks);
        } catch (StoreException failure) {
            range.storeFailed(failure);
            return Queued.failed(ErrorCode.UNAVAILABLE, "the store failed");
        }
    }

    private void send(Group group, LogRecordBuilder record) {
        order.add(group);
        orderBytes += group.bytes();
        if (record.isEmpty()) {
            confirmer.confirm(confirmed -> confirmed(group, confirmed));
            return;
        }
        ByteBuffer bytes = record.finish(log.sequence(), timestamps.highest());
        int size = bytes.remaining();
        List<Confirmer.Confirmation> reads = confirmer.takeWaiting();
        metrics.appends.inc();
        metrics.appendedBytes.inc(size);
        LogPosition behind = log.append(bytes, group.purpose(), failure -> {
            confirmer.end(reads, failure == null);
            if (failure == null) {
                appended(group);
            } // Else the log is sealed, and its length tells.
        });
        group.sent(size, behind);
    }

    private void appended(Group group) {
        group.confirm();
        settleHead();
    }

    private void confirmed(Group group, boolean confirmed) {
        if (confirmed) {
            appended(group);
        } else if (order.remove(group)) {
            orderBytes -= group.bytes();
            answerAll(group, ErrorCode.UNAVAILABLE, "the commit log was sealed before the answer was confirmed");
            settleHead();
        }
    }

    /** Answers leave in write order: a group waits for all before it. */
    private void settleHead() {
        while (!order.isEmpty() && order.element().isConfirmed()) {
            Group group = order.remove();
            orderBytes -= group.bytes();
            apply(group);
            answer(group);
        }
        if (!queue.isEmpty()) {
            drainSoon();
        }
        range.advance();
    }

    private void apply(Group group) {
        LogPosition position = group.position();
        if (position == null || range.phase() == Phase.CLOSED) {
            return; // The store is closed too: the next owner finds in the log what is durable.
        }
        try {
            store.apply(group.effects(), position);
        } catch (StoreException failure) {
            range.storeFailed(failure); // The record is durable all the same, and so the answer is true.
            return;
        }
        inFlight.applied(group);
        for (Effect effect : group.effects()) {
            if (effect instanceof Effect.DropTable drop) {
                dropped = dropped.plus(drop.table());
            }
        }
        range.applied(group);
    }

    private void answer(Group group) {
        for (Group.Answer answer : group.answers()) {
            answer.request().answer().accept(answer.judgement());
        }
    }

    /**
     * The broken log is sealed at a length: records inside are durable, applied and answered as done; the others never happened,
     * and neither did what was judged on them.
     */
    void settled(long length) {
        while (!order.isEmpty()) {
            Group group = order.remove();
            orderBytes -= group.bytes();
            LogPosition position = group.position();
            if (position != null && position.offset() <= length) {
                apply(group);
                answer(group);
            } else {
                answerAll(group, ErrorCode.UNAVAILABLE, "the commit log was sealed before the write");
            }
        }
        inFlight.forget(dropped);
        range.advance();
    }

    /** The log is lost: only the next owner will see what became of the records in order. */
    void lost() {
        while (!order.isEmpty()) {
            Group group = order.remove();
            orderBytes -= group.bytes();
            for (Group.Answer answer : group.answers()) {
                if (answer.judgement().effects().isEmpty()) {
                    answer.request().answer(ErrorCode.UNAVAILABLE, "it was judged on writes of unknown outcome");
                } else {
                    answer.request().answer(ErrorCode.UNKNOWN_OUTCOME, "the commit log with the write is lost");
                }
            }
        }
    }

    private static void answerAll(Group group, ErrorCode code, String message) {
        group.answers().forEach(answer -> answer.request().answer(code, message));
    }

    /** The log takes appends again. */
    void resumed() {
        drainSoon();
    }

    /** Whatever waits and was not looked at yet, in the order of its coming: its taker answers it, or brings it again. */
    List<Queued> takeQueue() {
        List<Queued> taken = List.copyOf(queue);
        queue.clear();
        queuedBytes = 0;
        return taken;
    }

    /** Whatever waits and was not looked at yet is answered so. */
    void answerQueue(ErrorCode code, String message) {
        while (!queue.isEmpty()) {
            Queued request = queue.remove();
            queuedBytes -= request.bytes();
            request.answer(code, message);
        }
    }

    private void expireLater() {
        if (!expiring) {
            expiring = true;
            loop.schedule(settings.expiryNanos(), this::expire);
        }
    }

    private void expire() {
        expiring = false;
        long now = loop.nanos();
        int count = queue.size();
        for (int i = 0; i < count; i++) {
            Queued request = queue.remove();
            if (now - request.deadlineNanos() >= 0) {
                queuedBytes -= request.bytes();
                request.answer(ErrorCode.BUSY, "the request waited longer than its deadline");
            } else {
                queue.add(request);
            }
        }
        if (!queue.isEmpty()) {
            expireLater();
        }
    }

    /** Ids whose drop is durable. */
    DroppedTables dropped() {
        return dropped;
    }

    long highestTimestamp() {
        return timestamps.highest();
    }

    /** How far the highest timestamp is beyond the limit, in ticks; 0 if it is not. */
    long timestampsAhead() {
        return Math.max(0, timestamps.highest() - timestampLimit.at(loop.nanos()));
    }

    /** True if nothing waits and nothing is in flight. */
    boolean isIdle() {
        return queue.isEmpty() && order.isEmpty();
    }
}
