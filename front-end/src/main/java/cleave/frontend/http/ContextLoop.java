package cleave.frontend.http;

import cleave.model.Invariant;
import cleave.model.Ticks;
import cleave.runtime.loop.EventLoop;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.time.Instant;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An {@link EventLoop} on the event-loop thread of a Vert.x context. Thread-safe; to be made inside its context. */
public final class ContextLoop implements EventLoop {
    private final Vertx vertx;
    private final Context context;
    private final Thread thread = Thread.currentThread();
    private final Consumer<Throwable> faultHandler;

    /** The loop of the current context. The fault handler is called with whatever an event throws. */
    public ContextLoop(Vertx vertx, Consumer<Throwable> faultHandler) {
        this.vertx = vertx;
        this.context = vertx.getOrCreateContext();
        this.faultHandler = faultHandler;
        Invariant.check(context.isEventLoopContext(), "a loop needs an event-loop context, not %s", context);
    }

    @Override
    public void submit(Runnable event) {
        enter(() -> run(event));
    }

    private void enter(Runnable event) {
        try {
            context.runOnContext(nothing -> event.run());
        } catch (RejectedExecutionException ended) {
            // What comes when the loop has ended is dropped.
        }
    }

    @Override
    public Timer schedule(long delayNanos, Runnable event) {
        DelayedEvent delayed = new DelayedEvent(event);
        if (isInside()) {
            delayed.start(delayNanos);
        } else {
            enter(() -> delayed.start(delayNanos));
        }
        return delayed;
    }

    private void run(Runnable event) {
        try {
            event.run();
        } catch (Throwable fault) { // A bug by definition: expected failures are values.
            faultHandler.accept(fault);
        }
    }

    private boolean isInside() {
        return Thread.currentThread() == thread;
    }

    @Override
    public void assertInside() {
        Invariant.check(isInside(), "called outside of its loop, on %s", Thread.currentThread());
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public long ticks() {
        return Ticks.of(Instant.now());
    }

    /** A timer. Thread-safe: begun and fired inside the loop, cancelled anywhere. */
    private final class DelayedEvent implements Timer {
        private final Runnable event;
        private volatile boolean cancelled;
        private io.vertx.core.@Nullable Timer timer;

        DelayedEvent(Runnable event) {
            this.event = event;
        }

        void start(long delayNanos) {
            if (!cancelled) {
                timer = vertx.timer(Math.max(1, delayNanos), TimeUnit.NANOSECONDS);
                timer.onSuccess(nothing -> fire());
            }
        }

        private void fire() {
            if (!cancelled) {
                cancelled = true;
                run(event);
            }
        }

        @Override
        public void cancel() {
            cancelled = true;
            if (isInside() && timer != null) {
                timer.cancel();
            }
        }
    }
}
