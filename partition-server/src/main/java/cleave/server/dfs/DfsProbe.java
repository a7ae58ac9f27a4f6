package cleave.server.dfs;

import cleave.dfs.Dfs;
import cleave.model.Readiness;
import cleave.runtime.loop.EventLoop;
import org.jspecify.annotations.Nullable;

/** Knows whether the DFS can append, by asking it every now and then. Confined to its loop, but for {@link #readiness}. */
public final class DfsProbe {
    private static final long PERIOD_NANOS = 1_000_000_000;
    private static final long PATIENCE_NANOS = 5_000_000_000L;

    private final EventLoop loop;
    private final Dfs dfs;
    private boolean stopped;
    private volatile long readyNanos;
    private volatile boolean ever;

    public DfsProbe(EventLoop loop, Dfs dfs) {
        this.loop = loop;
        this.dfs = dfs;
    }

    /** On any thread. */
    public void start() {
        loop.submit(this::ask);
    }

    private void ask() {
        loop.assertInside();
        if (!stopped) {
            dfs.probe().whenComplete((answer, failure) -> loop.submit(() -> asked(answer)));
        }
    }

    private void asked(@Nullable Readiness answer) {
        loop.assertInside();
        if (answer != null && answer.ready()) {
            readyNanos = loop.nanos();
            ever = true;
        }
        loop.schedule(PERIOD_NANOS, this::ask);
    }

    /** Ready if it could append some seconds ago, and has space for appends now. On any thread. */
    public Readiness readiness() {
        if (!ever || loop.nanos() - readyNanos >= PATIENCE_NANOS) {
            return Readiness.missing("the DFS does not append");
        }
        return switch (dfs.space()) {
            case ROOMY -> Readiness.READY;
            case LOW -> Readiness.but("the DFS is short of space: writes are refused until there is more");
            case FULL -> Readiness.missing("the disk of the DFS is full");
        };
    }

    /** On any thread. */
    public void stop() {
        loop.submit(() -> stopped = true);
    }
}
