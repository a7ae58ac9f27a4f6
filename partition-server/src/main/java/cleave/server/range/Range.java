package cleave.server.range;

import cleave.dfs.DfsFile;
import cleave.model.AccountNumber;
import cleave.model.Damaged;
import cleave.model.Key;
import cleave.model.Row;
import cleave.model.Ticks;
import cleave.model.table.Registry;
import cleave.server.outside.RangeStore;
import cleave.server.outside.StoreException;
import cleave.server.policy.Judgement;
import cleave.server.policy.LoadMeter;
import cleave.server.policy.PartitionCounts;
import cleave.server.policy.PartitionThrottle;
import cleave.server.policy.WriteCheck;
import cleave.server.range.RangePhases.Action;
import cleave.server.range.RangePhases.Event;
import cleave.server.range.RangePhases.Phase;
import cleave.server.range.RangePhases.Requests;
import cleave.server.state.Effect;
import cleave.server.state.Ownership;
import cleave.server.state.WriteOp;
import cleave.wire.DropReply;
import cleave.wire.DropRequest;
import cleave.wire.ErrorCode;
import cleave.wire.RangeLoad;
import cleave.wire.ReadReply;
import cleave.wire.ReadRequest;
import cleave.wire.ScanReply;
import cleave.wire.ScanRequest;
import cleave.wire.Status;
import cleave.wire.WriteReply;
import cleave.wire.WriteRequest;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One range under one epoch, from the moment that it is committed to be served here. Methods marked "on any thread", {@link #ownership}
 * and {@link #hold} may be called from any thread; all else is confined to the range's loop.
 *
 * <p>{@link RangePhases} decides what it may do; I2 and I3 are explained there. The parts report events, and the range carries out the
 * actions that the table answers, one after the other. No action appends by itself: the committer drains its queue in a later event,
 * so nothing is appended before the last action of a transition.
 */
public final class Range {
    private static final Logger LOG = LoggerFactory.getLogger(Range.class);

    private final RangeContext with;
    private final Row committed;
    private final Ownership ownership;
    private final EndListener endListener;
    private final RangePhases phases = new RangePhases();
    private final Admission admission;
    private final Waiting waiting;
    private final RangeHold hold;
    private final PartitionThrottle throttle;
    private final LoadMeter load;
    private @Nullable Parts parts;
    private boolean carryingOut;
    private End end = End.CLOSED;
    private volatile RangeLoad lastLoad;
    private volatile long timestampsAhead;
    private boolean aheadTold;

    /** What a range has when it is opened. */
    private record Parts(
            RangeStore store,
            CommitLog log,
            Confirmer confirmer,
            Committer committer,
            Publisher publisher,
            Reads reads,
            Scans scans,
            Sizing sizing) {}

    /** Why a range is not served here any more. */
    public enum End {
        CLOSED,
        /** Its local store failed; the row is as it was published last. */
        STORE_FAILED,
        /** A master says that this incarnation is dead. */
        DEAD
    }

    /** Told once about a range's end, inside the range's loop. */
    public interface EndListener {
        void ended(Range range, Row row, End end, String why);
    }

    /** @param row as it was committed, owned by this incarnation */
    public Range(RangeContext outer, Row row, EndListener endListener) {
        this.committed = row;
        this.ownership = new Ownership(row.id(), row.epoch(), row.range());
        this.load = new LoadMeter(ownership, outer.loop().nanos());
        this.with = outer.metered(load::worked);
        this.endListener = endListener;
        this.admission = new Admission(ownership, with);
        this.waiting = new Waiting(with);
        this.hold = new RangeHold(with, this);
        this.throttle = new PartitionThrottle(with.settings().partitionThrottle());
        this.lastLoad = load.measure(null, with.loop().nanos());
    }

    /** It is opened: all logs before its own are sealed and replayed. Once, inside the range's loop. */
    public void serve(Opened opened) {
        with.loop().assertInside();
        if (phase() == Phase.CLOSED) {
            opened.log().close();
            opened.store().close();
            return;
        }
        CommitLog log = new CommitLog(with, opened.log(), this);
        Confirmer confirmer = new Confirmer(with, log, this);
        Committer committer = new Committer(with, opened, log, confirmer, load, this);
        parts = new Parts(
                opened.store(),
                log,
                confirmer,
                committer,
                new Publisher(with, opened, log, committer, this),
                new Reads(with, opened.store(), confirmer, admission, load, this),
                new Scans(with, opened.store(), confirmer, admission, load, this),
                new Sizing(with.loop(), opened.store(), this));
        admission.drop(opened.dropped());
        on(Event.OPENED, "it is opened");
    }

    private Parts parts() {
        if (parts == null) {
            throw new AssertionError(ownership + " is not opened");
        }
        return parts;
    }

    RangePhases.Phase phase() {
        return phases.phase();
    }

    /** Something has happened: changes the phase, and does what that asks for. */
    void on(Event event, String why) {
        boolean outermost = !carryingOut;
        carryingOut = true;
        for (Action action : phases.on(event)) {
            carryOut(action, why);
        }
        if (outermost) {
            carryingOut = false;
            advance();
        }
    }

    /** To be called when something has ended that a phase may wait for. */
    void advance() {
        if (carryingOut) {
            return; // It is called again when that is done.
        }
        switch (phase()) {
            case SERVING -> {
                if (hold.isWanted() && parts().publisher().isQuiet()) {
                    on(Event.HOLD, "nothing is under way that would change the row");
                }
            }
            case ROLLING -> {
                if (parts().log().inFlight() == 0 && !parts().log().isSealing()) {
                    on(Event.DRAINED, "the log is drained");
                }
            }
            case DRAINING -> {
                if (isDrained(parts())) {
                    on(Event.DRAINED, "the range is drained");
                }
            }
            default -> {
                // It waits for nothing that ends here.
            }
        }
    }

    private static boolean isDrained(Parts parts) {
        return parts.committer().isIdle()
                && parts.confirmer().isIdle()
                && parts.log().inFlight() == 0;
    }

    private void carryOut(Action action, String why) {
        switch (action) {
            case BEGIN_WAITING -> waiting.end(ErrorCode.OK);
            case REFUSE_WAITING -> {
                parts().confirmer().refuseWaiting();
                parts().committer().answerQueue(ErrorCode.UNAVAILABLE, "the commit log is being replaced");
            }
            case LET_WAIT -> parts().committer().takeQueue().forEach(this::begin);
            case SEAL -> parts().log().seal();
            case SETTLE -> parts().committer().settled(parts().log().sealedLength());
            case ROLL -> roll();
            case RESUME -> resume(parts());
            case FORGET_NEXT -> parts().publisher().neverUsed(parts().log().forgetNext());
            case GRANT_HOLD -> hold.granted(row());
            case REVOKE_HOLD -> hold.revoked(why);
            case REPORT_SEALED ->
                hold.sealed(parts().log().path(), parts().log().sealedLength());
            case CLOSE -> closeParts(why);
            case GIVE_UP -> parts().committer().lost();
        }
    }

    private void resume(Parts parts) {
        parts.log().resume();
        LOG.info(
                "range goes on in a new log range={} log={}",
                Row.idText(ownership.range()),
                parts.log().path());
        parts.committer().resumed();
        parts.publisher().resumed();
    }

    /** A published manifest names this log as the last one. */
    void published(DfsFile log) {
        hold.published();
        parts().log().published(log);
        on(Event.PUBLISHED, "a manifest is published");
    }

    /** Publishes another log, unless the phase does not permit that or it is under way. */
    void roll() {
        parts().publisher().requestRoll();
    }

    /** Makes a checkpoint first if much would have to be replayed. */
    void shorten() {
        parts().publisher().shorten();
    }

    void publishWhatWaited() {
        parts().publisher().resumed();
    }

    /** As it was published last. */
    Row row() {
        return parts == null ? committed : parts.publisher().row();
    }

    /** A record is durable, and applied. */
    void applied(Group group) {
        Parts now = parts();
        admission.drop(now.committer().dropped());
        now.publisher().logged(group.recordBytes());
        for (Effect effect : group.effects()) {
            if (effect instanceof Effect.DropTable drop) {
                now.publisher().dropped(drop.table());
            }
        }
    }

    /** The store cannot be used any more. Called in the middle of things: the range is closed a little later. */
    void storeFailed(StoreException why) {
        if (phase() == Phase.CLOSED) {
            return;
        }
        LOG.error("store failed range={}", Row.idText(ownership.range()), why);
        with.loop().submit(() -> {
            if (phase() != Phase.CLOSED) {
                with.metrics().storeFailures.inc();
                close(End.STORE_FAILED, "the store failed: " + StoreException.reason(why));
            }
        });
    }

    void close(End how, String why) {
        if (phase() != Phase.CLOSED) {
            end = how;
            on(Event.CLOSE, why);
        }
    }

    private void closeParts(String why) {
        LOG.info("range closed range={} epoch={} why={}", Row.idText(ownership.range()), ownership.epoch(), why);
        admission.close();
        if (parts != null) {
            parts.log().close();
            parts.committer().answerQueue(ErrorCode.NOT_OWNER, admission.textOf(ErrorCode.NOT_OWNER));
            parts.confirmer().refuseWaiting();
            parts.publisher().close();
        }
        hold.close();
        waiting.end(ErrorCode.NOT_OWNER);
        if (parts != null) {
            parts.store().close();
        }
        endListener.ended(this, row(), end, why);
    }

    /** Ends the range here without reporting it to the masters: its log and the map decide what becomes of it. On any thread. */
    public void stop(String why) {
        with.loop().submit(() -> close(End.CLOSED, why));
    }

    /** What a handoff has of this range. */
    public RangeHold hold() {
        return hold;
    }

    public Ownership ownership() {
        return ownership;
    }

    /** On any thread; the reply is given on the caller's or the range's. */
    public void write(WriteRequest request, Consumer<WriteReply> reply) {
        Consumer<Judgement> answer = judgement -> reply.accept(WriteReply.newBuilder()
                .setStatus(admission.status(judgement.code(), judgement.message()))
                .setFailedOperation(judgement.failedOperation())
                .addAllTimestamps(judgement.timestamps())
                .build());
        List<WriteOp> operations;
        try {
            operations = WriteCheck.parse(request);
        } catch (Damaged bad) {
            answer.accept(Queued.failed(ErrorCode.INVALID, String.valueOf(bad.getMessage())));
            return;
        }
        int bytes = request.getSerializedSize();
        Key key = operations.get(0).key();
        ErrorCode refusal = admission.admit(request.getRoute(), key, request.getAccount(), bytes);
        if (refusal != ErrorCode.OK) {
            answer.accept(Queued.failed(refusal, admission.textOf(refusal)));
            return;
        }
        long arrived = with.loop().nanos();
        Queued queued = new Queued(
                bytes,
                arrived,
                arrived + patience(request.getDeadlineMillis()),
                new Queued.Write(operations),
                admission.counting(counting(operations, answer), request.getAccount(), bytes));
        with.loop().submit(() -> {
            if (refusedForSpace(queued)) {
                queued.answer(ErrorCode.THROTTLED, "the DFS is short of space: it takes no writes until there is more");
            } else if (admitAndPay(key, operations.size())) {
                begin(queued);
            } else {
                queued.answer(ErrorCode.THROTTLED, admission.textOf(ErrorCode.THROTTLED));
            }
        });
    }

    /** On a full disk any append would wait, for longer than its client. */
    private boolean refusedForSpace(Queued request) {
        return switch (with.dfs().space()) {
            case ROOMY -> false;
            case LOW -> !request.servesToFreeSpace();
            case FULL -> true;
        };
    }

    /** False if the partition exceeds its rate limit; else the entities are charged to it. */
    private boolean admitAndPay(Key key, int entities) {
        long now = with.loop().nanos();
        if (!throttle.admits(key, now)) {
            return false;
        }
        throttle.pay(key, entities, now);
        return true;
    }

    private Consumer<Judgement> counting(List<WriteOp> operations, Consumer<Judgement> answer) {
        return judgement -> {
            switch (judgement.code()) {
                case OK -> {
                    load.wrote(operations, judgement.effects());
                    with.metrics().writes.inc(operations.size());
                }
                case ALREADY_EXISTS, NOT_FOUND, CONDITION_FAILED ->
                    load.read(operations.get(0).key(), 0);
                default -> {
                    // It cost nobody anything worth counting.
                }
            }
            answer.accept(judgement);
        };
    }

    /** On any thread. Answers when the drop is durable, with the interval for which it is. */
    public void drop(DropRequest request, Consumer<DropReply> reply) {
        Consumer<Judgement> answer = judgement -> reply.accept(DropReply.newBuilder()
                .setStatus(admission.status(judgement.code(), judgement.message()))
                .setStart(ownership.interval().startToWire())
                .setEnd(ownership.interval().endToWire())
                .build());
        if (request.getTable() == Registry.TABLE) {
            answer.accept(Queued.failed(ErrorCode.INVALID, "the registry of tables cannot be dropped"));
            return;
        }
        int bytes = request.getSerializedSize();
        ErrorCode refusal = admission.admitOrder(request.getRoute(), bytes);
        if (refusal != ErrorCode.OK) {
            answer.accept(Queued.failed(refusal, admission.textOf(refusal)));
            return;
        }
        long arrived = with.loop().nanos();
        Queued queued = new Queued(
                bytes,
                arrived,
                arrived + patience(0),
                new Queued.Drop(request.getTable()),
                admission.counting(answer, AccountNumber.NOBODY, bytes));
        with.loop().submit(() -> {
            if (refusedForSpace(queued)) {
                queued.answer(
                        ErrorCode.THROTTLED, "the disk of the DFS is full: nothing is taken until there is more space");
            } else {
                begin(queued);
            }
        });
    }

    private void begin(Queued request) {
        whenServed(request.bytes(), request.deadlineNanos(), now -> {
            if (now == ErrorCode.OK) {
                parts().committer().submit(request);
            } else {
                request.answer(now, admission.textOf(now));
            }
        });
    }

    /** Tells at once whether a request can begin, or, in the switch of a handoff, when that is over. */
    private void whenServed(long bytes, long deadlineNanos, Consumer<ErrorCode> begin) {
        if (phase().requests() == Requests.WAIT) {
            waiting.add(bytes, deadlineNanos, begin);
        } else {
            begin.accept(availability(deadlineNanos));
        }
    }

    /** On any thread; the reply is given on the caller's or the range's. */
    public void read(ReadRequest request, Consumer<ReadReply> reply) {
        Key key = Key.fromWire(request.getKey());
        if (!key.isEntity()) {
            Status status = admission.status(ErrorCode.INVALID, "the key is not that of an entity: " + key);
            reply.accept(ReadReply.newBuilder().setStatus(status).build());
            return;
        }
        int bytes = request.getSerializedSize();
        ErrorCode refusal = admission.admit(request.getRoute(), key, request.getAccount(), bytes);
        if (refusal != ErrorCode.OK) {
            reply.accept(admission.readRefused(refusal));
            return;
        }
        Consumer<ReadReply> answer = admission.counting(reply, request.getAccount(), bytes);
        long arrived = with.loop().nanos();
        long deadline = arrived + patience(request.getDeadlineMillis());
        Consumer<ErrorCode> begin = code -> {
            load.waited(with.loop().nanos() - arrived);
            ErrorCode now = admission.unlessDropped(code, key);
            if (now == ErrorCode.OK) {
                parts().reads().read(key, request.getAccount(), answer);
            } else {
                answer.accept(admission.readRefused(now));
            }
        };
        with.loop().submit(() -> {
            if (admitAndPay(key, 1)) {
                whenServed(bytes, deadline, begin);
            } else {
                answer.accept(admission.readRefused(ErrorCode.THROTTLED));
            }
        });
    }

    /** On any thread; the reply is given on the caller's or the range's. */
    public void scan(ScanRequest request, Consumer<ScanReply> reply) {
        Scans.Wanted wanted;
        try {
            wanted = Scans.parse(request);
        } catch (Damaged bad) {
            Status status = admission.status(ErrorCode.INVALID, String.valueOf(bad.getMessage()));
            reply.accept(ScanReply.newBuilder().setStatus(status).build());
            return;
        }
        int bytes = request.getSerializedSize();
        Key start = wanted.interval().start();
        ErrorCode refusal = admission.admit(request.getRoute(), start, request.getAccount(), bytes);
        if (refusal != ErrorCode.OK) {
            reply.accept(admission.scanRefused(refusal));
            return;
        }
        Consumer<ScanReply> answer = admission.counting(reply, request.getAccount(), bytes);
        long arrived = with.loop().nanos();
        long deadline = arrived + patience(request.getDeadlineMillis());
        Consumer<ErrorCode> begin = code -> {
            load.waited(with.loop().nanos() - arrived);
            ErrorCode now = admission.unlessDropped(code, start);
            if (now != ErrorCode.OK) {
                answer.accept(admission.scanRefused(now));
                return;
            }
            PartitionCounts examined = throttle.counting();
            parts().scans().scan(wanted, deadline, examined, result -> {
                count(start, examined, result);
                answer.accept(result);
            });
        };
        with.loop().submit(() -> {
            if (throttle.admits(start, with.loop().nanos())) {
                whenServed(bytes, deadline, begin);
            } else {
                answer.accept(admission.scanRefused(ErrorCode.THROTTLED));
            }
        });
    }

    private void count(Key start, @Nullable PartitionCounts examined, ScanReply result) {
        if (result.getStatus().getCode() == ErrorCode.OK) {
            load.scanned(start, result);
            if (examined != null) {
                throttle.payScan(start, examined, with.loop().nanos());
            }
            with.metrics().scans.inc();
            with.metrics().entitiesScanned.inc(result.getExamined());
            with.metrics().entitiesReturned.inc(result.getRowsCount());
        }
    }

    /** Its load, as measured last. On any thread. */
    public RangeLoad load() {
        return lastLoad;
    }

    /** How far its timestamps were beyond the limit when it was measured last, in ticks. On any thread. */
    public long timestampsAhead() {
        return timestampsAhead;
    }

    /** A server that had it before has given timestamps from the future, or this one has before its clock was put right. */
    private void judgeTimestamps() {
        long ahead = parts().committer().timestampsAhead();
        timestampsAhead = ahead;
        if (ahead >= Ticks.PER_SECOND && !aheadTold) {
            aheadTold = true;
            LOG.warn(
                    "timestamps are ahead of the masters' clock and rise by a tick each range={} seconds={}",
                    Row.idText(ownership.range()),
                    ahead / Ticks.PER_SECOND);
        } else if (ahead == 0 && aheadTold) {
            aheadTold = false;
            LOG.info("timestamps are those of the clock again range={}", Row.idText(ownership.range()));
        }
    }

    /** Measures the load anew, soon. On any thread. */
    public void measure() {
        with.loop().submit(() -> {
            if (phase() != Phase.CLOSED && parts != null) {
                parts.sizing().ask();
                lastLoad = load.measure(parts.sizing().known(), with.loop().nanos());
                judgeTimestamps();
            }
        });
    }

    private ErrorCode availability(long deadlineNanos) {
        Requests what = phase().requests();
        if (what == Requests.NOT_OWNER) {
            return ErrorCode.NOT_OWNER;
        }
        if (with.loop().nanos() - deadlineNanos >= 0) {
            return ErrorCode.BUSY;
        }
        return what == Requests.BEGIN ? ErrorCode.OK : ErrorCode.UNAVAILABLE;
    }

    private long patience(int millis) {
        return millis <= 0 ? with.settings().deadlineNanos() : millis * 1_000_000L;
    }
}
