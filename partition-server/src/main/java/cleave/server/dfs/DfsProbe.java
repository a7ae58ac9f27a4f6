package cleave.server.dfs;

import cleave.dfs.Dfs;
import cleave.model.Readiness;
import cleave.runtime.loop.EventLoop;
import org.jspecify.annotations.Nullable;

/** Knows whether the DFS can append, by asking it every now and then. Confined to its loop, but for {@link #readiness}. */
public final class DfsProbe {
    private static final long PERIOD_NANOS = 1_000_000_000;
    private static final long NEVER = Long.MIN_VALUE;
    private static final long PATIENCE_NANOS = 5_000_000_000L;

    private final EventLoop loop;
    private final Dfs dfs;
    private boolean stopped;
    /** When the first question was asked since it last could append; {@link #NEVER} if the last one was answered so. */
    private long silentSince = NEVER;

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
            silentSince = silentSince == NEVER ? loop.nanos() : silentSince;
            dfs.probe().whenComplete((answer, failure) -> loop.submit(() -> asked(answer)));
        }
    }

    private void asked(@Nullable Readiness answer) {
        loop.assertInside();
        if (answer != null && answer.ready()) {
            readyNanos = loop.nanos();
            ever = true;
            silentSince = NEVER;
        }
        loop.schedule(PERIOD_NANOS, this::ask);
    }

    /** For how long the DFS has not answered that it can append; 0 if its last answer was that. */
    public long silentNanos() {
        loop.assertInside();
        return silentSince == NEVER ? 0 : loop.nanos() - silentSince;
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
