package cleave.server.range;

import cleave.model.Damaged;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Limits;
import cleave.model.RequestId;
import cleave.model.entity.FilterCodec;
import cleave.model.entity.FilterEvaluator;
import cleave.model.entity.Projection;
import cleave.server.metrics.Busy;
import cleave.server.metrics.ServerMetrics;
import cleave.server.outside.Readers;
import cleave.server.outside.StoreException;
import cleave.server.policy.PartitionCounts;
import cleave.server.policy.ScanSpec;
import cleave.server.policy.Scanner;
import cleave.server.state.EntityCursor;
import cleave.wire.ErrorCode;
import cleave.wire.ScanEnd;
import cleave.wire.ScanReply;
import cleave.wire.ScanRequest;
import cleave.wire.StepKind;
import cleave.wire.Timing;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A scan: its snapshot is taken in the range's loop, walked on another thread by {@link Walk}, and confirmed like a
 * read.
 */
final class Scan extends PendingRequest {
    private static final Logger LOG = LoggerFactory.getLogger(Scan.class);

    private final KeyRange wanted;
    private final @Nullable FilterEvaluator filter;
    private final Projection projection;
    private final int limit;
    /** Where the request has the answer cut; or where every answer stops. */
    private final int bytesMax;

    private final boolean salvages;
    private final Consumer<ScanReply> reply;
    private @Nullable PartitionCounts examined;
    private @Nullable ScanReply found;
    private long held;
    private @Nullable Boolean confirmed;

    /** Throws {@link Damaged} if the request is malformed. */
    Scan(RangeRequests to, ScanRequest request, Consumer<ScanReply> reply) {
        super(
                to,
                to.outside.metrics().ofScans,
                RequestId.of(request.getRequestHigh(), request.getRequestLow()),
                Steps.of(request.hasTrace(), request.getTrace(), StepKind.STEP_LOOK_UP),
                request.getAccount(),
                request.getSerializedSize(),
                request.getDeadlineMillis());
        KeyRange interval = KeyRange.fromWire(request.getStart(), request.getEnd());
        if (interval == null) {
            throw new Damaged("the scan ends before it starts");
        }
        this.wanted = interval;
        this.filter = request.hasFilter() ? FilterEvaluator.of(FilterCodec.fromWire(request.getFilter())) : null;
        this.projection = Projection.of(request.getSelectList());
        this.limit = request.getLimit() > 0 ? request.getLimit() : Limits.PAGE_ENTITIES_MAX;
        this.bytesMax = request.getBytesMax() > 0
                ? Math.min(request.getBytesMax(), Limits.SCAN_BYTES_MAX)
                : Limits.SCAN_BYTES_MAX;
        this.salvages = request.getSalvage();
        this.reply = reply;
    }

    Key start() {
        return wanted.start();
    }

    /** It is charged afterwards for the entities that it examined. */
    @Override
    @Nullable
    String excess() {
        return to.admission.excess(start());
    }

    @Override
    void proceed(ErrorCode code) {
        super.proceed(to.waited(this, start(), code));
    }

    @Override
    void execute() {
        ScanSpec spec = spec(to.ownership.interval());
        EntityCursor cursor;
        try {
            cursor = salvages ? to.store().salvage(spec.interval()) : to.store().cursor(spec.interval());
        } catch (StoreException failure) {
            refuse(to.failures.unreadable(failure));
            return;
        }
        examined = to.admission.counting();
        CompletableFuture<Walked> walk =
                to.outside.readers().submit(account, new Walk(new Scanner(cursor, spec, examined), cursor));
        if (walk == null) {
            cursor.close();
            refuse(Busy.SCANS);
            return;
        }
        asksDfs(to.outside.loop().nanos(), RequestId.NONE);
        to.confirmer().confirm(ended -> {
            confirmed = ended;
            dfsAnswered(to.outside.loop().nanos());
            answerIfBothEnded();
        });
        to.outside.loop().whenDone(walk, this::walked);
    }

    private ScanSpec spec(KeyRange range) {
        KeyRange here = wanted.intersection(range);
        if (here == null) {
            throw new AssertionError("a scan of " + wanted + " was let into " + range);
        }
        return new ScanSpec(
                here,
                range.contains(wanted),
                filter,
                projection,
                limit,
                bytesMax,
                bytesMax < Limits.SCAN_BYTES_MAX ? ScanEnd.CUT : ScanEnd.STOPPED);
    }

