package cleave.server.range;

import cleave.model.Row;
import cleave.server.range.RangePhases.Event;
import cleave.server.range.RangePhases.Phase;
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
 * What a handoff has of a range that is one of its sources: it holds it, stops it when it is committed, or releases it. The public
 * methods may be called on any thread and answer in the range's loop; all else is confined to that.
 *
 * <p>Invariant I2: the range serves until its log is sealed, even if the row has another owner by then; the targets serve only after
 * that. So it need not know whether a commit is on its way. All that is left of a handoff that was given up is the doubt about its
 * commit, which ends with the next publish: if that succeeds, a late commit finds that the version has changed and is refused.
 */
public final class RangeHold {
    private static final Logger LOG = LoggerFactory.getLogger(RangeHold.class);

    private final RangeContext with;
    private final Range range;
    private @Nullable Object holder;
    private @Nullable CompletableFuture<Row> held;
    private @Nullable CompletableFuture<SealedLog> stopped;
    private @Nullable Consumer<Status> broken;
    /** They wait for a publish, which shows that no commit can come any more. */
    private final List<CompletableFuture<Boolean>> inDoubt = new ArrayList<>();

    RangeHold(RangeContext with, Range range) {
        this.with = with;
        this.range = range;
    }

    /**
     * Brings the range to publish nothing until it is stopped or released; answers its row. Other handoffs find it busy meanwhile.
     * {@code onBroken} is told inside the loop if the log fails before the range was stopped: then it is released, for a new log is a
     * publish.
     */
    public CompletableFuture<Row> hold(Object by, HandoffOrderSource ordered, Consumer<Status> onBroken) {
        CompletableFuture<Row> answer = new CompletableFuture<>();
        with.loop().submit(() -> {
            Row row = range.row();
            if (range.phase() == Phase.CLOSED || !range.ownership().agreesWith(ordered.getRoute())) {
                answer.completeExceptionally(new Refused(ErrorCode.NOT_OWNER, "not served here so: " + row));
            } else if (holder != null || range.phase() == Phase.ARRIVING) {
                answer.completeExceptionally(new Refused(ErrorCode.BUSY, "another handoff is under way: " + row));
            } else if (row.version() != ordered.getVersion()) {
                answer.completeExceptionally(new Refused(
                        ErrorCode.STALE_VERSION, "the row is " + row + ", not of version " + ordered.getVersion()));
            } else {
                holder = by;
                held = answer;
                broken = onBroken;
                range.shorten(); // What a target has to replay.
                range.advance();
            }
        });
        return answer;
    }

    /** True while a handoff waits for the moment at which nothing is under way that would change the row. */
    boolean isWanted() {
        return held != null && !held.isDone();
    }

    /** The range is {@link Phase#HELD}. */
    void granted(Row row) {
        with.loop().assertInside();
        if (held != null) {
            held.complete(row);
        }
    }

    /** The log failed while the range was {@link Phase#HELD}. */
    void revoked(String why) {
        with.loop().assertInside();
        Consumer<Status> told = broken;
        free("the commit log failed");
        if (told != null) {
            told.accept(Status.newBuilder()
                    .setCode(ErrorCode.UNAVAILABLE)
                    .setMessage("the commit log failed: " + why)
                    .build());
        }
    }

    /**
     * Lets requests wait, drains what is in flight, and seals the log; answers its length. Only when the handoff is known to be
     * committed: there is no way back.
     */
    public CompletableFuture<SealedLog> stop(Object by) {
        CompletableFuture<SealedLog> answer = new CompletableFuture<>();
        with.loop().submit(() -> {
            if (range.phase() != Phase.HELD || holder != by) {
                answer.completeExceptionally(new Refused(ErrorCode.UNAVAILABLE, "the range is not held any more"));
            } else {
                stopped = answer;
                range.on(Event.STOP, "the handoff is committed");
            }
        });
        return answer;
    }

    /** The range is {@link Phase#SEALED}. */
    void sealed(String path, long length) {
        with.loop().assertInside();
        if (stopped != null) {
            stopped.complete(
                    SealedLog.newBuilder().setPath(path).setLength(length).build());
        }
    }

    /**
     * Gives the handoff up. Answers true when no commit of it will ever succeed: at once if none {@code wasSent}, else when the row has
     * been published anew.
     */
    public CompletableFuture<Boolean> release(Object by, boolean wasSent) {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        with.loop().submit(() -> {
            if (holder == by && range.phase() != Phase.CLOSED) {
                LOG.info("range goes on, the handoff was given up range={}", range.row());
                boolean granted = !isWanted();
                free("given up");
                if (granted) {
                    range.on(Event.RELEASE, "the handoff was given up");
                }
                range.publishWaiting();
            }
            if (range.phase() == Phase.CLOSED) {
                answer.complete(false);
            } else if (wasSent) {
                inDoubt.add(answer);
                range.roll();
            } else {
                answer.complete(true);
            }
        });
        return answer;
    }

    private void free(String why) {
        holder = null;
        broken = null;
        fail(held, why);
    }

    /** A publish was accepted: the row is this range's. */
    void published() {
        with.loop().assertInside();
        inDoubt.forEach(answer -> answer.complete(true));
        inDoubt.clear();
    }

    void close() {
        with.loop().assertInside();
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
