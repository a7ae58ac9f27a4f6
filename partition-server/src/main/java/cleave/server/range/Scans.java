package cleave.server.range;

import cleave.model.Damaged;
import cleave.model.KeyRange;
import cleave.model.Limits;
import cleave.model.entity.FilterCodec;
import cleave.model.entity.FilterEvaluator;
import cleave.model.entity.Projection;
import cleave.server.outside.RangeStore;
import cleave.server.outside.Readers;
import cleave.server.outside.StoreException;
import cleave.server.policy.LoadMeter;
import cleave.server.policy.PartitionCounts;
import cleave.server.policy.ScanSpec;
import cleave.server.policy.Scanner;
import cleave.server.state.EntityCursor;
import cleave.wire.ErrorCode;
import cleave.wire.ScanReply;
import cleave.wire.ScanRequest;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The scans of one range: the snapshot is taken in the range's loop, walked beside it, and confirmed like a read. Confined to the
 * range's loop, but for {@link #parse}.
 */
final class Scans {
    private static final Logger LOG = LoggerFactory.getLogger(Scans.class);

    private final RangeContext with;
    private final RangeStore store;
    private final Confirmer confirmer;
    private final Admission admission;
    private final LoadMeter load;
    private final Range range;

    Scans(RangeContext with, RangeStore store, Confirmer confirmer, Admission admission, LoadMeter load, Range range) {
        this.with = with;
        this.store = store;
        this.confirmer = confirmer;
        this.admission = admission;
        this.load = load;
        this.range = range;
    }

    /** What a request asks for, and whose it is. Immutable. */
    record Wanted(KeyRange interval, @Nullable FilterEvaluator filter, Projection projection, int limit, int account) {}

    /** On any thread. {@link Damaged} if the request is none. */
    static Wanted parse(ScanRequest request) {
        KeyRange interval = KeyRange.fromWire(request.getStart(), request.getEnd());
        if (interval == null) {
            throw new Damaged("the scan ends before it starts");
        }
        return new Wanted(
                interval,
                request.hasFilter() ? FilterEvaluator.of(FilterCodec.fromWire(request.getFilter())) : null,
                Projection.of(request.getSelectList()),
                request.getLimit() > 0 ? request.getLimit() : Limits.PAGE_ENTITIES_MAX,
                request.getAccount());
    }

    /** What a walk found, which takes room until it is answered, and how long it took. */
    private record Walk(ScanReply reply, long nanos) {}

    private static KeyRange here(Wanted wanted, KeyRange range) {
        KeyRange here = wanted.interval().intersection(range);
        if (here == null) {
            throw new AssertionError("a scan of " + wanted.interval() + " was let into " + range);
        }
        return here;
    }

    /** @param counts told what is examined; null if nobody wants to know */
    void scan(Wanted wanted, long deadline, @Nullable PartitionCounts counts, Consumer<ScanReply> answer) {
        KeyRange interval = range.ownership().interval();
        KeyRange here = here(wanted, interval);
        EntityCursor cursor;
        try {
            cursor = store.cursor(here);
        } catch (StoreException failure) {
            range.storeFailed(failure);
            answer.accept(admission.scanRefused(ErrorCode.UNAVAILABLE));
            return;
        }
        Scanner scanner = new Scanner(cursor, spec(wanted, interval), counts);
        CompletableFuture<Walk> result =
                with.readers().submit(wanted.account(), new Walking(wanted, scanner, cursor, deadline));
        if (result == null) {
            cursor.close();
            answer.accept(admission.scanRefused(ErrorCode.BUSY));
        } else {
            new Ending(wanted.account(), answer).await(result);
        }
    }

    private static ScanSpec spec(Wanted wanted, KeyRange range) {
        return new ScanSpec(
                here(wanted, range),
                range.contains(wanted.interval()),
                wanted.filter(),
                wanted.projection(),
                wanted.limit(),
                Limits.SCAN_BYTES_MAX);
    }

    /**
     * The walk of a scan. Its slice of time passes only while a thread walks: else scans that waited for one would do next to nothing,
     * again and again. Confined to one turn after the other.
     */
    private final class Walking implements Readers.Scan<Walk> {
        private final Wanted wanted;
        private final Scanner scanner;
        private final EntityCursor cursor;
        private final long deadline;
        private long walkedNanos;
        private long held;

        Walking(Wanted wanted, Scanner scanner, EntityCursor cursor, long deadline) {
            this.wanted = wanted;
            this.scanner = scanner;
            this.cursor = cursor;
            this.deadline = deadline;
        }

        @Override
        public @Nullable Walk go(Readers.Turn turn) {
            boolean pauses = false;
            try {
                long began = with.loop().nanos();
                ScanReply reply = isLate(began) ? admission.scanRefused(ErrorCode.BUSY) : walk(began, turn);
                walkedNanos += with.loop().nanos() - began;
                hold(reply == null ? scanner.bytes() : reply.getSerializedSize());
                pauses = reply == null;
                return reply == null ? null : new Walk(reply, walkedNanos);
            } finally {
                if (!pauses) {
                    cursor.close();
                }
            }
        }

        /** What has begun ends with what it has. */
        private boolean isLate(long began) {
            return walkedNanos == 0 && (began - deadline >= 0 || !with.budget().admits(wanted.account()));
        }

        private @Nullable ScanReply walk(long began, Readers.Turn turn) {
            long sliceEnd = began + with.settings().scanSliceNanos() - walkedNanos;
            return scanner.go(with.loop()::nanos, Math.min(deadline, sliceEnd), turn::isOver);
        }

        private void hold(long bytes) {
            with.budget().take(wanted.account(), bytes - held);
            held = bytes;
        }
    }

    /** Joins the end of a walk with the proof that its snapshot was the truth. */
    private final class Ending {
        private final int account;
        private final Consumer<ScanReply> answer;
        private @Nullable ScanReply result;
        private long held;
        private @Nullable Boolean confirmed;

        Ending(int account, Consumer<ScanReply> answer) {
            this.account = account;
            this.answer = answer;
        }

        void await(CompletableFuture<Walk> walk) {
            confirmer.confirm(ended -> {
                confirmed = ended;
                answerIfBothEnded();
            });
            Hop.back(with.loop(), walk, (walked, failure) -> {
                if (failure != null) {
                    LOG.error("scan failed", failure);
                }
                if (walked != null) {
                    load.worked(walked.nanos());
                    held = walked.reply().getSerializedSize();
                }
                result = walked == null ? admission.scanRefused(ErrorCode.UNAVAILABLE) : walked.reply();
                answerIfBothEnded();
            });
        }

        private void answerIfBothEnded() {
            ScanReply end = result;
            if (end == null || confirmed == null) {
                return;
            }
            with.budget().give(account, held);
            answer.accept(confirmed ? end : admission.scanRefused(ErrorCode.UNAVAILABLE));
        }
    }
}
