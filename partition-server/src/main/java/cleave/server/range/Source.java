package cleave.server.range;

import cleave.model.Row;
import cleave.wire.ErrorCode;
import cleave.wire.HandoffOrderSource;
import cleave.wire.SealedLog;
import cleave.wire.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A range as the source of a handoff: it publishes nothing any more, and when that is known to be committed, it stops. {@link #hold},
 * {@link #stop}, {@link #release} and {@link #end} may be called on any thread and answer in the range's loop; all else is confined
 * to that.
 *
 * <p>Invariant I2: the range serves on its log until that is sealed, whoever owns the row by then; the targets serve only when it is.
 * So it need not know whether a commit is on its way: nothing waits for that, and a handoff that is given up leaves nothing behind
 * here but the doubt, which ends with the next publish: if that succeeds, a late commit finds the version moved and is refused.
 */
public final class Source {
    private static final Logger LOG = LoggerFactory.getLogger(Source.class);

    private final RangeContext with;
    private final Range range;
    private final CommitLog log;
    private final Publisher publisher;
    private final Committer committer;
    private final Confirmer confirmer;
    private Phase phase = Phase.FREE;
    private @Nullable CompletableFuture<Row> held;
    private @Nullable CompletableFuture<SealedLog> stopped;
    private @Nullable Consumer<Status> broken;
    private @Nullable Object holder;
    /** They wait for a publish, which tells that the row is as it was. */
    private final List<CompletableFuture<Boolean>> inDoubt = new ArrayList<>();

    private enum Phase {
        FREE,
        /** A last checkpoint is made, if that succeeds, so that what a target replays is short. */
        SHORTENING,
        /** Nothing is published: versions, manifest and the set of logs stay as they are. */
        HELD,
        /** Committed. Requests wait; what is in flight ends. */
        DRAINING,
        /** The log is sealed, or about to be. */
        SEALING,
        ENDED
    }

    Source(
            RangeContext with,
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
     * Brings the range to publish nothing until it is released or ended; answers its row. Others find it busy. {@code onBroken} is told
     * inside the loop if the log fails before the range was stopped: then it is released, for a new log is a publish.
     */
    public CompletableFuture<Row> hold(Object by, HandoffOrderSource ordered, Consumer<Status> onBroken) {
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

    /**
     * Lets requests wait, drains what is in flight, and seals the log; answers its length. Only when the handoff is known to be
     * committed: there is no way back.
     */
    public CompletableFuture<SealedLog> stop(Object by) {
        CompletableFuture<SealedLog> answer = new CompletableFuture<>();
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

    /**
     * Gives the handoff up. Answers true when no commit of it will ever succeed: at once if none {@code wasSent}, else when the row has
     * been published anew.
     */
    public CompletableFuture<Boolean> release(Object by, boolean wasSent) {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        with.loop().submit(() -> {
            if (holder == by && phase != Phase.ENDED) {
                LOG.info("range goes on, the handoff was given up range={}", publisher.row());
                free("given up");
                publisher.resumed();
            }
            if (phase == Phase.ENDED) {
                answer.complete(false);
            } else if (wasSent) {
                inDoubt.add(answer);
                publisher.requestRoll();
            } else {
                answer.complete(true);
            }
        });
        return answer;
    }

    private void free(String why) {
        phase = Phase.FREE;
        holder = null;
        broken = null;
        fail(held, why);
    }

    /** The handoff is committed, and others serve what was here. */
    public void end(String why) {
        range.stop(why);
    }

    /** True while the range may publish nothing. */
    boolean holdsStill() {
        return phase == Phase.HELD || letsWait();
    }

    /** True while requests wait. */
    boolean letsWait() {
        return phase == Phase.DRAINING || phase == Phase.SEALING;
    }

    /** To be called whenever something has ended that a phase waits for. */
    void advance() {
        if (phase == Phase.SHORTENING && log.takesAppends() && publisher.isQuiet()) {
            phase = Phase.HELD;
            if (held != null) {
                held.complete(publisher.row());
            }
        } else if (phase == Phase.DRAINING && committer.isIdle() && confirmer.isIdle() && log.inFlight() == 0) {
            phase = Phase.SEALING;
            log.seal();
        }
    }

    /** The log is sealed for ever. */
    void sealed(long length) {
        if (phase == Phase.SEALING && stopped != null) {
            stopped.complete(
                    SealedLog.newBuilder().setPath(log.path()).setLength(length).build());
        }
    }

    /** The log failed by itself, and is being sealed. */
    void broken(Throwable why) {
        if (phase == Phase.DRAINING) {
            phase = Phase.SEALING;
        } else if (phase == Phase.HELD) {
            Consumer<Status> told = broken;
            free("the commit log failed");
            if (told != null) {
                told.accept(Status.newBuilder()
                        .setCode(ErrorCode.UNAVAILABLE)
                        .setMessage("the commit log failed: " + why.getMessage())
                        .build());
            }
        }
    }

    /** A publish was accepted: the row is this range's. */
    void published() {
        inDoubt.forEach(answer -> answer.complete(true));
        inDoubt.clear();
    }

    /** The range is not served here any more. */
    void close() {
        phase = Phase.ENDED;
        broken = null;
        fail(held, "the range was closed");
        fail(stopped, "the range was closed");
        inDoubt.forEach(answer -> answer.complete(false));
        inDoubt.clear();
    }

    private static void fail(@Nullable CompletableFuture<?> future, String why) {
        if (future != null) {
            future.completeExceptionally(new Refused(ErrorCode.UNAVAILABLE, why));
        }
    }
}
