package cleave.dfs;

import cleave.model.Invariant;
import cleave.runtime.loop.EventLoop;
import java.util.PriorityQueue;
import java.util.Random;

/** Many event loops in one thread, on a virtual clock; what is submitted from outside of a loop arrives after a chance delay. */
final class SimTime {
    private record Event(long at, long order, Loop loop, Runnable run) {}

    private final PriorityQueue<Event> events = new PriorityQueue<>(
            (a, b) -> a.at() == b.at() ? Long.compare(a.order(), b.order()) : Long.compare(a.at(), b.at()));
    private final Random random;
    private long now;
    private long orders;

    SimTime(Random random) {
        this.random = random;
    }

    long now() {
        return now;
    }

    Loop loop() {
        return new Loop();
    }

    /** Runs the next event; false if there is none. */
    boolean step() {
        Event event = events.poll();
        if (event == null) {
            return false;
        }
        now = event.at();
        event.loop().run(event.run());
        return true;
    }

    void runFor(long nanos) {
        long end = now + nanos;
        while (!events.isEmpty() && events.peek().at() <= end) {
            step();
        }
        now = end;
    }

    /** One loop. What is submitted to it keeps its order. */
    final class Loop implements EventLoop {
        private boolean inside;
        private boolean dead;
        private long lastAt;

        private void run(Runnable event) {
            if (!dead) {
                inside = true;
                event.run();
                inside = false;
            }
        }

        /** No event of it runs any more. */
        void kill() {
            dead = true;
        }

        @Override
        public void submit(Runnable event) {
            lastAt = Math.max(lastAt, now + (inside ? 0 : random.nextInt(50_000)));
            add(lastAt, event);
        }

        @Override
        public Timer schedule(long delayNanos, Runnable event) {
            boolean[] cancelled = {false};
            add(now + delayNanos, () -> {
                if (!cancelled[0]) {
                    event.run();
                }
            });
            return () -> cancelled[0] = true;
        }

        private void add(long at, Runnable event) {
            events.add(new Event(at, orders++, this, event));
        }

        @Override
        public void assertInside() {
            Invariant.check(inside, "called outside of its loop");
        }

        @Override
        public long nanos() {
            return now;
        }

        @Override
        public long ticks() {
            return now / 100;
        }
    }
}
