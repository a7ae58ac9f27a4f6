package cleave.dfs.store;

import cleave.model.Ticks;
import cleave.runtime.loop.EventLoop;
import java.time.Instant;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An {@link EventLoop} without a thread: the thread that submits to an idle loop runs its events, until none is left. Thread-safe.
 *
 * <p>An append then goes from its caller into the group that forms, and from the disk's thread to the one that waits for it, without
 * waking another thread on the way. Events must not block, and a thread that submits may run events of others.
 */
public final class CombiningLoop implements EventLoop, AutoCloseable {
    private final ConcurrentLinkedQueue<Runnable> events = new ConcurrentLinkedQueue<>();
    private final AtomicInteger pending = new AtomicInteger();
    private final Consumer<Throwable> faultHandler;
    private final ScheduledThreadPoolExecutor timers;
    private volatile @Nullable Thread inside;
    private volatile boolean closed;

    /** The fault handler gets everything that an event throws. */
    public CombiningLoop(String name, Consumer<Throwable> faultHandler) {
        this.faultHandler = faultHandler;
        timers = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
        timers.setRemoveOnCancelPolicy(true);
        timers.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        timers.setRejectedExecutionHandler((task, executor) -> {});
    }

    @Override
    public void submit(Runnable event) {
        events.add(event);
        if (pending.getAndIncrement() == 0) {
            inside = Thread.currentThread();
            int left = 1;
            while (left > 0) {
                runNext();
                if (pending.get() == 1) {
                    inside = null; // Before the last decrement: another thread may enter right after it.
                }
                left = pending.decrementAndGet();
                if (left > 0) {
                    inside = Thread.currentThread();
                }
            }
        }
    }

    private void runNext() {
        Runnable event = events.poll();
        if (closed || event == null) {
            return;
        }
        try {
            event.run();
        } catch (Throwable fault) { // A bug, because expected failures are values.
            faultHandler.accept(fault);
        }
    }

    @Override
    public Timer schedule(long delayNanos, Runnable event) {
        // An event that is due waits in the queue; if it is cancelled there, it must not run.
        AtomicBoolean cancelled = new AtomicBoolean();
        Runnable unlessCancelled = () -> {
            if (!cancelled.get()) {
                event.run();
            }
        };
        ScheduledFuture<?> scheduled = timers.schedule(() -> submit(unlessCancelled), delayNanos, TimeUnit.NANOSECONDS);
        return () -> {
            cancelled.set(true);
            scheduled.cancel(false);
        };
    }

    @Override
    public void assertInside() {
        cleave.model.Invariant.check(
                Thread.currentThread() == inside, "called outside of its loop, on %s", Thread.currentThread());
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public long ticks() {
        return Ticks.of(Instant.now());
    }

    /** Timers do not run any more; events do, so that late calls are answered. */
    public void stopTimers() {
        timers.shutdownNow();
    }

    /** Drops waiting events and all later ones. */
    @Override
    public void close() {
        closed = true;
        timers.shutdownNow();
    }
}
