package cleave.chaos.load.workload;

import java.util.Random;

/**
 * Numbers of which the small ones are frequent: the k-th with a probability in proportion to 1/k^constant, by the method that YCSB uses (Gray
 * et al., "Quickly generating billion-record synthetic databases", 1994). Immutable.
 */
final class Zipfian {
    /** YCSB draws from this many numbers and scatters them over the items by a hash. */
    static final long SCRAMBLED_ITEMS = 10_000_000_000L;

    private static final long FNV_OFFSET = 0xCBF29CE484222325L;
    private static final long FNV_PRIME = 1_099_511_628_211L;
    /** Beyond this many terms a sum is computed as an integral. */
    private static final int EXACT_TERMS = 100;

    private final long items;
    private final double zeta;
    private final double second;
    private final double alpha;
    private final double eta;

    /** @param constant above 0 and below 1 */
    Zipfian(long items, double constant) {
        this.items = items;
        this.zeta = zeta(items, constant);
        this.second = 1 + Math.pow(0.5, constant);
        this.alpha = 1 / (1 - constant);
        this.eta = (1 - Math.pow(2.0 / items, 1 - constant)) / (1 - zeta(2, constant) / zeta);
    }

    /** A number from 0 up. */
    long next(Random random) {
        double at = random.nextDouble();
        if (at * zeta < 1 || items == 1) {
            return 0;
        }
        if (at * zeta < second) {
            return 1;
        }
        return Math.min(items - 1, (long) (items * Math.pow(eta * at - eta + 1, alpha)));
    }

    /** The sum of 1/k^constant for k up to {@code items}; beyond the first terms by the formula of Euler and Maclaurin. */
    static double zeta(long items, double constant) {
        double sum = 0;
        long exact = Math.min(items, EXACT_TERMS);
        for (long k = 1; k <= exact; k++) {
            sum += Math.pow((double) k, -constant);
        }
        if (items > exact) {
            double from = Math.pow((double) exact, -constant);
            double to = Math.pow((double) items, -constant);
            sum += (Math.pow((double) items, 1 - constant) - Math.pow((double) exact, 1 - constant)) / (1 - constant);
            sum += (to - from) / 2 + constant / 12 * (from / exact - to / items);
        }
        return sum;
    }

    /** The FNV hash of a number's eight bytes, as YCSB computes it; never negative. */
    static long hash(long number) {
        long hash = FNV_OFFSET;
        long rest = number;
        for (int i = 0; i < Long.BYTES; i++) {
            hash = (hash ^ (rest & 0xff)) * FNV_PRIME;
            rest >>= Byte.SIZE;
        }
        return hash & Long.MAX_VALUE;
    }
}
