package cleave.chaos.load.run;

import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * When clients may send. In an open loop each takes the next time of the schedule, whatever became of the operations before; in a closed loop it
 * sends as soon as it has its last answer. A steady pace has no end, and its rate may change; what is due more than half a second ago is given up. A warm-up comes first; what was due in it and not sent at its end is never sent, so that it delays
 * nothing that is measured. Thread-safe.
 */
public final class Pace {
    private static final long WAIT_NANOS_MAX = 50_000_000L;
    private static final long END = -1;
    private static final double NANOS_PER_SECOND = 1e9;
    /** No client of a steady pace ever catches up on a longer delay. */
    private static final long BEHIND_NANOS_MAX = 500_000_000L;

    private final @Nullable Schedule schedule;
    private final @Nullable Schedule warmUp;
    private final long beginNanos;
    private final long zeroNanos;
    private final long endNanos;
    private final AtomicLong next = new AtomicLong();
    private final AtomicLong nextOfWarmUp = new AtomicLong();
    private final AtomicLong sent = new AtomicLong();
    private final @Nullable Random gaps;
    private volatile double rate;
    private volatile boolean isStopped;

    /**
     * @param schedule null for a closed loop, which ends after {@code seconds}
     * @param warmUpSeconds before the schedule or the loop begins; 0 for none
     */
    Pace(@Nullable Schedule schedule, double seconds, double warmUpSeconds) {
        this(schedule, seconds, warmUpSeconds, 0, null);
    }

    private Pace(
            @Nullable Schedule schedule, double seconds, double warmUpSeconds, double rate, @Nullable Random gaps) {
        this.rate = rate;
        this.gaps = gaps;
        this.schedule = schedule;
        this.warmUp = schedule == null || warmUpSeconds <= 0 ? null : schedule.warmUp(warmUpSeconds);
        this.beginNanos = System.nanoTime();
        this.zeroNanos = (long) (warmUpSeconds * 1e9);
        this.endNanos = zeroNanos + (long) (seconds * 1e9);
    }

    /**
     * A pace without an end.
     *
     * @param perSecond the rate, which is above 0
     * @param gaps chooses the times by chance, as of a Poisson process; null: evenly
     */
    public static Pace steady(double perSecond, @Nullable Random gaps) {
        return new Pace(null, Long.MAX_VALUE / NANOS_PER_SECOND, 0, perSecond, gaps);
    }

    /** Sets the rate of a steady pace from now on. */
    public void rate(double perSecond) {
        rate = perSecond;
    }

    /** When the warm-up ends, in nanoseconds since the beginning: what is due from then on is measured. */
    long zeroNanos() {
        return zeroNanos;
    }

    /** Nanoseconds since the beginning, from 1. */
    long now() {
        return at(System.nanoTime());
    }

    /** The same at a time of {@link System#nanoTime}. */
    long at(long nanoTime) {
        return nanoTime - beginNanos + 1;
    }

    /** Waits until an operation is due, and returns when that was; -1 at the end. */
    public long awaitDue() {
        if (isStopped || now() >= endNanos) {
            return END;
        }
        if (rate > 0) {
            return await(nextSteady());
        }
        if (schedule == null) {
            return now();
        }
        if (warmUp != null && now() < zeroNanos) {
            long due = await(warmUp.dueNanos(nextOfWarmUp.getAndIncrement()));
            if (due != END || isStopped) {
                return due;
            }
        }
        long due = schedule.dueNanos(next.getAndIncrement());
        return await(due < 0 ? END : zeroNanos + due);
    }

    private long nextSteady() {
        double gap = (gaps == null ? 1 : -Math.log(1 - gaps.nextDouble())) * NANOS_PER_SECOND / rate;
        long earliest = now() - BEHIND_NANOS_MAX;
        return next.getAndUpdate(due -> Math.max(due, earliest) + (long) gap);
    }

    private long await(long due) {
        if (due < 0) {
            return END;
        }
        for (long wait = due - now(); wait > 0 && !isStopped; wait = due - now()) {
            LockSupport.parkNanos(Math.min(wait, WAIT_NANOS_MAX));
        }
        return isStopped ? END : Math.max(1, due);
    }

    /** Waits before a retry of what was due then; false if the run ends before, or the warm-up to which it belongs. */
    boolean pause(double seconds, long due) {
        long until = now() + (long) (seconds * 1e9);
        long endOfIts = due < zeroNanos ? zeroNanos : endNanos;
        for (long wait = until - now(); wait > 0; wait = until - now()) {
            if (isStopped || now() >= endOfIts) {
                return false;
            }
            LockSupport.parkNanos(Math.min(wait, WAIT_NANOS_MAX));
        }
        return true;
    }

    public void stop() {
        isStopped = true;
    }

    /** By how much sending is behind the schedule, in nanoseconds; 0 in a closed loop. */
    long behindNanos() {
        if (schedule == null) {
            return 0;
        }
        long due = schedule.dueNanos(next.get());
        return due < 0 ? 0 : Math.max(0, Math.min(now(), endNanos) - zeroNanos - due);
    }

    /** Operations that were due and never sent; 0 in a closed loop. To be asked when all clients have ended. */
    long neverSent() {
        if (schedule == null || isStopped) {
            return 0;
        }
        long all = (long) Math.ceil(schedule.operations() - 1e-6);
        return Math.max(0, all - sent.get());
    }

    /** Notes that an operation that was not due in the warm-up is being sent. */
    void sent() {
        sent.incrementAndGet();
    }
}
