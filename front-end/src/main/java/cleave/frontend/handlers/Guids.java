package cleave.frontend.handlers;

import java.util.Random;
import java.util.UUID;

/** Generates ids for requests and the parts of batches. Confined to its loop. */
public final class Guids {
    private final Random random;

    public Guids(Random random) {
        this.random = random;
    }

    /** A random (version 4) guid. */
    public String next() {
        long high = (random.nextLong() & ~0xf000L) | 0x4000L;
        long low = (random.nextLong() & ~(3L << 62)) | (2L << 62);
        return new UUID(high, low).toString();
    }
}
