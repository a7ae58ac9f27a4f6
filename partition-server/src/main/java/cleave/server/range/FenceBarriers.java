package cleave.server.range;

import cleave.dfs.DfsFile;
import cleave.runtime.loop.EventLoop;
import cleave.server.metrics.ServerMetrics;
import cleave.server.range.CommitLog.Barrier;
import cleave.server.range.Confirmer.Batch;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The barriers that the ranges of one loop send to the fence of their incarnation, of which one serves all that wait. Confined to the loop, but
 * for {@link #oldestNanos}.
 *
 * <p>Clients that wait for their answers would fall into two halves: while the barrier of one half is under way, the other half waits
 * for the next one, and each barrier serves half of what it could. So the next barrier waits for those that the last one has answered to be
 * back, but for no longer than half of what the last one took. One client alone never waits for this.
 */
public final class FenceBarriers {
    private static final long NEVER = Long.MIN_VALUE;
    private static final long PAUSE_MAX_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final EventLoop loop;
    private final ArmedFence fence;
    private final ServerMetrics metrics;
    private final OneEvent flush;
    private final OneEvent pauseEnds;
    /** Ranges whose reads wait for the next barrier. */
    private final Set<Reads> asking = new LinkedHashSet<>();

    private boolean isUnderWay;
    /** How many reads may soon wait for the next barrier: those that the last one confirmed, and those that waited when it ended. */
    private int expected;

    private long endedNanos;
    private long pauseNanos;
    /** When the barrier under way was sent; {@link #NEVER} if none is. */
    private final AtomicLong sentNanos = new AtomicLong(NEVER);

    public FenceBarriers(EventLoop loop, ArmedFence fence, ServerMetrics metrics) {
        this.loop = loop;
        this.fence = fence;
        this.metrics = metrics;
        this.flush = new OneEvent(loop, this::flush);
        this.pauseEnds = new OneEvent(loop, this::flushSoon);
    }

    /** The reads of one range that wait for a barrier. */
    interface Reads {
        int waiting();

        /** Removes those that wait and that a barrier confirms that is sent to this fence in this turn. */
        Batch takeFor(@Nullable DfsFile fence);

        /** @param barrier CONFIRMED or PROVED_NOTHING */
        void ended(Batch batch, Barrier barrier);
    }

    private record Taken(Reads from, Batch batch) {}

    /** For how long the barrier under way has not been answered; 0 if none is under way. On any thread. */
    public long oldestNanos(long now) {
        long sent = sentNanos.get();
        return sent == NEVER ? 0 : Math.max(0, now - sent);
    }

    /** The fence that the incarnation may use now; null if none. */
    @Nullable
    DfsFile armed() {
        return fence.file();
    }

    /** Has a barrier sent after this call, which takes those of these reads that still wait then. */
    void ask(Reads reads) {
        loop.assertInside();
        asking.add(reads);
        flushSoon();
    }

    private void flushSoon() {
        if (isUnderWay || asking.isEmpty()) {
            return;
        }
        long pauseLeft = pauseNanos - (loop.nanos() - endedNanos);
        if (pauseLeft <= 0 || waiting() >= expected) {
            flush.soon(); // Behind the other ranges, whose turn it is now.
        } else {
            pauseEnds.after(pauseLeft);
        }
    }

    private int waiting() {
        int waiting = 0;
        for (Reads each : asking) {
            waiting += each.waiting();
        }
        return waiting;
    }

    private void flush() {
        if (isUnderWay) {
            return;
        }
        DfsFile file = fence.file();
        List<Taken> taken = new ArrayList<>();
        int reads = 0;
        for (Reads each : asking) {
            Batch batch = each.takeFor(file);
            if (!batch.reads().isEmpty()) {
                taken.add(new Taken(each, batch));
                reads += batch.reads().size();
            }
        }
        asking.clear();
        int confirmed = reads;
        if (file == null || taken.isEmpty()) {
            return;
        }
        isUnderWay = true;
        sentNanos.set(loop.nanos());
        metrics.fenceBarriers.inc();
        fence.sends(file);
        loop.whenDone(file.barrier(), (nothing, failure) -> {
            isUnderWay = false;
            endedNanos = loop.nanos();
            pauseNanos = Math.min((endedNanos - sentNanos.getAndSet(NEVER)) / 2, PAUSE_MAX_NANOS);
            expected = confirmed + waiting();
            if (failure != null) {
                fence.failed(file, failure);
            }
            Barrier barrier = failure == null ? Barrier.CONFIRMED : Barrier.PROVED_NOTHING;
            taken.forEach(each -> each.from.ended(each.batch, barrier));
            flushSoon();
        });
    }
}
