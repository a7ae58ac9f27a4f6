package cleave.master.policy;

import cleave.master.state.BalancerSettings;
import cleave.model.Row;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The balancer's memory of one range. Immutable. The ranges that replace it inherit it, so a heavy load is not
 * forgotten because a range was split, merged or moved.
 */
record RangeHistory(Placement placement, Measured measured, Attempts attempts) {
    /** The history of a range with a new id, which continues those of the ranges that it came from. */
    static RangeHistory of(Row row, List<RangeHistory> before, int siblings, long now) {
        long covered = before.isEmpty() ? now : before.get(0).measured.coveredNanos();
        double most = 0;
        double expected = 0;
        double expected30s = 0;
        long bytes = 0;
        Long split = null;
        Long moved = null;
        boolean endWasSplitOff = false;
        for (RangeHistory old : before) {
            covered = Math.max(covered, old.measured.coveredNanos());
            most += old.maximum();
            expected += old.entities() / siblings;
            expected30s += old.measured.entities30s() / siblings;
            bytes += old.bytes() / siblings;
            split = later(split, old.placement.splitNanos());
            moved = later(moved, old.placement.movedNanos());
            endWasSplitOff |= old.endWasSplitOff() || (siblings > 1 && old.attempts.splitsEndOff());
        }
        if (siblings > 1) {
            boolean stayed = before.stream().anyMatch(old -> Objects.equals(old.placement.owner(), row.owner()));
            split = now;
            moved = stayed ? null : (Long) now; // It came to its owner with the split.
        }
        return new RangeHistory(
                new Placement(row.owner(), row.epoch(), now, expected, expected30s, split, moved),
                Measured.begun(expected, expected30s, bytes, before.isEmpty() ? null : (Double) most, covered, now),
                Attempts.none(endWasSplitOff));
    }

    private static @Nullable Long later(@Nullable Long one, @Nullable Long other) {
        return one == null || (other != null && other > one) ? other : one;
    }

    /** The history at a tick; the same at every later one until something happens or is due. */
    RangeHistory observing(Row row, @Nullable Load load, BalancerSettings settings, Tick tick) {
        boolean moved = row.epoch() != placement.epoch();
        Placement at = moved ? placement.movedTo(row, measured, tick.nanos()) : placement;
        return new RangeHistory(at, measured.with(load, at, settings, tick), moved ? attempts.succeeded() : attempts);
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
        return measured.carried().value();
    }

    long bytes() {
        return measured.bytes();
    }

    /** The maximum within the window of merges. */
    double maximum() {
        return measured.most().value();
    }

    /** True if the range is as cold and as small as it was, so it may be merged with the same neighbours as before. */
    boolean isAsSmallAs(RangeHistory before) {
        return maximum() == before.maximum() && bytes() == before.bytes();
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
        Long split = placement.splitNanos();
        return split != null && now - split < nanos;
    }

    boolean wasMovedWithin(long nanos, long now) {
        Long moved = placement.movedNanos();
        return moved != null && now - moved < nanos;
    }

    /** The range rests for as long as if it had been moved just now. */
    RangeHistory stayingInPlace(long now) {
        return new RangeHistory(placement.stayingFrom(now), measured, attempts);
    }

    /** When it was split, or else the time itself. */
    long splitOr(long time) {
        Long split = placement.splitNanos();
        return split == null ? time : split;
    }

    /** When it was moved, or else the time itself. */
    long movedOr(long time) {
        Long moved = placement.movedNanos();
        return moved == null ? time : moved;
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
