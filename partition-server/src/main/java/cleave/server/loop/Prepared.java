package cleave.server.loop;

import cleave.loop.EventLoop;
import cleave.model.Incarnation;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.wire.ErrorCode;
import cleave.wire.FinishReply;
import cleave.wire.FinishRequest;
import cleave.wire.PrepareReply;
import cleave.wire.PrepareRequest;
import cleave.wire.RangeRow;
import cleave.wire.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The targets that one incarnation prepares for handoffs. Confined to the membership's loop.
 *
 * <p>A target is finished by the owner of its sources, or by a master's order for the row that names its manifest, whichever comes
 * first. One that nobody finishes is forgotten after a while; its files are left to the sweep then, for a commit may still come: in
 * that case the row is opened by order.
 */
final class Prepared {
    private static final Logger LOG = LoggerFactory.getLogger(Prepared.class);
    private static final long PREPARE_NANOS_MOST = 600_000_000_000L;
    private static final long FORGET_NANOS = 60_000_000_000L;
    private static final int TARGETS_MAX = 64;

    private final Incarnation self;
    private final EventLoop loop;
    private final Host host;
    private final List<Entry> entries = new ArrayList<>();

    /** What a target needs of the server that it is for. */
    interface Host {
        /** For a range whose id is not known yet. */
        Ingredients ingredients();

        /** True if this very row is served. */
        boolean serves(Row row);

        /** Called inside the range's loop; answers in the membership's loop when it is served. */
        CompletableFuture<Void> serve(Ingredients with, Opened opened);
    }

    /** One target on its way. */
    private static final class Entry {
        final long handoff;
        final Target target;
        private @Nullable String manifest;
        private @Nullable CompletableFuture<Void> serving;

        Entry(long handoff, Target target) {
            this.handoff = handoff;
            this.target = target;
        }
    }

    Prepared(Incarnation self, EventLoop loop, Host host) {
        this.self = self;
        this.loop = loop;
        this.host = host;
    }

    CompletableFuture<PrepareReply> prepare(PrepareRequest request) {
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
            return refused(ErrorCode.INVALID, "no range, or no sources of it");
        }
        if (entries.size() >= TARGETS_MAX) {
            return refused(ErrorCode.BUSY, "too many handoffs are being prepared");
        }
        LOG.info("preparing handoff={} interval={} from={}", request.getHandoff(), interval, sources);
        Entry entry = new Entry(request.getHandoff(), new Target(host.ingredients(), interval, sources));
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
        Hop.back(loop, entry.target.prepare(), (manifest, failure) -> {
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
                    forget(entry, "nobody finished it", false);
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

    CompletableFuture<FinishReply> finish(FinishRequest request) {
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
        CompletableFuture<Void> serving = finish(row);
        if (serving == null) {
            return host.serves(row)
                    ? ended(ErrorCode.OK, "")
                    : ended(ErrorCode.NOT_FOUND, "nothing is prepared here for " + row);
        }
        return serving.handle((nothing, failure) -> FinishReply.newBuilder()
                .setStatus(failure == null ? Status.getDefaultInstance() : Refused.statusOf(Hop.unwrap(failure)))
                .build());
    }

    private static CompletableFuture<FinishReply> ended(ErrorCode code, String message) {
        return CompletableFuture.completedFuture(
                FinishReply.newBuilder().setStatus(status(code, message)).build());
    }

    private static Status status(ErrorCode code, String message) {
        return Status.newBuilder().setCode(code).setMessage(message).build();
    }

    /** Brings the target of a committed row to be served; null if none is prepared for it. */
    @Nullable
    CompletableFuture<Void> finish(Row row) {
        for (Entry entry : entries) {
            if (row.manifest() != null && row.manifest().equals(entry.manifest) && self.equals(row.owner())) {
                if (entry.serving == null) {
                    entry.serving = finish(entry, row);
                }
                return entry.serving;
            }
        }
        return null;
    }

    private CompletableFuture<Void> finish(Entry entry, Row row) {
        CompletableFuture<Void> serving = new CompletableFuture<>();
        Ingredients with = entry.target.ingredients();
        CompletableFuture<Void> served =
                entry.target.finish(row).thenCompose(opened -> host.serve(with, opened)); // Inside the range's loop.
        Hop.back(loop, served, (nothing, failure) -> {
            entries.remove(entry);
            if (failure == null) {
                serving.complete(null);
            } else {
                LOG.warn("prepared range could not be finished row={} reason={}", row, String.valueOf(failure));
                entry.target.forget("it could not be finished", false); // The row names its files.
                serving.completeExceptionally(failure);
            }
        });
        return serving;
    }

    private void forget(Entry entry, String why, boolean wipes) {
        if (entries.remove(entry)) {
            LOG.info("forgetting what was prepared handoff={} why={}", entry.handoff, why);
            entry.target.forget(why, wipes);
        }
    }

    /** The incarnation has ended: nothing is prepared any more. What was made is left, for a commit may come. */
    void end() {
        for (Entry entry : List.copyOf(entries)) {
            forget(entry, "the incarnation has ended", false);
        }
    }
}
