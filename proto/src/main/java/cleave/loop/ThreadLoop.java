package cleave.loop;

import cleave.model.Invariant;
import cleave.model.Ticks;
import java.time.Instant;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An {@link EventLoop} on a thread of its own. */
public final class ThreadLoop implements EventLoop, AutoCloseable {
    private final ScheduledThreadPoolExecutor executor;
    private final Consumer<Throwable> faultHandler;
    private volatile @Nullable Thread thread;

    /** The fault handler is called with whatever an event throws; see {@link #haltOnFault}. */
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

    /** The fault handler of production: a bug ends the process before it can do harm. */
    public static void haltOnFault(Throwable fault) {
        org.slf4j.LoggerFactory.getLogger(ThreadLoop.class).error("bug, the process halts", fault);
        Runtime.getRuntime().halt(70);
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

    /** Lets the running event end; those that wait are dropped, and so is whatever is submitted later. */
    @Override
    public void close() {
        executor.shutdownNow();
    }
}
