package cleave.master.policy;

import cleave.master.state.BalancerSettings;
import cleave.model.Incarnation;
import cleave.model.KeyRange;
import cleave.model.Row;
import java.util.ArrayDeque;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the balancer remembers of one range. Confined to the balancer. It goes on in the ranges that come of this one: a load that
 * was heavy is not forgotten because a range was split, merged or moved.
 */
final class RangeHistory {
    private static final long SECOND = 1_000_000_000L;
    /** Observations that come sooner after each other count as one. */
    private static final long OBSERVATION_NANOS = SECOND * 9 / 10;

    private static final int WINDOWS = 10;
    private static final double CLEARLY = 1.1;
    /** After a handoff the new owner's figures are young: what was expected of it is not yet refuted by less. */
    private static final long YOUNG_NANOS = 2 * SECOND;

    private static final long REST_NANOS = 5 * SECOND;
    private static final int DOUBLINGS_MAX = 6;

    private final KeyRange interval;
    private @Nullable Incarnation owner;
    private long epoch;
    private long epochNanos;
    private double expected;
    private double expected30s;
    private double entities;
    private double entities30s;
    private final Steady carried;
    private final Steady most;
    private long bytes;
    private long observedNanos;
    private final ArrayDeque<Boolean> hot = new ArrayDeque<>();
    private final ArrayDeque<Maximum> maxima = new ArrayDeque<>();
    /** Since when the maxima are complete. */
    private final long coveredNanos;

    private @Nullable Long splitNanos;
    private @Nullable Long movedNanos;
    private long restUntilNanos;
    private int ordersInVain;
    private int refusals;
    private boolean wasLeftAlone;
    private boolean splitsEndOff;
    private boolean endWasSplitOff;
    private final EnumSet<Decision.Reason> verdicts = EnumSet.noneOf(Decision.Reason.class);

    private record Maximum(long beganNanos, double entities) {}

    private RangeHistory(Row row, long coveredNanos, double carried, double most, long now) {
        this.interval = row.range();
        this.owner = row.owner();
        this.epoch = row.epoch();
        this.epochNanos = now;
        this.carried = new Steady(carried, now);
        this.most = new Steady(most, now);
        this.coveredNanos = coveredNanos;
        this.observedNanos = now - OBSERVATION_NANOS;
        this.restUntilNanos = now;
    }

    /** Of a range that was not known by its id before: it goes on with those that it came from. */
    static RangeHistory of(Row row, List<RangeHistory> before, int siblings, long now) {
        long covered = now;
        if (!before.isEmpty()) {
            covered = before.get(0).coveredNanos;
        }
        double most = 0;
        double expected = 0;
        double expected30s = 0;
        for (RangeHistory old : before) {
            covered = Math.max(covered, old.coveredNanos);
            most += old.maximum();
            expected += old.entities / siblings;
            expected30s += old.entities30s / siblings;
        }
        RangeHistory history = new RangeHistory(row, covered, expected30s, most, now);
        history.expected = expected;
        history.expected30s = expected30s;
        for (RangeHistory old : before) {
            history.bytes += old.bytes / siblings;
            history.splitNanos = later(history.splitNanos, old.splitNanos);
            history.endWasSplitOff |= old.endWasSplitOff || (siblings > 1 && old.splitsEndOff);
        }
        if (siblings > 1) {
            history.splitNanos = now;
            if (before.stream().noneMatch(old -> Objects.equals(old.owner, row.owner()))) {
                history.movedNanos = now; // It came to its owner with the split.
            }
        } else {
            for (RangeHistory old : before) {
                history.movedNanos = later(history.movedNanos, old.movedNanos);
            }
        }
        if (!before.isEmpty()) {
            history.maxima.add(new Maximum(now, most));
        }
        history.entities = history.expected;
        history.entities30s = history.expected30s;
        return history;
    }

    private static @Nullable Long later(@Nullable Long one, @Nullable Long other) {
        return one == null || (other != null && other > one) ? other : one;
    }

    KeyRange interval() {
        return interval;
    }

