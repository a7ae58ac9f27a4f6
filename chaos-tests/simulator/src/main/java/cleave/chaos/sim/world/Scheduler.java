package cleave.chaos.sim.world;

import java.util.PriorityQueue;

/** Virtual time: executes the events of a simulation by time and then by the order of their submission. */
public final class Scheduler {
    private final PriorityQueue<Event> planned = new PriorityQueue<>(1_024);
    private long now;
    private long order;
    private long executed;

    private record Event(long nanos, long order, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return nanos != other.nanos ? Long.compare(nanos, other.nanos) : Long.compare(order, other.order);
        }
    }

    long now() {
        return now;
    }

    /** The number of executed events. */
    public long events() {
        return executed;
    }

    void after(long delayNanos, Runnable action) {
        at(now + Math.max(0, delayNanos), action);
    }

    void at(long nanos, Runnable action) {
        planned.add(new Event(Math.max(now, nanos), order++, action));
    }

    /** Runs the next event if it is due by then; returns whether it was. */
    boolean runNext(long nanos) {
        Event next = planned.peek();
        if (next == null || next.nanos() > nanos) {
            now = Math.max(now, nanos);
            return false;
        }
        planned.remove();
        now = next.nanos();
        executed++;
        next.action().run();
        return true;
    }
}