    private void walked(@Nullable Walked end, @Nullable Throwable failure) {
        if (steps != null) {
            steps.scanned(to.outside.loop().nanos());
        }
        ErrorCode refused = ErrorCode.UNAVAILABLE;
        if (failure instanceof StoreException unreadable) {
            refused = to.failures.unreadable(unreadable);
        } else if (failure != null) {
            LOG.error("scan failed", failure);
        }
        if (end != null) {
            to.load.worked(end.nanos());
            held = end.reply().getSerializedSize();
        }
        found = end == null ? refusal(refused, to.textOf(refused)) : end.reply();
        answerIfBothEnded();
    }

    /** Joins the end of the walk with the confirmation of its snapshot. */
    private void answerIfBothEnded() {
        ScanReply end = found;
        if (end == null || confirmed == null) {
            return;
        }
        to.admission.letGo(account, held);
        if (confirmed) {
            count(end);
            answer(end);
        } else {
            refuse(ErrorCode.UNAVAILABLE);
        }
    }

    private void count(ScanReply end) {
        if (end.getStatus().getCode() == ErrorCode.OK) {
            to.load.scanned(start(), end);
            if (examined != null) {
                to.admission.payScan(start(), examined);
            }
            ServerMetrics metrics = to.outside.metrics();
            metrics.scans.inc();
            metrics.entitiesScanned.inc(end.getExamined());
            metrics.entitiesReturned.inc(end.getRowsCount());
        }
    }

    @Override
    void refuse(ErrorCode code, String message) {
        answer(refusal(code, message));
    }

    private ScanReply refusal(ErrorCode code, String message) {
        return ScanReply.newBuilder().setStatus(to.status(code, message)).build();
    }

    private void answer(ScanReply end) {
        leave();
        Timing timing = timing(end.getStatus().getCode());
        reply.accept(timing != null || isWorthReporting() ? reporting(end, timing) : end);
        answered(end.getStatus().getCode());
    }

    private ScanReply reporting(ScanReply end, @Nullable Timing timing) {
        ScanReply.Builder reporting =
                end.toBuilder().setQueueMicros(queueMicros()).setDfsMicros(dfsMicros());
        return timing == null ? reporting.build() : reporting.setTiming(timing).build();
    }

    /** The result of a walk, which is held in memory until it is answered, and its duration. */
    private record Walked(ScanReply reply, long nanos) {}

    /**
     * The walk of a scan. Its slice of time passes only while a thread executes it, or else scans that wait for a
     * thread would make hardly any progress. Confined to one turn at a time.
     */
    private final class Walk implements Readers.Scan<Walked> {
        private final Scanner scanner;
        private final EntityCursor cursor;
        private long walkedNanos;
        private long walkedBytes;

        Walk(Scanner scanner, EntityCursor cursor) {
            this.scanner = scanner;
            this.cursor = cursor;
        }

        private ScanReply late() {
            to.outside.metrics().busy(Busy.DEADLINE);
            return refusal(ErrorCode.BUSY, Busy.DEADLINE.text());
        }

        @Override
        public @Nullable Walked go(Readers.Turn turn) {
            boolean pauses = false;
            Walked whole = null;
            try {
                long began = to.outside.loop().nanos();
                ScanReply end = isTooLate(began) ? late() : walked(turn, sliceEnd(began));
                walkedNanos += to.outside.loop().nanos() - began;
                hold(end == null ? scanner.bytes() : end.getSerializedSize());
                pauses = end == null;
                whole = end == null ? null : new Walked(end, walkedNanos);
                return whole;
            } finally {
                if (!pauses) {
                    cursor.close();
                }
                if (!pauses && whole == null) {
                    hold(0); // It failed, so what it found goes to nobody.
                }
            }
        }

        /** Answers with the entities before the damage. A client that continues from there meets it at once. */
        private @Nullable ScanReply walked(Readers.Turn turn, long stopNanos) {
            try {
                return scanner.go(to.outside.loop()::nanos, stopNanos, turn::isOver);
            } catch (StoreException failure) {
                ScanReply before =
                        failure.kind() == StoreException.Kind.STORED_DAMAGE ? scanner.stoppedByDamage() : null;
                if (before == null) {
                    throw failure;
                }
                return before;
            }
        }

        /** A walk that has begun ends with its results so far. */
        private boolean isTooLate(long began) {
            return walkedNanos == 0 && (isLate(began) || !to.admission.hasMemory(account));
        }

        private long sliceEnd(long began) {
            return Math.min(deadlineNanos, began + to.outside.settings().scanSliceNanos() - walkedNanos);
        }

        private void hold(long now) {
            to.admission.hold(account, now - walkedBytes);
            walkedBytes = now;
        }
    }
}
