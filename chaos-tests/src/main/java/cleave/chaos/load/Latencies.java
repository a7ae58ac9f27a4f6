package cleave.chaos.load;

import java.util.Arrays;

/**
 * Counts of durations in buckets that grow with the duration, so that each is known within about 1.6 %. Confined to one thread;
 * those of several are added up when they have ended.
 */
public final class Latencies {
    private static final int SUB_BITS = 6;
    private static final int SUBS = 1 << SUB_BITS;

    private final long[] counts = new long[(Long.SIZE - SUB_BITS) * SUBS];
    private long total;
    private long maxNanos;

    public void add(long nanos) {
        counts[bucket(nanos)]++;
        total++;
        maxNanos = Math.max(maxNanos, nanos);
    }

    public void addAll(Latencies other) {
        for (int i = 0; i < counts.length; i++) {
            counts[i] += other.counts[i];
        }
        total += other.total;
        maxNanos = Math.max(maxNanos, other.maxNanos);
    }

    public long count() {
        return total;
    }

    public long maxNanos() {
        return maxNanos;
    }

    /** The duration that this share of all did not exceed; 0 if there is none. */
    public long quantileNanos(double share) {
        long rank = Math.max(1, (long) Math.ceil(share * total));
        long seen = 0;
        for (int i = 0; i < counts.length; i++) {
            seen += counts[i];
            if (total > 0 && seen >= rank) {
                return Math.min(maxNanos, highest(i));
            }
        }
        return 0;
    }

    private static int bucket(long nanos) {
        long positive = Math.max(0, nanos);
        int shift = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(positive) - SUB_BITS - 1);
        return shift * SUBS + (int) (positive >>> shift);
    }

    /** The longest duration that falls into a bucket. */
    private static long highest(int bucket) {
        int shift = Math.max(0, bucket / SUBS - 1);
        long sub = bucket - (long) shift * SUBS;
        return ((sub + 1) << shift) - 1;
    }

    @Override
    public String toString() {
        return total + " durations, "
                + Arrays.stream(counts).filter(count -> count > 0).count() + " buckets";
    }
}
