package cleave.chaos.sim.world;

import cleave.model.Invariant;
import cleave.runtime.loop.EventLoop;
import java.util.ArrayDeque;
import java.util.function.Supplier;

/**
 * An event loop of a simulated process: instead of a thread, it has small random delays, so that the loops of one
 * process overtake each other like threads. Ends with its process.
 */
public final class SimLoop implements EventLoop {
    private final SimProcess process;
    private final ArrayDeque<Runnable> ready = new ArrayDeque<>();
    private final Runnable turn;
    private boolean planned;
    private boolean inside;

    public SimLoop(SimProcess process) {
        this.process = process;
        Runnable within = this::turn;
        this.turn = () -> process.run(within);
    }

    @Override
    public void submit(Runnable event) {
        if (!process.isDead()) {
            ready.add(event);
            plan();
        }
    }

    private void plan() {
        if (!planned && !ready.isEmpty()) {
            planned = true;
            process.world().after(process.world().network().turnDelay(), turn);
        }
    }

    private void turn() {
        planned = false;
        Runnable event = ready.poll();
        if (event == null) {
            return;
        }
        inside = true;
        try {
            event.run();
        } finally {
            inside = false;
            plan();
        }
    }

    /** Runs a query at once, as if it were its turn; for observers outside the loop. */
    public <T> T look(Supplier<T> question) {
        boolean before = inside;
        inside = true;
        try {
            return question.get();
        } finally {
            inside = before;
        }
    }

    @Override
    public Timer schedule(long delayNanos, Runnable event) {
        Timed timed = new Timed(event);
        process.deliver(process.clock().global(Math.max(0, delayNanos)), timed);
        return timed;
    }

    private final class Timed implements Timer, Runnable {
        private final Runnable event;
        private boolean cancelled;

        Timed(Runnable event) {
            this.event = event;
        }

        @Override
        public void run() {
            if (!cancelled) {
                submit(() -> {
                    if (!cancelled) {
                        event.run();
                    }
                });
            }
        }

        @Override
        public void cancel() {
            cancelled = true;
        }
    }

    @Override
    public void assertInside() {
        Invariant.check(inside, "called outside of its loop, in %s", process);
    }

    @Override
    public long nanos() {
        return process.clock().nanos();
    }

    @Override
    public long ticks() {
        return process.clock().ticks();
    }
}
