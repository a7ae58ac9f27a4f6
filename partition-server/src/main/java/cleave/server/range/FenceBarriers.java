package cleave.server.range;

import cleave.dfs.DfsFile;
import cleave.runtime.loop.EventLoop;
import cleave.server.metrics.ServerMetrics;
import cleave.server.range.CommitLog.Barrier;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The barriers that the ranges of one loop send to the fence of their incarnation, of which one serves all that wait. Confined to the loop.
 */
public final class FenceBarriers {
    private final EventLoop loop;
    private final ArmedFence fence;
    private final ServerMetrics metrics;
    private final OneEvent flush;
    private List<Waiting> waiting = new ArrayList<>();
    private boolean isUnderWay;

    public FenceBarriers(EventLoop loop, ArmedFence fence, ServerMetrics metrics) {
        this.loop = loop;
        this.fence = fence;
        this.metrics = metrics;
        this.flush = new OneEvent(loop, this::flush);
    }

    private record Waiting(DfsFile fence, Consumer<Barrier> ending) {}

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
        metrics.fenceBarriers.inc();
        fence.sends(file);
        loop.whenDone(file.barrier(), (nothing, failure) -> {
            isUnderWay = false;
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
