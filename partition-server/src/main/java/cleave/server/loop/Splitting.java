package cleave.server.loop;

import cleave.model.DroppedTables;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Manifest;
import cleave.model.Row;
import cleave.wire.ErrorCode;
import cleave.wire.HandoffRequest;
import cleave.wire.HandoffSource;
import cleave.wire.HandoffTarget;
import cleave.wire.SplitOrder;
import cleave.wire.Status;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The plain form of a split, as the source sees it: the range has stopped and drains; then its log is sealed, one manifest a part
 * is written, and the handoff committed with the source's word. Confined to the range's loop.
 *
 * <p>Invariant I4: between the seal and the answer to the commit the range serves nothing. If the commit is refused, or its outcome
 * unknown, only a publish of a new log under the row's version shows that the range is still owned; if it succeeds, a late commit
 * finds the version moved and is refused.
 */
final class Splitting {
    private final Ingredients with;
    private final SplitOrder order;
    private final Events events;
    private Phase phase = Phase.DRAINING;

    private enum Phase {
        DRAINING,
        SEALING,
        COMMITTING,
        ENDED
    }

    enum Outcome {
        /** The parts have replaced the range. */
        DONE,
        /** The range may still be owned. */
        GIVEN_UP,
        /** A master says that this incarnation is dead. */
        DEAD
    }

    /** What is divided. Immutable. */
    record Source(Row row, Manifest manifest, RangeFiles files, long highestTimestamp, DroppedTables dropped) {}

    /** What the range gives and is told. */
    interface Events {
        Source source();

        /** This file is made for the parts. Should the split come to nothing, the next accepted publish ends it. */
        void made(String path);

        void ended(Outcome outcome, Status status);
    }

    Splitting(Ingredients with, SplitOrder order, Events events) {
        this.with = with;
        this.order = order;
        this.events = events;
    }

    /** Why an order cannot be carried out on a row; null if it can. */
    static @Nullable Status refusal(SplitOrder order, Row row) {
        if (order.getVersion() != row.version()) {
            return status(ErrorCode.STALE_VERSION, "the row is " + row + ", not of version " + order.getVersion());
        }
        if (order.getAtCount() == 0 || order.getOwnersCount() != order.getAtCount() + 1) {
            return status(
                    ErrorCode.INVALID,
                    order.getAtCount() + " split keys make one part more, with an owner each, not "
                            + order.getOwnersCount());
        }
        Key before = row.range().start();
        for (ByteString wire : order.getAtList()) {
            Key at = Key.fromWire(wire);
            if (!at.isBound() || at.compareTo(before) <= 0 || !row.range().contains(at)) {
                return status(ErrorCode.INVALID, at + " does not split " + row.range() + " behind " + before);
            }
            before = at;
        }
        return null;
    }

    private static Status status(ErrorCode code, String message) {
        return Status.newBuilder().setCode(code).setMessage(message).build();
    }

    /** Nothing is in flight and nothing waits. */
    void drained(CommitLog log) {
        if (phase == Phase.DRAINING) {
            phase = Phase.SEALING;
            with.loop().schedule(with.settings().sealNanos(), () -> {
                if (phase == Phase.SEALING) {
                    giveUp(status(ErrorCode.UNAVAILABLE, "the commit log could not be sealed in time"));
                }
            });
            log.seal();
        }
    }

    /** The log is sealed for ever. */
    void sealed() {
        if (phase != Phase.SEALING) {
            return;
        }
        phase = Phase.COMMITTING;
        Source source = events.source();
        HandoffRequest.Builder handoff = HandoffRequest.newBuilder()
                .setBy(with.self().toWire())
                .addSources(HandoffSource.newBuilder()
                        .setRange(source.row().id())
                        .setVersion(source.row().version())
                        .setWord(true));
        CompletableFuture<Void> written = CompletableFuture.completedFuture(null);
        List<KeyRange> parts = parts(source.row().range());
        for (int i = 0; i < parts.size(); i++) {
            String path = source.files().next("manifest");
            events.made(path);
            Manifest part = manifestOf(parts.get(i), source);
            written = written.thenCompose(nothing -> new ManifestFiles(with.dfs()).write(path, part));
            handoff.addTargets(HandoffTarget.newBuilder()
                    .setStart(parts.get(i).startToWire())
                    .setEnd(parts.get(i).endToWire())
                    .setOwner(order.getOwners(i))
                    .setManifest(path));
        }
        Hop.back(with.loop(), written, (nothing, failure) -> {
            if (failure == null) {
                commit(handoff.build());
            } else {
                giveUp(status(ErrorCode.UNAVAILABLE, "the parts' manifests could not be written: " + failure));
            }
        });
    }

    private List<KeyRange> parts(KeyRange whole) {
        List<KeyRange> parts = new ArrayList<>();
        Key start = whole.start();
        for (ByteString wire : order.getAtList()) {
            Key at = Key.fromWire(wire);
            parts.add(new KeyRange(start, at));
            start = at;
        }
        parts.add(new KeyRange(start, whole.end()));
        return parts;
    }

    /** The same checkpoints and logs, in which less counts. */
    private static Manifest manifestOf(KeyRange part, Source source) {
        Manifest narrowed = Opening.narrowed(source.manifest(), part);
        return new Manifest(
                source.row().id(),
                source.row().epoch(),
                narrowed.checkpoints(),
                narrowed.logs(),
                source.highestTimestamp(),
                source.dropped());
    }

    private void commit(HandoffRequest handoff) {
        if (phase != Phase.COMMITTING) {
            return;
        }
        Hop.back(with.loop(), with.masters().commitHandoff(handoff), (reply, failure) -> {
            if (phase != Phase.COMMITTING) {
                return;
            }
            if (reply == null) {
                giveUp(status(ErrorCode.UNKNOWN_OUTCOME, "nobody answered how the commit ended: " + failure));
                return;
            }
            switch (reply.getStatus().getCode()) {
                case OK -> end(Outcome.DONE, reply.getStatus());
                case DEAD_INCARNATION -> end(Outcome.DEAD, reply.getStatus());
                default -> giveUp(reply.getStatus());
            }
        });
    }

    /** The log failed before it was sealed for the split. */
    void failed(Throwable why) {
        giveUp(status(ErrorCode.UNAVAILABLE, "the commit log failed: " + why.getMessage()));
    }

    /** The range is gone. */
    void close() {
        end(Outcome.GIVEN_UP, status(ErrorCode.NOT_OWNER, "the range was closed"));
    }

    private void giveUp(Status status) {
        end(Outcome.GIVEN_UP, status);
    }

    private void end(Outcome outcome, Status status) {
        if (phase != Phase.ENDED) {
            phase = Phase.ENDED;
            events.ended(outcome, status);
        }
    }
}
