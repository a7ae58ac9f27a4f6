package cleave.chaos.sim;

import java.util.PriorityQueue;

/**
 * Virtual time: every event of a simulation, one after the other, by its time and then by the order in which it was planned.
 * Confined to the simulation's one thread.
 */
final class Scheduler {
    private record Due(long nanos, long order, Runnable event) implements Comparable<Due> {
        @Override
        public int compareTo(Due other) {
            int byTime = Long.compare(nanos, other.nanos);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    private final PriorityQueue<Due> queue = new PriorityQueue<>();
    private long now;
    private long order;
    private long events;

    long now() {
        return now;
    }

    /** How many events have run. */
    long events() {
        return events;
    }

    void after(long delayNanos, Runnable event) {
        at(now + Math.max(0, delayNanos), event);
    }

    void at(long nanos, Runnable event) {
        queue.add(new Due(Math.max(now, nanos), order++, event));
    }

    /** Runs the next event if it is due until then; tells whether it was. */
    boolean runNext(long nanos) {
        Due next = queue.peek();
        if (next == null || next.nanos > nanos) {
            now = Math.max(now, nanos);
            return false;
        }
        queue.remove();
        now = next.nanos;
        events++;
        next.event.run();
        return true;
    }
}
