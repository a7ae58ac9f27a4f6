package cleave.server.range;

import cleave.dfs.DfsFile;
import cleave.runtime.loop.EventLoop;
import cleave.server.metrics.ServerMetrics;
import cleave.server.range.CommitLog.Barrier;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The barriers that the ranges of one loop send to the fence of their incarnation, of which one serves all that wait. Confined to the loop.
 */
public final class FenceBarriers {
    private final EventLoop loop;
    private final ArmedFence fence;
    private final ServerMetrics metrics;
    private final OneEvent flush;
    private List<Consumer<Barrier>> waiting = new ArrayList<>();
    private boolean isUnderWay;

    public FenceBarriers(EventLoop loop, ArmedFence fence, ServerMetrics metrics) {
        this.loop = loop;
        this.fence = fence;
        this.metrics = metrics;
        this.flush = new OneEvent(loop, this::flush);
    }

    /** True if the incarnation has a fence that it may use. */
    boolean isArmed() {
        return fence.file() != null;
    }

    /** Has a barrier sent after this call. The ending receives CONFIRMED, or PROVED_NOTHING: then the log may confirm. */
    void send(Consumer<Barrier> ending) {
        loop.assertInside();
        waiting.add(ending);
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
        List<Consumer<Barrier>> batch = waiting;
        waiting = new ArrayList<>();
        DfsFile file = fence.file();
        if (file == null) {
            batch.forEach(ending -> ending.accept(Barrier.PROVED_NOTHING));
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
            batch.forEach(ending -> ending.accept(failure == null ? Barrier.CONFIRMED : Barrier.PROVED_NOTHING));
            if (!waiting.isEmpty()) {
                flushSoon();
            }
        });
    }
}
