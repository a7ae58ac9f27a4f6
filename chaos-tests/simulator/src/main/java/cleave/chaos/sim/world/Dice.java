package cleave.chaos.sim.world;

import java.util.Random;

/** A {@link Random} whose state can be kept and set again, so that one draw can be repeated without those before it. */
public final class Dice extends Random {
    private static final long serialVersionUID = 1;

    private static final long MULTIPLIER = 0x5DEECE66DL;
    private static final long INCREMENT = 0xBL;
    private static final int BITS = 48;
    private static final long MASK = (1L << BITS) - 1;

    private long state;

    Dice(long seed) {
        super(seed);
    }

    /** The superclass calls this, too. */
    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // Confined to the one thread of a simulation.
    public void setSeed(long seed) {
        state = (seed ^ MULTIPLIER) & MASK;
    }

    /** As {@link Random} specifies it, so its numbers are the same. */
    @Override
    protected int next(int bits) {
        state = (state * MULTIPLIER + INCREMENT) & MASK;
        return (int) (state >>> (BITS - bits));
    }

    public long state() {
        return state;
    }

    public void set(long kept) {
        state = kept & MASK;
    }
}
