package cleave.server.range;

import cleave.runtime.loop.EventLoop;
import java.util.function.LongConsumer;

/**
 * The loop as one range sees it. It times a sample of the range's events, to estimate how much of the loop's thread the
 * range takes. Thread-safe.
 *
 * <p>Reading a thread's CPU time costs a call into the kernel, twice an event; this costs two readings of the clock for one event
 * in seventeen. What the loop's thread waits for inside an event (a medium, another thread that has the core) is counted as work:
 * it keeps the loop from others all the same.
 */
final class MeteredLoop implements EventLoop {
    /** Prime, because events may be periodic. */
    private static final int STRIDE = 17;

    private final EventLoop loop;
    private final LongConsumer worked;
    /** Not exact when threads count at once, which does not matter. */
    private int submitted;

    /** @param worked takes nanoseconds, inside the loop */
    MeteredLoop(EventLoop loop, LongConsumer worked) {
        this.loop = loop;
        this.worked = worked;
    }

    @Override
    public void submit(Runnable event) {
        int number = submitted + 1;
        submitted = number == STRIDE ? 0 : number;
        loop.submit(number == STRIDE ? () -> runTimed(event) : event);
    }

    private void runTimed(Runnable event) {
        long began = loop.nanos();
        event.run();
        worked.accept(STRIDE * (loop.nanos() - began));
    }

    @Override
    public Timer schedule(long delayNanos, Runnable event) {
        return loop.schedule(delayNanos, event);
    }

    @Override
    public void assertInside() {
        loop.assertInside();
    }

    @Override
    public long nanos() {
        return loop.nanos();
    }

    @Override
    public long ticks() {
        return loop.ticks();
    }
}
