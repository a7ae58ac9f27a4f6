package cleave.chaos.sim;

import cleave.model.Ticks;
import cleave.runtime.loop.Clock;
import java.time.Instant;

/** The clocks of one node: they drift from the simulation's time, and the wall clock jumps. Confined to the simulation. */
final class NodeClock implements Clock {
    private static final long ORIGIN_NANOS = 1_000_000_000;
    private static final long ORIGIN_TICKS = Ticks.of(Instant.parse("2026-01-01T00:00:00Z"));

    private final Scheduler scheduler;
    private final double usual;
    private double rate;
    private long jumpedTicks;
    private long sinceNanos;
    private long passedBefore;
    private long aheadMost;
    private long gainedLeast;
    private long gainedMost;

    /** @param drift the part of a second by which it runs ahead each second */
    NodeClock(Scheduler scheduler, double drift) {
        this.scheduler = scheduler;
        this.usual = 1 + drift;
        this.rate = usual;
    }

    /** The wall clock jumps. */
    void jump(long nanos) {
        observe();
        jumpedTicks += nanos / 100;
        observe();
    }

    /** From now on it runs faster or slower by this part. */
    void drift(double drift) {
        changeRate(1 + drift);
    }

    private void changeRate(double to) {
        observe();
        passedBefore = passed();
        sinceNanos = scheduler.now();
        rate = to;
    }

    /** It runs as it did in the beginning, and the wall clock is set right. */
    void repair() {
        changeRate(usual);
        jumpedTicks = (sinceNanos - passedBefore) / 100;
    }

    /** What a right clock shows. */
    static long trueTicks(World world) {
        return ORIGIN_TICKS + world.now() / 100;
    }

    /** How far the wall clock has been ahead of true time at most, in ticks. */
    long aheadMost() {
        observe();
        return aheadMost;
    }

    /** How much longer a time has been by the monotonic clock, at most, in ticks. */
    long gainedMost() {
        observe();
        return gainedMost - gainedLeast;
    }

    private void observe() {
        long gained = (passed() - scheduler.now()) / 100;
        aheadMost = Math.max(aheadMost, gained + jumpedTicks);
        gainedLeast = Math.min(gainedLeast, gained);
        gainedMost = Math.max(gainedMost, gained);
    }

    @Override
    public long nanos() {
        return ORIGIN_NANOS + passed();
    }

    @Override
    public long ticks() {
        return ORIGIN_TICKS + passed() / 100 + jumpedTicks;
    }

    private long passed() {
        return passedBefore + (long) ((scheduler.now() - sinceNanos) * rate);
    }

    /** How long that is in the simulation's time. */
    long global(long localNanos) {
        return (long) (localNanos / rate) + 1;
    }
}
