package cleave.server.range;

import cleave.dfs.DfsFile;
import cleave.runtime.loop.EventLoop;
import cleave.server.metrics.ServerMetrics;
import cleave.server.range.CommitLog.Barrier;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The barriers that the ranges of one loop send to the fence of their incarnation, of which one serves all that wait. Confined to the loop, but for
 * {@link #oldestNanos}.
 */
public final class FenceBarriers {
    private static final long NEVER = Long.MIN_VALUE;

    private final EventLoop loop;
    private final ArmedFence fence;
    private final ServerMetrics metrics;
    private final OneEvent flush;
    private List<Waiting> waiting = new ArrayList<>();
    private boolean isUnderWay;
    /** When the barrier under way was sent; {@link #NEVER} if none is. */
    private final AtomicLong sentNanos = new AtomicLong(NEVER);

    public FenceBarriers(EventLoop loop, ArmedFence fence, ServerMetrics metrics) {
        this.loop = loop;
        this.fence = fence;
        this.metrics = metrics;
        this.flush = new OneEvent(loop, this::flush);
    }

    private record Waiting(DfsFile fence, Consumer<Barrier> ending) {}

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

    /**
     * Has a barrier sent after this call. The ending receives CONFIRMED, or PROVED_NOTHING: then the log may confirm.
     *
     * @param proven the fence for which the range's log has shown that the range was still its owner's when that was armed. A barrier on
     *     one that has replaced it would confirm nothing for this range
     */
    void send(DfsFile proven, Consumer<Barrier> ending) {
        loop.assertInside();
        waiting.add(new Waiting(proven, ending));
        flushSoon();
    }

    private void flushSoon() {
        if (!isUnderWay) {
            flush.soon(); // Behind the other ranges, whose turn it is now.
        }
    }

    private void flush() {
        if (waiting.isEmpty() || isUnderWay) {
            return;
        }
        List<Waiting> batch = new ArrayList<>();
        DfsFile file = fence.file();
        for (Waiting each : waiting) {
            if (each.fence == file) {
                batch.add(each);
            } else {
                each.ending.accept(Barrier.PROVED_NOTHING);
            }
        }
        waiting = new ArrayList<>();
        if (file == null || batch.isEmpty()) {
            return;
        }
        isUnderWay = true;
        sentNanos.set(loop.nanos());
        metrics.fenceBarriers.inc();
        fence.sends(file);
        loop.whenDone(file.barrier(), (nothing, failure) -> {
            isUnderWay = false;
            sentNanos.set(NEVER);
            if (failure != null) {
                fence.failed(file, failure);
            }
            Barrier barrier = failure == null ? Barrier.CONFIRMED : Barrier.PROVED_NOTHING;
            batch.forEach(each -> each.ending.accept(barrier));
            if (!waiting.isEmpty()) {
                flushSoon();
            }
        });
    }
}
