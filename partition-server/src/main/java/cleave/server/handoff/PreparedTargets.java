package cleave.server.handoff;

import cleave.model.HandoffNumber;
import cleave.model.Incarnation;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.runtime.loop.EventLoop;
import cleave.server.opening.Opening;
import cleave.server.outside.Space;
import cleave.server.range.Directory;
import cleave.server.range.Range;
import cleave.server.range.Refused;
import cleave.wire.ErrorCode;
import cleave.wire.FinishReply;
import cleave.wire.FinishRequest;
import cleave.wire.PrepareReply;
import cleave.wire.PrepareRequest;
import cleave.wire.RangeRow;
import cleave.wire.SealedLog;
import cleave.wire.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The targets that one incarnation prepares for handoffs. Confined to the membership's loop.
 *
 * <p>The owner of the sources finishes a target. A master's order for the row that names its manifest only makes its
 * requests wait: it comes while the sources still serve, and sealing their logs would cut them off. If the sources have
 * not ended after a while, the order takes effect. A target that is never finished is forgotten after a while. Its
 * files are left to the sweep, because a commit may still come; in that case the row is opened by order.
 */
public final class PreparedTargets {
    private static final Logger LOG = LoggerFactory.getLogger(PreparedTargets.class);
    private static final long PREPARE_NANOS_MOST = 600_000_000_000L;
    private static final long FORGET_NANOS = 60_000_000_000L;
    private static final int TARGETS_MAX = 64;

    private final Incarnation self;
    private final EventLoop loop;
    private final Supplier<Range.Outside> ofNewRange;
    private final Directory directory;
    private final Consumer<Range> onServed;
    private final Range.EndListener endListener;
    private final List<Entry> entries = new ArrayList<>();

    /** One target on its way. */
    private static final class Entry {
        final long handoff;
        final PreparedTarget target;
        private @Nullable String manifest;
        private @Nullable Range range;
        private boolean ordered;
        private @Nullable CompletableFuture<Void> serving;

        Entry(long handoff, PreparedTarget target) {
            this.handoff = handoff;
            this.target = target;
        }
    }

    /**
     * @param ofNewRange for ranges whose ids are not known yet
     * @param onServed called inside the loop for each target that is served from now on
     */
    public PreparedTargets(
            Incarnation self,
            EventLoop loop,
            Supplier<Range.Outside> ofNewRange,
            Directory directory,
            Consumer<Range> onServed,
            Range.EndListener endListener) {
        this.self = self;
        this.loop = loop;
        this.ofNewRange = ofNewRange;
        this.directory = directory;
        this.onServed = onServed;
        this.endListener = endListener;
    }

    public CompletableFuture<PrepareReply> prepare(PrepareRequest request) {
        loop.assertInside();
        KeyRange interval = KeyRange.fromWire(request.getStart(), request.getEnd());
        List<Row> sources = new ArrayList<>();
        for (RangeRow wire : request.getSourcesList()) {
            Row source = Row.fromWire(wire);
            if (interval != null && source.range().overlaps(interval)) {
                sources.add(source);
            }
        }
        if (!self.equals(Incarnation.fromWire(request.getTo()))) {
            return refused(ErrorCode.NOT_OWNER, "this is " + self);
        }
        if (interval == null || !interval.isOfWholePartitions() || sources.isEmpty()) {
            return refused(ErrorCode.INVALID, "the range or its sources are missing");
        }
        Range.Outside outside = ofNewRange.get();
        Space space = outside.stores().space();
        if (space.isLow()) {
            return refused(ErrorCode.BUSY, "the disk of " + self + " has " + space);
        }
        if (entries.size() >= TARGETS_MAX) {
            return refused(ErrorCode.BUSY, "too many handoffs are being prepared");
        }
        LOG.info(
                "preparing handoff={} interval={} from={}",
                HandoffNumber.text(request.getHandoff()),
                interval,
                sources);
        Entry entry = new Entry(request.getHandoff(), new PreparedTarget(outside, interval, sources));
        entries.add(entry);
        long patience = request.getDeadlineMillis() == 0
                ? PREPARE_NANOS_MOST
                : Math.min(PREPARE_NANOS_MOST, Integer.toUnsignedLong(request.getDeadlineMillis()) * 1_000_000);
        loop.schedule(patience, () -> {
            if (entry.manifest == null) {
                forget(entry, "it could not be prepared in time", true);
            }
        });
        return prepared(entry);
    }

    private CompletableFuture<PrepareReply> prepared(Entry entry) {
        CompletableFuture<PrepareReply> reply = new CompletableFuture<>();
        loop.whenDone(entry.target.prepare(), (manifest, failure) -> {
            if (manifest == null || !entries.contains(entry)) {
                forget(entry, String.valueOf(failure), true);
                reply.complete(PrepareReply.newBuilder()
                        .setStatus(Refused.statusOf(failure))
                        .build());
                return;
            }
            entry.manifest = manifest;
            loop.schedule(FORGET_NANOS, () -> {
                if (entry.serving == null) {
                    forget(entry, "it was not finished in time", false);
                }
            });
            reply.complete(PrepareReply.newBuilder()
                    .setStatus(Status.getDefaultInstance())
                    .setManifest(manifest)
                    .build());
        });
        return reply;
    }

