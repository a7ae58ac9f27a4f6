package cleave.server.loop;

import cleave.model.Row;
import cleave.wire.ErrorCode;
import cleave.wire.HandoffOrderSource;
import cleave.wire.Status;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A range as the source of a handoff: it publishes nothing any more, then stops altogether, then goes on or ends. {@link #hold},
 * {@link #stop}, {@link #release} and {@link #end} may be called on any thread and answer in the range's loop; all else is confined
 * to that.
 *
 * <p>Invariant I4: between its seal and the answer to the commit the range serves nothing. If it is released then, only a publish of
 * a new log under the row's version shows that the range is still owned; if that succeeds, a late commit finds the version moved and
 * is refused.
 */
final class Source {
    private static final Logger LOG = LoggerFactory.getLogger(Source.class);

    private final Ingredients with;
    private final Range range;
    private final CommitLog log;
    private final Publisher publisher;
    private final Committer committer;
    private final Confirmer confirmer;
    private Phase phase = Phase.FREE;
    private @Nullable CompletableFuture<Row> held;
    private @Nullable CompletableFuture<Void> stopped;
    private @Nullable CompletableFuture<Boolean> released;
    private @Nullable Consumer<Status> broken;
    private @Nullable Object holder;

    private enum Phase {
        FREE,
        /** A last checkpoint is made, so that what a target replays is short. */
        SHORTENING,
        /** Nothing is published: versions, manifest and the set of logs stay as they are. */
        HELD,
        /** Requests wait; what is in flight ends. */
        DRAINING,
        /** The log is sealed, or about to be. */
        SEALING,
        /** Given up: the range serves nothing until its log takes appends again. */
        RESUMING,
        ENDED
    }

    Source(
            Ingredients with,
            Range range,
            CommitLog log,
            Publisher publisher,
            Committer committer,
            Confirmer confirmer) {
        this.with = with;
        this.range = range;
        this.log = log;
        this.publisher = publisher;
        this.committer = committer;
        this.confirmer = confirmer;
    }

    /**
     * Brings the range to publish nothing until it is released or ended; answers its row. Others find it busy. {@code onBroken} is told inside the loop if
     * the log fails before the range has stopped: then it is released.
     */
    CompletableFuture<Row> hold(Object by, HandoffOrderSource ordered, Consumer<Status> onBroken) {
        CompletableFuture<Row> answer = new CompletableFuture<>();
        with.loop().submit(() -> {
            Row row = publisher.row();
            if (phase == Phase.ENDED || !range.ownership().agreesWith(ordered.getRoute())) {
                answer.completeExceptionally(new Refused(ErrorCode.NOT_OWNER, "not served here so: " + row));
            } else if (phase != Phase.FREE) {
                answer.completeExceptionally(new Refused(ErrorCode.BUSY, "another handoff is under way: " + row));
            } else if (row.version() != ordered.getVersion()) {
                answer.completeExceptionally(new Refused(
                        ErrorCode.STALE_VERSION, "the row is " + row + ", not of version " + ordered.getVersion()));
            } else {
                phase = Phase.SHORTENING;
                holder = by;
                held = answer;
                broken = onBroken;
                publisher.shorten();
                advance();
            }
        });
        return answer;
    }

    /** Lets requests wait, drains what is in flight, and seals the log. Only when held. */
    CompletableFuture<Void> stop(Object by) {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        with.loop().submit(() -> {
            if (phase != Phase.HELD || holder != by) {
                answer.completeExceptionally(new Refused(ErrorCode.UNAVAILABLE, "the range is not held any more"));
                return;
            }
            phase = Phase.DRAINING;
            stopped = answer;
            range.putOff(committer.takeQueue());
            advance();
        });
        return answer;
    }

    /** Gives the handoff up. Answers true when the range serves again, which proves that no commit of it ever will succeed. */
    CompletableFuture<Boolean> release(Object by) {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        with.loop().submit(() -> {
            if (phase == Phase.ENDED || holder != by) {
                answer.complete(phase != Phase.ENDED);
                return;
            }
            released = answer;
            resume();
        });
        return answer;
    }

    /** The handoff is committed, and others serve what was here. */
    void end(String why) {
        range.stop(why);
    }

    /** True while the range may publish nothing. */
    boolean holdsStill() {
        return phase == Phase.HELD || phase == Phase.DRAINING || phase == Phase.SEALING;
    }

    /** True while requests wait. */
    boolean letsWait() {
        return phase == Phase.DRAINING || phase == Phase.SEALING || phase == Phase.RESUMING;
    }

    /** To be called whenever something has ended that a phase waits for. */
    void advance() {
        if (phase == Phase.SHORTENING && log.takesAppends() && publisher.isQuiet()) {
            phase = Phase.HELD;
            complete(held, publisher.row());
        } else if (phase == Phase.DRAINING && committer.isIdle() && confirmer.isIdle() && log.inFlight() == 0) {
            phase = Phase.SEALING;
            log.seal();
        }
    }

    /** The log is sealed for ever. */
    void sealed() {
        if (phase == Phase.SEALING && stopped != null) {
            stopped.complete(null);
        }
    }

    /** The log failed by itself: it is replaced, which is a publish, and so the handoff is over. */
    void broken(Throwable why) {
        if (phase == Phase.HELD || phase == Phase.DRAINING) {
            Status status = Status.newBuilder()
                    .setCode(ErrorCode.UNAVAILABLE)
                    .setMessage("the commit log failed: " + why.getMessage())
                    .build();
            Consumer<Status> told = broken;
            resume();
            if (told != null) {
                told.accept(status);
            }
        }
    }

    private void resume() {
        phase = Phase.RESUMING;
        broken = null;
        fail(held, "given up");
        fail(stopped, "given up");
        if (log.takesAppends()) {
            resumed();
        } else {
            range.askForLog(); // Whether the row is still owned, only the next publish tells.
        }
    }

    /** The log takes appends. */
    void resumed() {
        if (phase == Phase.RESUMING) {
            LOG.info("range goes on, the handoff was given up range={}", publisher.row());
            phase = Phase.FREE;
            holder = null;
            range.goOn();
            complete(released, true);
            publisher.resumed();
        }
        advance();
    }

    /** The range is not served here any more. */
    void close() {
        phase = Phase.ENDED;
        broken = null;
        fail(held, "the range was closed");
        fail(stopped, "the range was closed");
        complete(released, false);
    }

    private static <T> void complete(@Nullable CompletableFuture<T> future, T value) {
        if (future != null) {
            future.complete(value);
        }
    }

    private static void fail(@Nullable CompletableFuture<?> future, String why) {
        if (future != null) {
            future.completeExceptionally(new Refused(ErrorCode.UNAVAILABLE, why));
        }
    }
}
