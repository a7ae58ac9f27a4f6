package cleave.master.policy;

import java.util.Arrays;

/**
 * What a range has carried in parts of a window, as far as that exceeds what it has carried since: in order of time, so descending.
 * Functions of an array of pairs, of the time at which a part began and the bits of the entities a second. There may be a hundred thousand
 * such arrays, and each is read every other second. Arrays are never changed.
 */
final class Maxima {
    static final long[] NONE = {};

    private Maxima() {}

    static long[] of(long beganNanos, double entities) {
        return new long[] {beganNanos, Double.doubleToRawLongBits(entities)};
    }

    /** When the part of the highest one began. There is one. */
    static long firstBeganNanos(long[] maxima) {
        return maxima[0];
    }

    /** The highest one. There is one. */
    static double highest(long[] maxima) {
        return Double.longBitsToDouble(maxima[1]);
    }

    /** The lowest one. There is one. */
    static double lowest(long[] maxima) {
        return Double.longBitsToDouble(maxima[maxima.length - 1]);
    }

    /** True if the last one is of the part that began then. */
    static boolean endsWith(long[] maxima, long beganNanos) {
        return maxima.length > 0 && maxima[maxima.length - 2] == beganNanos;
    }

    /** Those that began at this time or later and exceed what is measured now. */
    static long[] since(long[] maxima, long beganNanos, double measured) {
        int from = 0;
        int end = maxima.length;
        while (from < end && maxima[from] < beganNanos) {
            from += 2;
        }
        while (end > from && Double.longBitsToDouble(maxima[end - 1]) <= measured) {
            end -= 2;
        }
        return from == end ? NONE : end - from == maxima.length ? maxima : Arrays.copyOfRange(maxima, from, end);
    }

    /** With one more at the end. */
    static long[] plus(long[] maxima, long beganNanos, double entities) {
        long[] more = Arrays.copyOf(maxima, maxima.length + 2);
        more[maxima.length] = beganNanos;
        more[maxima.length + 1] = Double.doubleToRawLongBits(entities);
        return more;
    }
}
