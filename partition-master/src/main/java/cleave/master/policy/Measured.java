package cleave.master.policy;

import cleave.master.state.BalancerSettings;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The measured load of a range, now and in the past. Immutable. Those of ranges in use are read and made anew every other second, so
 * all figures are in one object.
 *
 * <p>While nothing new is reported and {@link #dueNanos} has not come, a tick changes nothing in it, unless the range {@link #isHeated}.
 *
 * @param entities a second, now
 * @param carried the average over half a minute, smoothed: its part of its server's load
 * @param carriedLeftNanos when that average was last outside of its {@link Deadband}
 * @param most the maximum within the window of merges, smoothed
 * @param mostLeftNanos when that maximum was last outside of its {@link Deadband}
 * @param hot numbers of the observations within the window of splits in which the range was hot, ascending; never changed
 * @param higher what it carried before within the window of merges, as {@link Maxima}
 * @param begunNanos where the parts of the window of merges begin, a tenth of it each
 * @param coveredNanos time since which the maxima are complete
 */
@SuppressWarnings("ArrayRecordComponent") // Compared by their content; a list takes twice as much.
record Measured(
        double entities,
        double entities30s,
        double carried,
        long carriedLeftNanos,
        double most,
        long mostLeftNanos,
        long[] hot,
        long[] higher,
        long begunNanos,
        long coveredNanos) {
    private static final int WINDOWS = 10;
    private static final double CLEARLY = 1.1;
    private static final long[] NEVER_HOT = {};

    /** @param maximum of the ranges that it came from; null if none of them is known */
    static Measured begun(double entities, double entities30s, @Nullable Double maximum, long coveredNanos, long now) {
        return new Measured(
                entities,
                entities30s,
                entities30s,
                now,
                maximum == null ? 0 : maximum,
                now,
                NEVER_HOT,
                maximum == null ? Maxima.NONE : Maxima.of(now, maximum),
                now,
                coveredNanos);
    }

    /** Adds what its owner reports in this tick; null if that is nothing. The same object if nothing changes. */
    Measured with(@Nullable Load load, Placement at, BalancerSettings settings, Tick tick) {
        long now = tick.nanos();
        double fast = entities;
        double slow = entities30s;
        if (load != null) {
            boolean young = at.isYoung(now);
            fast = young ? Math.max(at.expected(), load.entities()) : load.entities();
            slow = young ? Math.max(at.expected30s(), load.entities30s()) : load.entities30s();
        }
        long carriedLeft = Deadband.left(carried, carriedLeftNanos, slow, now);
        double steadied = Deadband.next(carried, carriedLeft, slow, now);
        boolean isHot = load != null && isAbove(settings.splitLoad(), fast, steadied);
        long[] kept = higherThan(fast, settings.mergeWindowNanos(), tick);
        double highest = kept.length == 0 ? fast : Math.max(fast, Maxima.highest(kept));
        long mostLeft = Deadband.left(most, mostLeftNanos, highest, now);
        Measured next = new Measured(
                fast,
                slow,
                steadied,
                carriedLeft,
                Deadband.next(most, mostLeft, highest, now),
                mostLeft,
                hotWith(isHot, settings.splitWindowSeconds(), tick.observation()),
                kept,
                begunNanos,
                coveredNanos);
        return next.equals(this) ? this : next;
    }

    private long[] hotWith(boolean isHot, int window, long observation) {
        int from = 0;
        while (from < hot.length && hot[from] <= observation - window) {
            from++;
        }
        boolean adds = isHot && (from == hot.length || hot[hot.length - 1] != observation);
        if (from == 0 && !adds) {
            return hot;
        }
        long[] next = Arrays.copyOfRange(hot, from, adds ? hot.length + 1 : hot.length);
        if (adds) {
            next[next.length - 1] = observation;
        }
        return next;
    }

    private long[] higherThan(double measured, long window, Tick tick) {
        long[] kept = Maxima.since(higher, tick.nanos() - window - window / WINDOWS, measured);
        if (measured >= entities || tick.beforeNanos() < begunNanos) {
            return kept;
        }
        long part = partOf(tick.beforeNanos(), window);
        return Maxima.endsWith(kept, part) ? kept : Maxima.plus(kept, part, entities);
    }

    private long partOf(long time, long window) {
        long part = Math.max(1, window / WINDOWS);
        return begunNanos + (time - begunNanos) / part * part;
    }

    /** When time alone changes it; {@link Long#MAX_VALUE} if it does not. */
    long dueNanos(@Nullable Load load, Placement at, BalancerSettings settings, long now) {
        long window = settings.mergeWindowNanos();
        long forgets =
                higher.length == 0 ? Long.MAX_VALUE : Maxima.firstBeganNanos(higher) + window + window / WINDOWS + 1;
        boolean isHeldUp = load != null
                && at.isYoung(now)
                && (at.expected() > load.entities() || at.expected30s() > load.entities30s());
        return isHeldUp ? Math.min(forgets, at.grownUpNanos()) : forgets;
    }

    /**
     * A load just above the threshold counts only if it lasts, or else noise would eventually split a range that should
     * rest.
     */
    private static boolean isAbove(double threshold, double entities, double carried) {
        return entities > CLEARLY * threshold || (carried > threshold && entities > threshold / CLEARLY);
    }

    int hotSeconds() {
        return hot.length;
    }

    /** True if it is hot or was within the window of splits, so that each tick counts. */
    boolean isHeated(BalancerSettings settings) {
        return hot.length > 0 || isAboveSplitLoad(settings);
    }

    boolean isHot(BalancerSettings settings) {
        return hotSeconds() >= settings.splitHotSeconds() && isAboveSplitLoad(settings);
    }

    boolean isAboveSplitLoad(BalancerSettings settings) {
        return isAbove(settings.splitLoad(), entities, carried);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Measured that
                && entities == that.entities
                && entities30s == that.entities30s
                && carried == that.carried
                && carriedLeftNanos == that.carriedLeftNanos
                && most == that.most
                && mostLeftNanos == that.mostLeftNanos
                && begunNanos == that.begunNanos
                && coveredNanos == that.coveredNanos
                && Arrays.equals(hot, that.hot)
                && Arrays.equals(higher, that.higher);
    }

    @Override
    public int hashCode() {
        return Double.hashCode(entities) + 31 * Double.hashCode(carried) + Arrays.hashCode(higher);
    }
}
