package cleave.master.policy;

import cleave.master.state.BalancerSettings;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The measured load of a range, now and in the past. Immutable.
 *
 * @param entities a second, now
 * @param carried the average over half a minute, smoothed: its part of its server's load
 * @param most the maximum within the window of merges, smoothed
 * @param bytes as last reported by an owner that knows
 * @param observations their number, about one per second
 * @param hot numbers of the observations within the window of splits in which the range was hot, ascending
 * @param maxima of each part of the window of merges, in order
 * @param coveredNanos time since which the maxima are complete
 */
record Measured(
        double entities,
        double entities30s,
        Deadband carried,
        Deadband most,
        long bytes,
        long observedNanos,
        long observations,
        List<Long> hot,
        List<Maximum> maxima,
        long coveredNanos) {
    /** Observations closer together than this count as one. */
    private static final long OBSERVATION_NANOS = 900_000_000L;

    private static final int WINDOWS = 10;
    private static final double CLEARLY = 1.1;

    record Maximum(long beganNanos, double entities) {}

    /** @param maximum of the ranges that it came from; null if none of them is known */
    static Measured begun(
            double entities, double entities30s, long bytes, @Nullable Double maximum, long coveredNanos, long now) {
        double most = maximum == null ? 0 : maximum;
        return new Measured(
                entities,
                entities30s,
                new Deadband(entities30s, now),
                new Deadband(most, now),
                bytes,
                now - OBSERVATION_NANOS,
                0,
                List.of(),
                maximum == null ? List.of() : List.of(new Maximum(now, most)),
                coveredNanos);
    }

    /** Adds what its owner reports in this tick; null if that is nothing. */
    Measured with(@Nullable Load load, Placement at, BalancerSettings settings, long now) {
        double fast = entities;
        double slow = entities30s;
        long size = bytes;
        if (load != null) {
            boolean young = at.isYoung(now);
            fast = young ? Math.max(at.expected(), load.entities()) : load.entities();
            slow = young ? Math.max(at.expected30s(), load.entities30s()) : load.entities30s();
            size = load.middle() == null ? bytes : load.bytes();
        }
        Deadband steadied = carried.following(slow, now);
        boolean observes = now - observedNanos >= OBSERVATION_NANOS;
        boolean isHot = observes && load != null && isAbove(settings.splitLoad(), fast, steadied.value());
        List<Maximum> kept = maximaWith(fast, settings.mergeWindowNanos(), now);
        double highest = 0;
        for (Maximum each : kept) {
            highest = Math.max(highest, each.entities());
        }
        return new Measured(
                fast,
                slow,
                steadied,
                most.following(highest, now),
                size,
                observes ? now : observedNanos,
                observes ? observations + 1 : observations,
                observes ? hotWith(isHot, settings.splitWindowSeconds()) : hot,
                kept,
                coveredNanos);
    }

    private List<Long> hotWith(boolean isHot, int window) {
        if (hot.isEmpty() && !isHot) {
            return hot;
        }
        List<Long> next = new ArrayList<>();
        for (long each : hot) {
            if (each > observations - window) {
                next.add(each);
            }
        }
        if (isHot) {
            next.add(observations);
        }
        return List.copyOf(next);
    }

    private List<Maximum> maximaWith(double measured, long window, long now) {
        int last = maxima.size() - 1;
        boolean begins = last < 0 || now - maxima.get(last).beganNanos() >= window / WINDOWS;
        boolean higher = !begins && measured > maxima.get(last).entities();
        boolean drops = last >= 0 && isBehind(maxima.get(0), window, now);
        if (!begins && !higher && !drops) {
            return maxima;
        }
        List<Maximum> next = new ArrayList<>(maxima.size() + 1);
        for (int i = 0; i <= last; i++) {
            Maximum each = maxima.get(i);
            Maximum kept = higher && i == last ? new Maximum(each.beganNanos(), measured) : each;
            if (!isBehind(kept, window, now)) {
                next.add(kept);
            }
        }
        if (begins) {
            next.add(new Maximum(now, measured));
        }
        return List.copyOf(next);
    }

    private static boolean isBehind(Maximum maximum, long window, long now) {
        return now - maximum.beganNanos() > window + window / WINDOWS;
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

    boolean isHot(BalancerSettings settings) {
        return hotSeconds() >= settings.splitHotSeconds() && isAboveSplitLoad(settings);
    }

    boolean isAboveSplitLoad(BalancerSettings settings) {
        return isAbove(settings.splitLoad(), entities, carried.value());
    }
}
