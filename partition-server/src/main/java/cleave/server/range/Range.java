package cleave.server.range;

import cleave.dfs.DfsFile;
import cleave.model.AccountNumber;
import cleave.model.Damaged;
import cleave.model.Key;
import cleave.model.Row;
import cleave.model.Ticks;
import cleave.model.manifest.DroppedTables;
import cleave.model.table.Registry;
import cleave.server.outside.RangeStore;
import cleave.server.outside.StoreException;
import cleave.server.policy.Judgement;
import cleave.server.policy.LoadMeter;
import cleave.server.policy.PartitionCounts;
import cleave.server.policy.PartitionThrottle;
import cleave.server.policy.WriteCheck;
import cleave.server.state.Effect;
import cleave.server.state.LogPosition;
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
 * One range, served under one epoch. Its requests may be called from any thread; everything behind them is confined to the
 * range's loop.
 *
 * <p>Invariant I2: the log is the lock. A write is answered when its record is durable, a read when a barrier sent after it has
 * succeeded; whoever takes the range over seals its logs first, and from then on neither can happen here.
 */
public final class Range {
    private static final Logger LOG = LoggerFactory.getLogger(Range.class);

    private final RangeContext with;
    private final Ownership ownership;
    private final Owner owner;
    private final Admission admission;
    private final RangeStore store;
    private final CommitLog log;
    private final Confirmer confirmer;
    private final Committer committer;
    private final Publisher publisher;
    private final Reads reads;
    private final Scans scans;
    private final PartitionThrottle throttle;
    private final LoadMeter load;
    private final Sizing sizing;
    private volatile RangeLoad lastLoad;
    private volatile long timestampsAhead;
    private boolean aheadTold;
    private final Source source;
    private final Waiting waiting;

    /** Whom the range tells about its end. Called inside the range's loop. */
    public interface Owner {
        /** The range is not served here any more. */
        void closed(Range range, String why);

        /** As {@link #closed}, since its local store failed. The row is as it was published last. */
        void failed(Range range, Row row, String why);

        /** A master says that this incarnation is dead. */
        void dead(String why);
    }

    public Range(RangeContext outer, Opened opened, Owner owner) {
        Row row = opened.row();
        this.ownership = new Ownership(row.id(), row.epoch(), row.range());
        this.load = new LoadMeter(ownership, outer.loop().nanos());
        RangeContext with = outer.metered(load::worked);
        this.with = with;
        this.owner = owner;
        this.admission = new Admission(ownership, opened.dropped(), with);
        this.store = opened.store();
        this.log = new CommitLog(with.loop(), with.dfs(), opened.log(), new LogEvents());
        this.confirmer = new Confirmer(with.loop(), log, with.metrics(), this::advanced);
        this.committer = new Committer(
                with,
                log,
                confirmer,
                store,
                new Committer.Floor(opened.highestTimestamp(), opened.dropped()),
                new CommitEvents());
        this.publisher = new Publisher(with, with.files(row.id(), row.epoch()), store, opened, new PublishSource());
        this.source = new Source(with, this, log, publisher, committer, confirmer);
        this.waiting = new Waiting(with);
        this.reads = new Reads(with, store, confirmer, admission, this::storeFailed, load::read);
        this.scans = new Scans(with, store, confirmer, admission, this::storeFailed, load::worked);
        this.throttle = new PartitionThrottle(with.settings().partitionThrottle());
        this.sizing = new Sizing(with.loop(), store, failure -> {
            if (!admission.isClosed()) {
                storeFailed(failure);
            }
        });
        this.lastLoad = load.measure(null, with.loop().nanos());
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
        ErrorCode verdict = admission.admit(request.getRoute(), key, request.getAccount(), bytes);
        if (verdict != ErrorCode.OK) {
            answer.accept(Queued.failed(verdict, admission.textOf(verdict)));
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
            } else if (mayBegin(key, operations.size())) {
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

    /** False if the partition is asked for too much; else it has paid. */
    private boolean mayBegin(Key key, int entities) {
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
        ErrorCode verdict = admission.admitOrder(request.getRoute(), bytes);
        if (verdict != ErrorCode.OK) {
            answer.accept(Queued.failed(verdict, admission.textOf(verdict)));
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
                committer.submit(request);
            } else {
                request.answer(now, admission.textOf(now));
            }
        });
    }

