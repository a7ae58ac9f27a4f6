package cleave.server.opening;

import cleave.dfs.DfsFile.Purpose;
import cleave.model.Fence;
import cleave.model.Row;
import cleave.server.outside.Backoffs;
import cleave.server.range.Opened;
import cleave.server.range.Range;
import cleave.wire.CommandReply;
import cleave.wire.HandoffRequest;
import cleave.wire.HandoffSource;
import cleave.wire.HandoffTarget;
import cleave.wire.PublishRequest;
import cleave.wire.RangeRow;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt to open a range by order of a master: a new range, one whose owner is dead, or one that this server
 * already owns after a handoff that it has not prepared, or has forgotten. Confined to the range's loop.
 *
 * <p>It runs the procedure of {@link Preparation} without the cooperation of a source: it seals every log of the
 * manifest at once, replays them, and commits: by a publish if this incarnation owns the row, otherwise by a handoff.
 * It answers no request before the commit has succeeded. If the row has changed the attempt ends; the next one begins
 * with the next order.
 *
 * <p>Invariant I2: the seals come first, and only by an order, which a master gives only after the owner was declared
 * dead. The commit is refused if the row was published since it was read, because it then names a log that was not
 * sealed here. It names the owner's fence, which is sealed meanwhile; the masters refuse a takeover without that.
 *
 * <p>Invariant I9: the files made here are deleted only if no commit was sent. Whatever is answered then: it may have been sent twice, and
 * executed before the row moved on, to an owner who reads these files. The sweep deletes them if nobody does.
 */
public final class Opening {
    private static final Logger LOG = LoggerFactory.getLogger(Opening.class);

    private final Range.Outside outside;
    private final Row order;
    private final List<Fence> fences;
    private final CompletableFuture<Void> fenced;
    private final Preparation preparation;
    private final CompletableFuture<Opened> done = new CompletableFuture<>();
    private boolean commitSent;

    /**
     * @param fences that must be sealed before the range is taken over
     * @param fenced completes when they are
     * @param turns of the range's loop
     * @param rank among openings: the lowest come first
     */
    public Opening(
            Range.Outside outside,
            Row order,
            List<Fence> fences,
            CompletableFuture<Void> fenced,
            ReplayTurns turns,
            long rank) {
        this.outside = outside;
        this.order = order;
        this.fences = fences;
        this.fenced = fenced;
        this.preparation = new Preparation(outside, order.range(), List.of(order), turns, rank);
    }

    /** Why an attempt ended without a range. */
    public static final class Failed extends RuntimeException {
        private static final long serialVersionUID = 1;

        public Failed(String reason) {
            super(reason);
        }
    }

    /** The master says that this incarnation is dead. */
    public static final class DeadIncarnation extends RuntimeException {
        private static final long serialVersionUID = 1;

        public DeadIncarnation(String reason) {
            super(reason);
        }
    }

    /** The row as it was ordered. */
    public Row order() {
        return order;
    }

    /** Grows with each step that is done. Thread-safe. */
    public long progress() {
        return preparation.progress();
    }

    /** Completes inside the loop. */
    public CompletableFuture<Opened> run() {
        outside.loop().assertInside();
        then(preparation.read(), nothing -> {
            CompletableFuture<String> opened = preparation.open(Purpose.SERVING);
            then(
                    preparation.seal(List.of()),
                    replayed -> then(opened, manifest -> then(fenced, nowSealed -> commit(manifest, 0))));
        });
        return done;
    }

    /** Gives up, unless it has ended. Thread-safe. */
    public void cancel() {
        outside.loop().submit(() -> fail(new Failed("given up")));
    }

    private void commit(String path, int failures) {
        if (done.isDone()) {
            return;
        }
        commitSent = true;
        CompletableFuture<CommandReply> answer = outside.self().equals(order.owner())
                ? outside.masters().publish(publish(path))
                : outside.masters().commitHandoff(handoff(path));
        outside.loop().whenDone(answer, (reply, failure) -> {
            if (done.isDone()) {
                return;
            }
            if (reply == null) {
                commitLater(path, failures + 1, String.valueOf(failure));
                return;
            }
            switch (reply.getStatus().getCode()) {
                case OK, STALE_VERSION -> committed(reply, path);
                case DEAD_INCARNATION ->
                    fail(new DeadIncarnation(reply.getStatus().getMessage()));
                case NOT_LEADER, UNAVAILABLE, BUSY, UNKNOWN_OUTCOME ->
                    commitLater(path, failures + 1, reply.getStatus().toString());
                default -> fail(new Failed("the commit was refused: " + reply.getStatus()));
            }
        });
    }

    /** Sends the commit until there is an answer, since nothing else shows its outcome. */
    private void commitLater(String path, int failures, String reason) {
        LOG.info("commit put off range={} failures={} reason={}", Row.idText(order.id()), failures, reason);
        outside.loop().schedule(Backoffs.CALLS.nanos(failures), () -> commit(path, failures));
    }

    private PublishRequest publish(String path) {
        return PublishRequest.newBuilder()
                .setIncarnation(outside.self().toWire())
                .setRange(order.id())
                .setVersion(order.version())
                .setManifest(path)
                .build();
    }

    private HandoffRequest handoff(String path) {
        return HandoffRequest.newBuilder()
                .setBy(outside.self().toWire())
                .addAllSealed(fences.stream().map(Fence::toWire).toList())
                .addSources(HandoffSource.newBuilder().setRange(order.id()).setVersion(order.version()))
                .addTargets(HandoffTarget.newBuilder()
                        .setStart(order.range().startToWire())
                        .setEnd(order.range().endToWire())
                        .setOwner(outside.self().toWire())
                        .setManifest(path))
                .build();
    }

    private void committed(CommandReply reply, String path) {
        for (RangeRow wire : reply.getRowsList()) {
            Row row = Row.fromWire(wire);
            if (outside.self().equals(row.owner()) && path.equals(row.manifest())) {
                done.complete(preparation.opened(row));
                return;
            }
        }
        fail(new Failed("the row has moved: " + reply.getStatus()));
    }

    private <T> void then(CompletableFuture<T> step, Consumer<T> next) {
        outside.loop().whenDone(step, (result, failure) -> {
            if (done.isDone()) {
                return;
            }
            if (failure != null) {
                fail(failure);
            } else {
                next.accept(result);
            }
        });
    }

    private void fail(Throwable why) {
        if (!done.completeExceptionally(why)) {
            return;
        }
        preparation.end(why, !commitSent);
    }
}
