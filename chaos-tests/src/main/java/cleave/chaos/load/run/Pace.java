package cleave.chaos.load.run;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * When clients may send. In an open loop each takes the next time of the schedule, whatever became of the operations before; in a closed loop it
 * sends as soon as it has its last answer. Thread-safe.
 */
final class Pace {
    private static final long WAIT_NANOS_MAX = 50_000_000L;
    private static final long END = -1;

    private final @Nullable Schedule schedule;
    private final long beginNanos;
    private final long endNanos;
    private final AtomicLong next = new AtomicLong();
    private final AtomicLong sent = new AtomicLong();
    private volatile boolean isStopped;

    /** @param schedule null for a closed loop, which ends after {@code seconds} */
    Pace(@Nullable Schedule schedule, double seconds) {
        this.schedule = schedule;
        this.beginNanos = System.nanoTime();
        this.endNanos = (long) (seconds * 1e9);
    }

    /** Nanoseconds since the beginning, from 1. */
    long now() {
        return System.nanoTime() - beginNanos + 1;
    }

    /** Waits until an operation is due, and returns when that was; -1 at the end. */
    long awaitDue() {
        if (isStopped || now() >= endNanos) {
            return END;
        }
        if (schedule == null) {
            return now();
        }
        long due = schedule.dueNanos(next.getAndIncrement());
        if (due < 0) {
            return END;
        }
        for (long wait = due - now(); wait > 0 && !isStopped; wait = due - now()) {
            LockSupport.parkNanos(Math.min(wait, WAIT_NANOS_MAX));
        }
        return isStopped ? END : Math.max(1, due);
    }

    /** Waits before a retry; false if the run ends before. */
    boolean pause(double seconds) {
        long until = now() + (long) (seconds * 1e9);
        for (long wait = until - now(); wait > 0; wait = until - now()) {
            if (isOver()) {
                return false;
            }
            LockSupport.parkNanos(Math.min(wait, WAIT_NANOS_MAX));
        }
        return true;
    }

    boolean isOver() {
        return isStopped || now() >= endNanos;
    }

    void stop() {
        isStopped = true;
    }

    /** By how much sending is behind the schedule, in nanoseconds; 0 in a closed loop. */
    long behindNanos() {
        if (schedule == null) {
            return 0;
        }
        long due = schedule.dueNanos(next.get());
        return due < 0 ? 0 : Math.max(0, Math.min(now(), endNanos) - due);
    }

    /** Operations that were due and never sent; 0 in a closed loop. To be asked when all clients have ended. */
    long neverSent() {
        if (schedule == null || isStopped) {
            return 0;
        }
        long all = (long) Math.ceil(schedule.operations() - 1e-6);
        return Math.max(0, all - sent.get());
    }

    /** Notes that an operation is being sent. */
    void sent() {
        sent.incrementAndGet();
    }
}
