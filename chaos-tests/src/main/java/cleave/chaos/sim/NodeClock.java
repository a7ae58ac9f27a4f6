package cleave.chaos.sim;

import cleave.loop.Clock;
import cleave.model.Ticks;
import java.time.Instant;

/** The clocks of one node: they drift from the simulation's time, and the wall clock jumps. Confined to the simulation. */
final class NodeClock implements Clock {
    private static final long ORIGIN_NANOS = 1_000_000_000;
    private static final long ORIGIN_TICKS = Ticks.of(Instant.parse("2026-01-01T00:00:00Z"));

    private final Scheduler scheduler;
    private final double rate;
    private long jumpedTicks;

    /** @param drift the part of a second by which it runs ahead each second */
    NodeClock(Scheduler scheduler, double drift) {
        this.scheduler = scheduler;
        this.rate = 1 + drift;
    }

    /** The wall clock jumps. */
    void jump(long nanos) {
        jumpedTicks += nanos / 100;
    }

    /** The wall clock is set right. */
    void repair() {
        jumpedTicks = 0;
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
        return (long) (scheduler.now() * rate);
    }

    /** How long that is in the simulation's time. */
    long global(long localNanos) {
        return (long) (localNanos / rate) + 1;
    }
}
