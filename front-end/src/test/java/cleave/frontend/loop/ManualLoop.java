package cleave.frontend.loop;

import cleave.loop.EventLoop;
import cleave.model.Ticks;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** An event loop whose time stands still until it is moved. Confined to the test's thread. */
public final class ManualLoop implements EventLoop {
    private static final Instant START = Instant.parse("2026-01-02T03:04:05.1234567Z");

    private final Queue<Runnable> ready = new ArrayDeque<>();
    private final PriorityQueue<Later> later = new PriorityQueue<>();
    private long nanos = TimeUnit.HOURS.toNanos(1);
    private long made;

    private final class Later implements Timer, Comparable<Later> {
        final long atNanos;
        final long order = made++;
        final Runnable event;

        Later(long atNanos, Runnable event) {
            this.atNanos = atNanos;
            this.event = event;
        }

        @Override
        public void cancel() {
            later.remove(this);
        }

        @Override
        public int compareTo(Later other) {
            return atNanos == other.atNanos ? Long.compare(order, other.order) : Long.compare(atNanos, other.atNanos);
        }
    }

    @Override
    public void submit(Runnable event) {
        ready.add(event);
    }

    @Override
    public Timer schedule(long delayNanos, Runnable event) {
        Later timer = new Later(nanos + Math.max(0, delayNanos), event);
        later.add(timer);
        return timer;
    }

    @Override
    public void assertInside() {}

    @Override
    public long nanos() {
        return nanos;
    }

    @Override
    public long ticks() {
        return Ticks.of(START) + nanos / 100;
    }

    /** Runs what is ready; the time does not move. */
    public void runReady() {
        for (Runnable event = ready.poll(); event != null; event = ready.poll()) {
            event.run();
        }
    }

    /** Lets so much time pass. */
    public void advance(long byNanos) {
        long until = nanos + byNanos;
        runReady();
        for (Later next = later.peek(); next != null && next.atNanos <= until; next = later.peek()) {
            fireNext();
        }
        nanos = until;
    }

    /** Runs, moving the time as far as needed, until the future has its value. */
    public <T> T await(CompletableFuture<T> future) {
        runReady();
        while (!future.isDone()) {
            if (later.isEmpty()) {
                throw new AssertionError("nothing will ever complete the future");
            }
            fireNext();
        }
        return future.join();
    }

    private void fireNext() {
        Later next = later.remove();
        nanos = Math.max(nanos, next.atNanos);
        next.event.run();
        runReady();
    }
}
