package cleave.server.range;

import cleave.model.Row;
import cleave.server.range.RangeState.Event;
import cleave.server.range.RangeState.Phase;
import cleave.server.state.Ownership;
import cleave.wire.ErrorCode;
import cleave.wire.HandoffOrderSource;
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
 * The hold of a handoff on one of its source ranges: the handoff holds the range, then stops it once committed, or else
 * releases it. The public methods are thread-safe and answer in the range's loop; everything else is confined to that
 * loop.
 *
 * <p>Invariant I2: the range serves until its log is sealed, even if the row has another owner by then; the targets
 * serve only after that. So it need not know whether a commit is under way. If a handoff is given up, its commit may
 * still be in doubt, which ends with the next publish: if that succeeds, a late commit is refused because the version
 * has changed. Until then reads are confirmed by the log, which such a commit would seal, and not by the incarnation's fence.
 */
public final class RangeHold {
    private static final Logger LOG = LoggerFactory.getLogger(RangeHold.class);

    private final Range.Outside outside;
    private final Ownership ownership;
    private final StateMachine machine;
    private final Supplier<Row> published;
    private final Runnable shorten;
    private @Nullable Object holder;
    private @Nullable CompletableFuture<Row> held;
    private @Nullable CompletableFuture<SealedLog> stopped;
    private @Nullable Consumer<Status> broken;
    /** They wait for a publish, which proves that no commit can succeed any more. */
    private final List<CompletableFuture<Boolean>> inDoubt = new ArrayList<>();

    /**
     * @param published the row, as it was last
     * @param shorten makes a checkpoint if much would have to be replayed
     */
    RangeHold(
            Range.Outside outside,
            Ownership ownership,
            StateMachine machine,
            Supplier<Row> published,
            Runnable shorten) {
        this.outside = outside;
        this.ownership = ownership;
        this.machine = machine;
        this.published = published;
        this.shorten = shorten;
    }

    /**
     * Holds the range, so that it publishes nothing until it is stopped or released; answers its row. Other handoffs
     * find it busy meanwhile. {@code onBroken} is called inside the loop if the log fails before the range was stopped:
     * that ends the hold, because a new log needs a publish.
     */
    public CompletableFuture<Row> hold(Object by, HandoffOrderSource ordered, Consumer<Status> onBroken) {
        CompletableFuture<Row> answer = new CompletableFuture<>();
        outside.loop().submit(() -> {
            Row row = published.get();
            if (machine.isClosed() || !ownership.agreesWith(ordered.getRoute())) {
                answer.completeExceptionally(new Refused(ErrorCode.NOT_OWNER, "not served here so: " + row));
            } else if (holder != null || machine.phase() == Phase.ARRIVING) {
                answer.completeExceptionally(new Refused(ErrorCode.BUSY, "another handoff is under way: " + row));
            } else if (row.version() != ordered.getVersion()) {
                answer.completeExceptionally(new Refused(
                        ErrorCode.STALE_VERSION, "the row is " + row + ", not of version " + ordered.getVersion()));
            } else {
                holder = by;
                held = answer;
                broken = onBroken;
                shorten.run(); // Shortens the replay of the targets.
                machine.on(Event.HOLD);
            }
        });
        return answer;
    }

    /** The range is {@link Phase#HELD}. */
    void granted(Row row) {
        outside.loop().assertInside();
        if (held != null) {
            held.complete(row);
        }
    }

    /** The log failed while the range was {@link Phase#HELD}. */
    void revoked(String why) {
        outside.loop().assertInside();
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
     * Makes requests wait, drains those in flight, and seals the log; answers its length. Only once the handoff is
     * known to be committed, because this cannot be undone.
     */
    public CompletableFuture<SealedLog> stop(Object by) {
        CompletableFuture<SealedLog> answer = new CompletableFuture<>();
        outside.loop().submit(() -> {
            if (machine.phase() != Phase.HELD || holder != by) {
                answer.completeExceptionally(new Refused(ErrorCode.UNAVAILABLE, "the range is not held any more"));
            } else {
                stopped = answer;
                machine.on(Event.STOP);
            }
        });
        return answer;
    }

    /** The range is {@link Phase#SEALED}. */
    void sealed(String path, long length) {
        outside.loop().assertInside();
        if (stopped != null) {
            stopped.complete(
                    SealedLog.newBuilder().setPath(path).setLength(length).build());
        }
    }

    /**
     * Gives the handoff up. Answers true once no commit of it can succeed any more: at once if none {@code wasSent},
     * otherwise when the row has been published again.
     */
    public CompletableFuture<Boolean> release(Object by, boolean wasSent) {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        outside.loop().submit(() -> {
            if (wasSent) {
                machine.on(Event.DOUBT);
            }
            if (holder == by && !machine.isClosed()) {
                LOG.info("range continues, the handoff was given up range={}", published.get());
                free("given up");
                machine.on(Event.RELEASE);
            }
            if (machine.isClosed()) {
                answer.complete(false);
            } else if (wasSent) {
                inDoubt.add(answer);
                machine.on(Event.ROLL);
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

    /** Asks for the publish that a handoff which was given up waits for: a roll that is asked for in a roll is not remembered. */
    void resumed() {
        outside.loop().assertInside();
        if (!inDoubt.isEmpty()) {
            machine.on(Event.ROLL);
        }
    }

    /** Notes that a publish was accepted, so this server still owns the row. */
    void published() {
        outside.loop().assertInside();
        inDoubt.forEach(answer -> answer.complete(true));
        inDoubt.clear();
    }

    void close() {
        outside.loop().assertInside();
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