    /** Tells at once whether a request can be served, or, in the switch of a handoff, when that is over. */
    private void whenServed(long bytes, long deadlineNanos, Consumer<ErrorCode> begin) {
        if (source.letsWait()) {
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
        ErrorCode verdict = admission.admit(request.getRoute(), key, request.getAccount(), bytes);
        if (verdict != ErrorCode.OK) {
            reply.accept(reads.refusal(verdict));
            return;
        }
        Consumer<ReadReply> answer = admission.counting(reply, request.getAccount(), bytes);
        long arrived = with.loop().nanos();
        long deadline = arrived + patience(request.getDeadlineMillis());
        Consumer<ErrorCode> begin = now -> {
            load.waited(with.loop().nanos() - arrived);
            if (now == ErrorCode.OK) {
                reads.read(key, request.getAccount(), answer);
            } else {
                answer.accept(reads.refusal(now));
            }
        };
        with.loop().submit(() -> {
            if (mayBegin(key, 1)) {
                whenServed(bytes, deadline, begin);
            } else {
                answer.accept(reads.refusal(ErrorCode.THROTTLED));
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
        ErrorCode verdict = admission.admit(request.getRoute(), start, request.getAccount(), bytes);
        if (verdict != ErrorCode.OK) {
            reply.accept(scans.refusal(verdict));
            return;
        }
        Consumer<ScanReply> answer = admission.counting(reply, request.getAccount(), bytes);
        long arrived = with.loop().nanos();
        long deadline = arrived + patience(request.getDeadlineMillis());
        Consumer<ErrorCode> begin = now -> {
            load.waited(with.loop().nanos() - arrived);
            if (now != ErrorCode.OK) {
                answer.accept(scans.refusal(now));
                return;
            }
            PartitionCounts examined = throttle.counting();
            scans.scan(wanted, ownership.interval(), deadline, examined, result -> {
                count(start, examined, result);
                answer.accept(result);
            });
        };
        with.loop().submit(() -> {
            if (throttle.admits(start, with.loop().nanos())) {
                whenServed(bytes, deadline, begin);
            } else {
                answer.accept(scans.refusal(ErrorCode.THROTTLED));
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

    /** This range as the source of handoffs. */
    public Source source() {
        return source;
    }

    /** What it is asked for, as measured last. On any thread. */
    public RangeLoad load() {
        return lastLoad;
    }

    /** How far its timestamps were beyond the limit when it was measured last, in ticks. On any thread. */
    public long timestampsAhead() {
        return timestampsAhead;
    }

    /** A server that had it before has given timestamps from the future, or this one has before its clock was put right. */
    private void judgeTimestamps() {
        long ahead = committer.timestampsAhead();
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
            if (!admission.isClosed()) {
                sizing.ask();
                lastLoad = load.measure(sizing.known(), with.loop().nanos());
                judgeTimestamps();
            }
        });
    }

    /** Ends the range here, without a word to anyone: its log and the map decide what becomes of it. On any thread. */
    public void stop(String why) {
        with.loop().submit(() -> close(why));
    }

    private ErrorCode availability(long deadlineNanos) {
        if (admission.isClosed()) {
            return ErrorCode.NOT_OWNER;
        }
        if (with.loop().nanos() - deadlineNanos >= 0) {
            return ErrorCode.BUSY;
        }
        return log.isBroken() ? ErrorCode.UNAVAILABLE : ErrorCode.OK;
    }

    private long patience(int millis) {
        return millis <= 0 ? with.settings().deadlineNanos() : millis * 1_000_000L;
    }

    private void storeFailed(StoreException why) {
        LOG.error("store failed range={}", Row.idText(ownership.range()), why);
        with.loop().submit(() -> {
            if (!admission.isClosed()) {
                with.metrics().storeFailures.inc();
                String reason = "the store failed: " + StoreException.reason(why);
                close(reason);
                owner.failed(this, publisher.row(), reason);
            }
        });
    }

    /** A broken log is replaced, unless the range stands still for a handoff. */
    void askForLog() {
        if (!admission.isClosed() && !source.holdsStill() && log.isBroken() && !log.hasNext()) {
            publisher.requestRoll();
        }
    }

    /** These requests wait until the switch is over, and are told then who serves them. */
    void putOff(List<Queued> requests) {
        requests.forEach(this::begin);
    }

    private void advanced() {
        source.advance();
    }

    private void close(String why) {
        if (admission.isClosed()) {
            return;
        }
        LOG.info("range closed range={} epoch={} why={}", Row.idText(ownership.range()), ownership.epoch(), why);
        admission.close();
        log.close();
        committer.answerQueue(ErrorCode.NOT_OWNER, admission.textOf(ErrorCode.NOT_OWNER));
        confirmer.refuseWaiting();
        publisher.close();
        source.close();
        waiting.end(ErrorCode.NOT_OWNER);
        store.close();
        owner.closed(this, why);
    }

    private final class LogEvents implements CommitLog.Listener {
        @Override
        public void broken(Throwable why) {
            confirmer.refuseWaiting();
            committer.broken();
            source.broken(why);
            askForLog();
        }

        @Override
        public void neverUsed(String path) {
            publisher.neverUsed(path);
        }

        @Override
        public void settled(long length) {
            committer.settled(length);
            source.sealed(length);
        }

        @Override
        public void resumed() {
            LOG.info("range goes on in a new log range={} log={}", Row.idText(ownership.range()), log.path());
            committer.resumed();
            publisher.resumed();
            advanced();
        }

        @Override
        public void lost(Throwable why) {
            close("the commit log is lost: " + why.getMessage());
            committer.lost();
        }
    }

    private final class CommitEvents implements Committer.Events {
        @Override
        public void begun(long waitedNanos) {
            load.waited(waitedNanos);
        }

        @Override
        public void applied(Group group) {
            admission.drop(committer.dropped());
            publisher.logged(group.recordBytes());
            for (Effect effect : group.effects()) {
                if (effect instanceof Effect.DropTable drop) {
                    publisher.dropped(drop.table());
                }
            }
        }

        @Override
        public void advanced() {
            Range.this.advanced();
        }

        @Override
        public void storeFailed(StoreException why) {
            Range.this.storeFailed(why);
        }
    }

    private final class PublishSource implements Publisher.Source {
        @Override
        public DroppedTables dropped() {
            return committer.dropped();
        }

        @Override
        public long highestTimestamp() {
            return committer.highestTimestamp();
        }

        @Override
        public LogPosition logEnd() {
            return new LogPosition(log.path(), log.length(), log.sequence());
        }

        @Override
        public @Nullable LogPosition endOfLogBefore() {
            return log.ended();
        }

        @Override
        public void rolled(DfsFile published) {
            source.published();
            log.rolled(published);
        }

        @Override
        public void lost(String why) {
            close(why);
        }

        @Override
        public void dead(String why) {
            close(why);
            owner.dead(why);
        }

        @Override
        public void checkpointFailed() {
            advanced();
        }

        @Override
        public boolean holdsStill() {
            return source.holdsStill() || log.hasNext();
        }
    }
}
