package cleave.runtime.loop;

import cleave.model.Invariant;
import cleave.model.Ticks;
import cleave.model.UnknownFormat;
import java.time.Instant;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An {@link EventLoop} on a dedicated thread. */
public final class ThreadLoop implements EventLoop, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ThreadLoop.class);
    /** Exit codes, as the command line's help lists them. */
    private static final int BUG = 70;

    private static final int UNKNOWN_FORMAT = 71;

    private final ScheduledThreadPoolExecutor executor;
    private final Consumer<Throwable> faultHandler;
    private volatile @Nullable Thread thread;

    /** The fault handler is called with everything that an event throws; see {@link #haltOnFault}. */
    public ThreadLoop(String name, Consumer<Throwable> faultHandler) {
        this.faultHandler = faultHandler;
        executor = new ScheduledThreadPoolExecutor(1, task -> {
            Thread made = new Thread(task, name);
            made.setDaemon(true);
            thread = made;
            return made;
        });
        executor.setRemoveOnCancelPolicy(true);
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        executor.setRejectedExecutionHandler((task, closed) -> {});
    }

    /**
     * The fault handler of production: a bug ends the process before it can do harm, and so does data with which only a newer version could
     * go on.
     */
    public static void haltOnFault(Throwable fault) {
        UnknownFormat unknown = UnknownFormat.in(fault);
        if (unknown == null) {
            LOG.error("halting the process because of a bug", fault);
            Runtime.getRuntime().halt(BUG);
        } else {
            LOG.error("halting the process: {}", unknown.getMessage());
            Runtime.getRuntime().halt(UNKNOWN_FORMAT);
        }
    }

    @Override
    public void submit(Runnable event) {
        executor.execute(() -> run(event));
    }

    @Override
    public Timer schedule(long delayNanos, Runnable event) {
        ScheduledFuture<?> scheduled = executor.schedule(() -> run(event), delayNanos, TimeUnit.NANOSECONDS);
        return () -> scheduled.cancel(false);
    }

    private void run(Runnable event) {
        try {
            event.run();
        } catch (Throwable fault) { // A bug by definition: expected failures are values.
            faultHandler.accept(fault);
        }
    }

    @Override
    public void assertInside() {
        Invariant.check(Thread.currentThread() == thread, "called outside of its loop, on %s", Thread.currentThread());
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public long ticks() {
        return Ticks.of(Instant.now());
    }

    /** Lets the running event end; waiting and later events are dropped. */
    @Override
    public void close() {
        executor.shutdownNow();
    }
}
