package cleave.master.policy;

import cleave.master.state.BalancerSettings;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The measured load of a range, now and in the past. Immutable.
 *
 * <p>While nothing new is reported and {@link #dueNanos} has not come, a tick changes nothing in it, unless the range {@link #isHeated}.
 *
 * @param entities a second, now
 * @param carried the average over half a minute, smoothed: its part of its server's load
 * @param most the maximum within the window of merges, smoothed
 * @param bytes as last reported by an owner that knows
 * @param hot numbers of the observations within the window of splits in which the range was hot, ascending
 * @param higher what it carried before, as far as that exceeds what it has carried since; in order, so descending
 * @param begunNanos where the parts of the window of merges begin, a tenth of it each
 * @param coveredNanos time since which the maxima are complete
 */
record Measured(
        double entities,
        double entities30s,
        Deadband carried,
        Deadband most,
        long bytes,
        List<Long> hot,
        List<Maximum> higher,
        long begunNanos,
        long coveredNanos) {
    private static final int WINDOWS = 10;
    private static final double CLEARLY = 1.1;

    /** @param beganNanos when the part of the window began in which this was measured last */
    record Maximum(long beganNanos, double entities) {}

    /** @param maximum of the ranges that it came from; null if none of them is known */
    static Measured begun(
            double entities, double entities30s, long bytes, @Nullable Double maximum, long coveredNanos, long now) {
        double most = maximum == null ? 0 : maximum;
        Deadband carried = new Deadband(entities30s, now);
        return new Measured(
                entities,
                entities30s,
                carried,
                most == entities30s ? carried : new Deadband(most, now),
                bytes,
                List.of(),
                maximum == null ? List.of() : List.of(new Maximum(now, most)),
                now,
                coveredNanos);
    }

    /** Adds what its owner reports in this tick; null if that is nothing. */
    Measured with(@Nullable Load load, Placement at, BalancerSettings settings, Tick tick) {
        long now = tick.nanos();
        double fast = entities;
        double slow = entities30s;
        long size = bytes;
        if (load != null) {
            boolean young = at.isYoung(now);
            fast = young ? Math.max(at.expected(), load.entities()) : load.entities();
            slow = young ? Math.max(at.expected30s(), load.entities30s()) : load.entities30s();
            size = load.isSizeKnown() ? load.bytes() : bytes;
        }
        Deadband steadied = carried.following(slow, now);
        boolean isHot = load != null && isAbove(settings.splitLoad(), fast, steadied.value());
        List<Maximum> kept = higherThan(fast, settings.mergeWindowNanos(), tick);
        double highest = kept.isEmpty() ? fast : Math.max(fast, kept.get(0).entities());
        return new Measured(
                fast,
                slow,
                steadied,
                most.following(highest, now),
                size,
                hotWith(isHot, settings.splitWindowSeconds(), tick.observation()),
                kept,
                begunNanos,
                coveredNanos);
    }

    private List<Long> hotWith(boolean isHot, int window, long observation) {
        if (hot.isEmpty() && !isHot) {
            return hot;
        }
        List<Long> next = new ArrayList<>();
        for (long each : hot) {
            if (each > observation - window) {
                next.add(each);
            }
        }
        if (isHot && (next.isEmpty() || next.get(next.size() - 1) != observation)) {
            next.add(observation);
        }
        return List.copyOf(next);
    }

    private List<Maximum> higherThan(double measured, long window, Tick tick) {
        long part = partOf(tick.beforeNanos(), window);
        boolean falls = measured < entities && tick.beforeNanos() >= begunNanos;
        boolean adds = falls && !isKnown(higher, part);
        if (!adds && (higher.isEmpty() || !isAnyOver(measured, window, tick.nanos()))) {
            return higher;
        }
        List<Maximum> next = new ArrayList<>(higher.size() + 1);
        for (Maximum each : higher) {
            if (each.entities() > measured && !isBehind(each, window, tick.nanos())) {
                next.add(each);
            }
        }
        if (falls && !isKnown(next, part)) {
            next.add(new Maximum(part, entities));
        }
        return List.copyOf(next);
    }

    private static boolean isKnown(List<Maximum> maxima, long part) {
        return !maxima.isEmpty() && maxima.get(maxima.size() - 1).beganNanos() == part;
    }

    /** True if one of the higher maxima no longer is one. */
    private boolean isAnyOver(double measured, long window, long now) {
        return higher.get(higher.size() - 1).entities() <= measured || isBehind(higher.get(0), window, now);
    }

    private long partOf(long time, long window) {
        long part = Math.max(1, window / WINDOWS);
        return begunNanos + (time - begunNanos) / part * part;
    }

    private static boolean isBehind(Maximum maximum, long window, long now) {
        return now - maximum.beganNanos() > window + window / WINDOWS;
    }

    /** When time alone changes it; {@link Long#MAX_VALUE} if it does not. */
    long dueNanos(@Nullable Load load, Placement at, BalancerSettings settings, long now) {
        long window = settings.mergeWindowNanos();
        long forgets = higher.isEmpty() ? Long.MAX_VALUE : higher.get(0).beganNanos() + window + window / WINDOWS + 1;
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
        return hot.size();
    }

    /** True if it is hot or was within the window of splits, so that each tick counts. */
    boolean isHeated(BalancerSettings settings) {
        return !hot.isEmpty() || isAboveSplitLoad(settings);
    }

    boolean isHot(BalancerSettings settings) {
        return hotSeconds() >= settings.splitHotSeconds() && isAboveSplitLoad(settings);
    }

    boolean isAboveSplitLoad(BalancerSettings settings) {
        return isAbove(settings.splitLoad(), entities, carried.value());
    }
}
