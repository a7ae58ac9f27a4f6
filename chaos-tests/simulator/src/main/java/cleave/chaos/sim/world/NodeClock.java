package cleave.chaos.sim.world;

import cleave.model.Ticks;
import cleave.runtime.loop.Clock;
import java.time.Instant;

/** The clocks of one node, which drift from simulated time; the wall clock also jumps. */
public final class NodeClock implements Clock {
    /** By how much the clocks of a cluster may differ. */
    public static final long SKEW_NANOS = 5_000_000_000L;

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

    /** @param drift the relative error of its rate */
    public NodeClock(Scheduler scheduler, double drift) {
        this.scheduler = scheduler;
        this.usual = 1 + drift;
        this.rate = usual;
    }

    /** Moves the wall clock. */
    public void jump(long nanos) {
        observe();
        jumpedTicks += nanos / 100;
        observe();
    }

    /** Changes the relative error of its rate. */
    public void drift(double drift) {
        changeRate(1 + drift);
    }

    private void changeRate(double to) {
        observe();
        passedBefore = passed();
        sinceNanos = scheduler.now();
        rate = to;
    }

    /** Restores the initial rate and corrects the wall clock. */
    public void repair() {
        changeRate(usual);
        jumpedTicks = (sinceNanos - passedBefore) / 100;
    }

    /** The correct time. */
    public static long trueTicks(World world) {
        return ORIGIN_TICKS + world.now() / 100;
    }

    /** The maximum lead of the wall clock over true time so far, in ticks. */
    public long aheadMost() {
        observe();
        return aheadMost;
    }

    /** The maximum by which the monotonic clock has overestimated a time span, in ticks. */
    public long gainedMost() {
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

    /** The same span in simulated time. */
    long global(long localNanos) {
        return (long) (localNanos / rate) + 1;
    }
}