    private static CompletableFuture<PrepareReply> refused(ErrorCode code, String message) {
        return CompletableFuture.completedFuture(
                PrepareReply.newBuilder().setStatus(status(code, message)).build());
    }

    public CompletableFuture<FinishReply> finish(FinishRequest request) {
        loop.assertInside();
        if (!self.equals(Incarnation.fromWire(request.getTo()))) {
            return ended(ErrorCode.NOT_OWNER, "this is " + self);
        }
        if (!request.hasRow()) {
            for (Entry entry : List.copyOf(entries)) {
                if (entry.handoff == request.getHandoff() && entry.serving == null) {
                    forget(entry, "the handoff was given up", true);
                }
            }
            return ended(ErrorCode.OK, "");
        }
        Row row = Row.fromWire(request.getRow());
        Entry named = of(row);
        if (named == null) {
            return isServed(row)
                    ? ended(ErrorCode.OK, "")
                    : ended(ErrorCode.NOT_FOUND, "nothing is prepared here for " + row);
        }
        return finish(named, row, request.getSealedList())
                .handle((nothing, failure) -> FinishReply.newBuilder()
                        .setStatus(
                                failure == null
                                        ? Status.getDefaultInstance()
                                        : Refused.statusOf(EventLoop.cause(failure)))
                        .build());
    }

    private static CompletableFuture<FinishReply> ended(ErrorCode code, String message) {
        return CompletableFuture.completedFuture(
                FinishReply.newBuilder().setStatus(status(code, message)).build());
    }

    private static Status status(ErrorCode code, String message) {
        return Status.newBuilder().setCode(code).setMessage(message).build();
    }

    private boolean isServed(Row row) {
        Range served = directory.range(row.id());
        return served != null && served.ownership().epoch() == row.epoch();
    }

    /** Makes requests for a committed row wait, if its target is prepared here. */
    void expect(Row row) {
        loop.assertInside();
        Entry entry = of(row);
        if (entry != null) {
            expect(entry, row);
        }
    }

    private Range expect(Entry entry, Row row) {
        Range expected = entry.range;
        if (expected == null) {
            expected = new Range(entry.target.outside(), row, endListener);
            entry.range = expected;
            directory.expect(expected);
        }
        return expected;
    }

    /**
     * Handles a master's order to open this row: true if its target is prepared here, and will be served without
     * another opening.
     */
    public boolean ordered(Row row) {
        loop.assertInside();
        Entry entry = of(row);
        if (entry != null && !entry.ordered) {
            entry.ordered = true;
            expect(row);
            long patience = entry.target.outside().settings().switchNanos();
            loop.schedule(2 * patience, () -> {
                if (entries.contains(entry)) {
                    finish(entry, row, List.of());
                }
            });
        }
        return entry != null;
    }

    private @Nullable Entry of(Row row) {
        return entries.stream()
                .filter(entry ->
                        row.manifest() != null && row.manifest().equals(entry.manifest) && self.equals(row.owner()))
                .findFirst()
                .orElse(null);
    }

    /** Finishes the target of a committed row, so that it is served. */
    private CompletableFuture<Void> finish(Entry entry, Row row, List<SealedLog> sealed) {
        CompletableFuture<Void> begun = entry.serving;
        if (begun != null) {
            return begun;
        }
        CompletableFuture<Void> serving = new CompletableFuture<>();
        entry.serving = serving;
        Range range = expect(entry, row);
        CompletableFuture<Void> served = new CompletableFuture<>();
        // Registered first: a range that is served may close at once, and the directory must hear of both in this
        // order.
        loop.whenDone(served, (nothing, failure) -> {
            boolean expected = entries.remove(entry);
            if (failure == null && expected) {
                LOG.info("serving range={} prepared=true", range.ownership());
                onServed.accept(range);
                serving.complete(null);
                return;
            }
            Throwable why = failure == null ? new Opening.Failed("the incarnation has ended") : failure;
            LOG.warn("prepared range could not be finished row={} reason={}", row, String.valueOf(why));
            entry.target.forget("it could not be finished", false); // The row names its files.
            range.close("it could not be finished");
            serving.completeExceptionally(why);
        });
        entry.target.outside().loop().whenDone(entry.target.finish(row, sealed), (opened, failure) -> {
            if (opened == null) {
                served.completeExceptionally(failure == null ? new Opening.Failed("not opened") : failure);
            } else {
                range.serve(opened);
                served.complete(null);
            }
        });
        return serving;
    }

    private void forget(Entry entry, String why, boolean wipes) {
        if (entries.remove(entry)) {
            LOG.info("forgetting what was prepared handoff={} why={}", HandoffNumber.text(entry.handoff), why);
            entry.target.forget(why, wipes);
            if (entry.range != null) {
                entry.range.close(why);
            }
        }
    }

    /** Ends with the incarnation. The created files are kept, because a commit may still come. */
    public void end() {
        loop.assertInside();
        for (Entry entry : List.copyOf(entries)) {
            forget(entry, "the incarnation has ended", false);
        }
    }
}
