package cleave.chaos.sim.world;

import java.util.Arrays;

/**
 * Virtual time: executes the events of a simulation by time and then by the order of their submission. Confined to the
 * simulation's one thread.
 *
 * <p>Future events are a four-ary heap in arrays, because a seed executes some hundred thousand of them.
 */
public final class Scheduler {
    private static final int CHILDREN = 4;

    private long[] times = new long[256];
    private long[] orders = new long[256];
    private Runnable[] planned = new Runnable[256];
    private int size;
    private long now;
    private long order;
    private long events;

    long now() {
        return now;
    }

    /** The number of executed events. */
    public long events() {
        return events;
    }

    void after(long delayNanos, Runnable event) {
        at(now + Math.max(0, delayNanos), event);
    }

    public void at(long nanos, Runnable event) {
        if (size == times.length) {
            times = Arrays.copyOf(times, 2 * size);
            orders = Arrays.copyOf(orders, 2 * size);
            planned = Arrays.copyOf(planned, 2 * size);
        }
        rise(size++, Math.max(now, nanos), order++, event);
    }

    /** Runs the next event if it is due by then; returns whether it was. */
    boolean runNext(long nanos) {
        if (size == 0 || times[0] > nanos) {
            now = Math.max(now, nanos);
            return false;
        }
        now = times[0];
        events++;
        removeFirst().run();
        return true;
    }

    @SuppressWarnings("NullAway") // Array elements after the last event are never read.
    private Runnable removeFirst() {
        Runnable first = planned[0];
        int last = --size;
        Runnable moved = planned[last];
        planned[last] = null;
        if (last > 0) {
            sink(times[last], orders[last], moved);
        }
        return first;
    }

    private void put(int index, long time, long its, Runnable event) {
        times[index] = time;
        orders[index] = its;
        planned[index] = event;
    }

    private void rise(int from, long time, long its, Runnable event) {
        int at = from;
        while (at > 0) {
            int parent = (at - 1) / CHILDREN;
            if (!isBefore(time, its, parent)) {
                break;
            }
            put(at, times[parent], orders[parent], planned[parent]);
            at = parent;
        }
        put(at, time, its, event);
    }

    private void sink(long time, long its, Runnable event) {
        int at = 0;
        for (int child = 1; child < size; child = CHILDREN * at + 1) {
            int least = leastFrom(child);
            if (isBefore(time, its, least)) {
                break;
            }
            put(at, times[least], orders[least], planned[least]);
            at = least;
        }
        put(at, time, its, event);
    }

    private int leastFrom(int first) {
        int least = first;
        int end = Math.min(size, first + CHILDREN);
        for (int child = first + 1; child < end; child++) {
            if (isBefore(times[child], orders[child], least)) {
                least = child;
            }
        }
        return least;
    }

    private boolean isBefore(long time, long its, int other) {
        return time < times[other] || (time == times[other] && its < orders[other]);
    }
}
