package cleave.master.policy;

import cleave.master.state.BalancerSettings;
import cleave.model.Row;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The balancer's memory of one range. Immutable. The ranges that replace it inherit it, so a heavy load is not
 * forgotten because a range was split, merged or moved. Idle ranges that a leader saw first in the same tick share one.
 */
record RangeHistory(Placement placement, Measured measured, Attempts attempts) {
    /** The history of a range of which the balancer knows no past. */
    static RangeHistory unknown(long now) {
        return new RangeHistory(
                new Placement(now, 0, 0, Placement.NEVER, Placement.NEVER),
                Measured.begun(0, 0, null, now, now),
                Attempts.none(false));
    }

    /**
     * The history of a range with a new id, which continues those of the ranges that it came from.
     *
     * @param before those, of which there is one at least
     * @param siblings how many came from them
     */
    static RangeHistory of(Row row, List<Tracked> before, int siblings, long now) {
        long covered = Long.MIN_VALUE;
        double most = 0;
        double expected = 0;
        double expected30s = 0;
        long split = Placement.NEVER;
        long moved = Placement.NEVER;
        boolean endWasSplitOff = false;
        for (Tracked each : before) {
            RangeHistory old = each.history;
            covered = Math.max(covered, old.coveredNanos());
            most += old.maximum();
            expected += old.entities() / siblings;
            expected30s += old.measured.entities30s() / siblings;
            split = Math.max(split, old.placement.splitNanos());
            moved = Math.max(moved, old.placement.movedNanos());
            endWasSplitOff |= old.endWasSplitOff() || (siblings > 1 && old.attempts.splitsEndOff());
        }
        if (siblings > 1) {
            boolean stayed = before.stream().anyMatch(old -> Objects.equals(old.row.owner(), row.owner()));
            split = now;
            moved = stayed ? Placement.NEVER : now; // It came to its owner with the split.
        }
        return new RangeHistory(
                new Placement(now, expected, expected30s, split, moved),
                Measured.begun(expected, expected30s, most, covered, now),
                Attempts.none(endWasSplitOff));
    }

    /** The history under a new epoch: the range was handed off. */
    RangeHistory moved(long now) {
        return new RangeHistory(placement.moved(measured, now), measured, attempts.succeeded());
    }

    /** The history at a tick; the same at every later one until something happens or is due. */
    RangeHistory observing(@Nullable Load load, BalancerSettings settings, Tick tick) {
        return with(measured.with(load, placement, settings, tick));
    }

    @SuppressWarnings("ReferenceEquality") // It is another object when it has changed.
    private RangeHistory with(Measured next) {
        return next == measured ? this : new RangeHistory(placement, next, attempts);
    }

    /**
     * When {@link #observing} would change it next though nothing happens; {@link Long#MAX_VALUE} if never. One that
     * {@link #isWatched} may change in every tick.
     */
    long dueNanos(@Nullable Load load, BalancerSettings settings, long now) {
        return measured.dueNanos(load, placement, settings, now);
    }

    /** True if it is, or was lately, so hot or so often refused that each tick looks at it. */
    boolean isWatched(BalancerSettings settings) {
        return measured.isHeated(settings) || attempts.hasToCool();
    }

    private RangeHistory with(Attempts next) {
        return next.equals(attempts) ? this : new RangeHistory(placement, measured, next);
    }

    /** Entities a second, now. */
    double entities() {
        return measured.entities();
    }

    /** The same as a smoothed average: its part of its server's load. */
    double carried() {
        return measured.carried();
    }

    /** The maximum within the window of merges. */
    double maximum() {
        return measured.most();
    }

    boolean isCoveredFor(long window, long now) {
        return now - coveredNanos() >= window;
    }

    /** Since when its loads are known without a gap. */
    long coveredNanos() {
        return measured.coveredNanos();
    }

    boolean isHot(BalancerSettings settings) {
        return measured.isHot(settings);
    }

    /** True if its load is now above the threshold, for however short a time. */
    boolean isAboveSplitLoad(BalancerSettings settings) {
        return measured.isAboveSplitLoad(settings);
    }

    int hotSeconds() {
        return measured.hotSeconds();
    }

    boolean wasSplitWithin(long nanos, long now) {
        return placement.wasSplitWithin(nanos, now);
    }

    boolean wasMovedWithin(long nanos, long now) {
        return placement.wasMovedWithin(nanos, now);
    }

    /** The range rests for as long as if it had been moved just now. */
    RangeHistory stayingInPlace(long now) {
        return new RangeHistory(placement.stayingFrom(now), measured, attempts);
    }

    /** When it was split, or else the time itself. */
    long splitOr(long time) {
        return placement.splitNanos() == Placement.NEVER ? time : placement.splitNanos();
    }

    /** When it was moved, or else the time itself. */
    long movedOr(long time) {
        return placement.movedNanos() == Placement.NEVER ? time : placement.movedNanos();
    }

    boolean rests(long now) {
        return now < restUntilNanos();
    }

    long restUntilNanos() {
        return attempts.restUntilNanos();
    }

    /** True if it rests because it could not be split, and not because of a handoff that was decided. */
    boolean restsUnsplit() {
        return attempts.wasLeftAlone() && attempts.ordersInVain() == 0;
    }

    /** A handoff of the range was decided. */
    RangeHistory ordered(long now) {
        return with(attempts.ordered(now));
    }

    /** The range should be split and cannot be. */
    RangeHistory refused(BalancerSettings settings, long now) {
        return with(attempts.refused(settings, now));
    }

    /** True if the range will rest for a while after the next refusal. */
    boolean isAtLastRefusal(BalancerSettings settings) {
        return attempts.refusals() + 1 >= settings.refusals();
    }

    boolean wasLeftAlone() {
        return attempts.wasLeftAlone();
    }

    boolean wasReported(Decision.Reason reason) {
        return attempts.reported().contains(reason);
    }

    RangeHistory reporting(Decision.Reason reason) {
        return with(attempts.reporting(reason));
    }

    /** The range is neither hot nor large: its verdicts no longer hold once it was idle for the window of merges. */
    RangeHistory cooled(BalancerSettings settings) {
        return with(attempts.cooled(maximum() <= settings.splitLoad()));
    }

    boolean endWasSplitOff() {
        return attempts.endWasSplitOff();
    }

    /** Its end is about to be split off. */
    RangeHistory splittingEndOff() {
        return with(attempts.splittingEndOff());
    }
}
