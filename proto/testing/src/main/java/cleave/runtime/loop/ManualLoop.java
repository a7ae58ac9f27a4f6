package cleave.runtime.loop;

import cleave.model.Invariant;
import cleave.model.Ticks;
import java.time.Instant;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An {@link EventLoop} on a virtual clock, turned by hand: for tests. Events run on the caller's thread, in the order of their
 * time and then of their submission, so equal tests have equal runs. {@link #submit} is thread-safe, the rest belongs to the
 * test's thread. An event that throws, throws at the test.
 */
public final class ManualLoop implements EventLoop {
    private record Due(long nanos, long order) implements Comparable<Due> {
        @Override
        public int compareTo(Due other) {
            int byTime = Long.compare(nanos, other.nanos);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    private final Queue<Runnable> ready = new ConcurrentLinkedQueue<>();
    private final TreeMap<Due, Runnable> timers = new TreeMap<>();
    private long nanos = 1_000_000_000;
    private long ticks = Ticks.of(Instant.parse("2026-01-01T00:00:00Z"));
    private long order;
    private boolean inside;

    @Override
    public void submit(Runnable event) {
        ready.add(event);
    }

    @Override
    public Timer schedule(long delayNanos, Runnable event) {
        Due due = new Due(nanos + Math.max(0, delayNanos), order++);
        timers.put(due, event);
        return () -> timers.remove(due);
    }

    @Override
    public void assertInside() {
        Invariant.check(inside, "called outside of its loop");
    }

    @Override
    public long nanos() {
        return nanos;
    }

    @Override
    public long ticks() {
        return ticks;
    }

    /** Lets the wall clock jump, which does not move the monotonic one. */
    public void jumpTicks(long by) {
        ticks += by;
    }

    /** Runs the submitted events, and those that they submit. Timers wait for {@link #advance}, even if they are due. */
    public void runReady() {
        for (Runnable event = ready.poll(); event != null; event = ready.poll()) {
            runInside(event);
        }
    }

    private void runInside(Runnable event) {
        Invariant.check(!inside, "the loop is turned from inside of it");
        inside = true;
        try {
            event.run();
        } finally {
            inside = false;
        }
    }

    /** Runs an event inside the loop, and all that follows from it at once. */
    public void run(Runnable event) {
        submit(event);
        runReady();
    }

    /** Runs an event as {@link #run} does, and returns its result. */
    public <T> T call(Supplier<T> event) {
        runReady();
        Holder<T> holder = new Holder<>();
        runInside(() -> holder.value = event.get());
        runReady();
        T value = holder.value;
        if (value == null) {
            throw new IllegalStateException("the event gave nothing");
        }
        return value;
    }

    private static final class Holder<T> {
        private @Nullable T value;
    }

    /** Lets time pass, running each timer at its time. */
    public void advance(long byNanos) {
        long until = nanos + byNanos;
        runReady();
        while (!timers.isEmpty() && timers.firstKey().nanos <= until) {
            runNextTimer();
        }
        passTo(until);
    }

    public void advanceMillis(long by) {
        advance(by * 1_000_000);
    }

    /** Lets time pass until a condition holds, at most this long; true if it does. */
    public boolean advanceUntil(BooleanSupplier condition, long nanosMax) {
        long until = nanos + nanosMax;
        runReady();
        while (!condition.getAsBoolean() && !timers.isEmpty() && timers.firstKey().nanos <= until) {
            runNextTimer();
        }
        return condition.getAsBoolean();
    }

    private void runNextTimer() {
        Due due = timers.firstKey();
        Runnable event = timers.remove(due);
        passTo(due.nanos);
        if (event != null) {
            run(event);
        }
    }

    private void passTo(long later) {
        if (later > nanos) {
            ticks += (later - nanos) / 100;
            nanos = later;
        }
    }

    /** The number of timers that are set: ended work should leave none. */
    public int timers() {
        return timers.size();
    }
}