    /** To be called each tick. */
    void observe(Row row, @Nullable Load load, BalancerSettings settings, long now) {
        if (row.epoch() != epoch) {
            epoch = row.epoch();
            epochNanos = now;
            expected = entities;
            expected30s = entities30s;
            owner = row.owner();
            movedNanos = now;
            ordersInVain = 0;
        }
        if (load != null) {
            boolean young = now - epochNanos < YOUNG_NANOS;
            entities = young ? Math.max(expected, load.entities()) : load.entities();
            entities30s = young ? Math.max(expected30s, load.entities30s()) : load.entities30s();
            bytes = load.middle() == null ? bytes : load.bytes();
        }
        carried.follow(entities30s, now);
        if (now - observedNanos >= OBSERVATION_NANOS) {
            observedNanos = now;
            hot.addLast(load != null && isAbove(settings.splitLoad()));
            while (hot.size() > settings.splitWindowSeconds()) {
                hot.removeFirst();
            }
        }
        keepMaximum(settings.mergeWindowNanos(), now);
    }

    /** Just above the threshold counts only if it lasts, else noise would sooner or later split what should rest. */
    private boolean isAbove(double threshold) {
        return entities > CLEARLY * threshold || (carried() > threshold && entities > threshold / CLEARLY);
    }

    private void keepMaximum(long window, long now) {
        Maximum last = maxima.peekLast();
        if (last == null || now - last.beganNanos() >= window / WINDOWS) {
            maxima.addLast(new Maximum(now, entities));
        } else if (entities > last.entities()) {
            maxima.removeLast();
            maxima.addLast(new Maximum(last.beganNanos(), entities));
        }
        while (now - maxima.getFirst().beganNanos() > window + window / WINDOWS) {
            maxima.removeFirst();
        }
        double highest = 0;
        for (Maximum each : maxima) {
            highest = Math.max(highest, each.entities());
        }
        most.follow(highest, now);
    }

    /** Entities a second, now. */
    double entities() {
        return entities;
    }

    /** The same as a steady average: what a server is said to carry. */
    double carried() {
        return carried.value();
    }

    long bytes() {
        return bytes;
    }

    /** The most there was within the window of merges. */
    double maximum() {
        return most.value();
    }

    boolean isCoveredFor(long window, long now) {
        return now - coveredNanos >= window;
    }

    boolean isHot(BalancerSettings settings) {
        return hotSeconds() >= settings.splitHotSeconds() && isAbove(settings.splitLoad());
    }

    int hotSeconds() {
        return (int) hot.stream().filter(each -> each).count();
    }

    boolean wasSplitWithin(long nanos, long now) {
        return splitNanos != null && now - splitNanos < nanos;
    }

    boolean wasMovedWithin(long nanos, long now) {
        return movedNanos != null && now - movedNanos < nanos;
    }

    /** It is left where it is for as long as if it had been moved just now. */
    void staysInPlace(long now) {
        movedNanos = now;
    }

    boolean rests(long now) {
        return now < restUntilNanos;
    }

    /** A handoff of it was decided on: if nothing comes of it, the next one waits longer and longer. */
    void ordered(long now) {
        restUntilNanos = now + (REST_NANOS << Math.min(ordersInVain, DOUBLINGS_MAX));
        ordersInVain++;
    }

    /** It should be split and cannot be; true if that was seen so often that it is left alone now. */
    boolean refused(BalancerSettings settings, long now) {
        refusals++;
        if (refusals < settings.refusals()) {
            return false;
        }
        refusals = 0;
        wasLeftAlone = true;
        restUntilNanos = now + settings.refusalPauseNanos();
        return true;
    }

    /** True if it could not be split while it was as hot or large as it is: by trying often enough noise would pass for a bound. */
    boolean wasLeftAlone() {
        return wasLeftAlone;
    }

    /** True if this was not said of it already. */
    boolean judged(Decision.Reason reason) {
        return verdicts.add(reason);
    }

    /** It is neither hot nor large: what was said of it holds no more once it was idle for the window of merges. */
    void cooled(BalancerSettings settings) {
        refusals = 0;
        if (maximum() <= settings.splitLoad()) {
            verdicts.clear();
            wasLeftAlone = false;
        }
    }

    boolean endWasSplitOff() {
        return endWasSplitOff;
    }

    /** It is about to be. */
    void splitsEndOff() {
        splitsEndOff = true;
    }
}
