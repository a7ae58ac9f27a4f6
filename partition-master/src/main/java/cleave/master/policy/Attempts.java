package cleave.master.policy;

import cleave.master.state.BalancerSettings;
import java.util.ArrayList;
import java.util.List;

/**
 * What was tried with a range, and what came of it. Immutable.
 *
 * @param ordersInVain decisions in a row that nothing came of
 * @param refusals how often in a row it should have been split and could not be
 * @param wasLeftAlone it could not be split while it was as hot or large as it is: by trying often enough noise would pass for a bound
 * @param splitsEndOff the end to which all inserts go is about to be split off
 * @param told verdicts that were told of it
 */
record Attempts(
        long restUntilNanos,
        int ordersInVain,
        int refusals,
        boolean wasLeftAlone,
        boolean splitsEndOff,
        boolean endWasSplitOff,
        List<Decision.Reason> told) {
    private static final long REST_NANOS = 5_000_000_000L;
    private static final int DOUBLINGS_MAX = 6;

    static Attempts none(boolean endWasSplitOff, long now) {
        return new Attempts(now, 0, 0, false, false, endWasSplitOff, List.of());
    }

    /** If nothing comes of it, the next one waits longer and longer. */
    Attempts ordered(long now) {
        long rest = REST_NANOS << Math.min(ordersInVain, DOUBLINGS_MAX);
        return new Attempts(now + rest, ordersInVain + 1, refusals, wasLeftAlone, splitsEndOff, endWasSplitOff, told);
    }

    Attempts succeeded() {
        return ordersInVain == 0
                ? this
                : new Attempts(restUntilNanos, 0, refusals, wasLeftAlone, splitsEndOff, endWasSplitOff, told);
    }

    /** After the last of the refusals it is left alone for a while. */
    Attempts refused(BalancerSettings settings, long now) {
        return refusals + 1 < settings.refusals()
                ? new Attempts(
                        restUntilNanos, ordersInVain, refusals + 1, wasLeftAlone, splitsEndOff, endWasSplitOff, told)
                : new Attempts(
                        now + settings.refusalPauseNanos(), ordersInVain, 0, true, splitsEndOff, endWasSplitOff, told);
    }

    Attempts telling(Decision.Reason reason) {
        List<Decision.Reason> all = new ArrayList<>(told);
        all.add(reason);
        return new Attempts(
                restUntilNanos, ordersInVain, refusals, wasLeftAlone, splitsEndOff, endWasSplitOff, List.copyOf(all));
    }

    /** @param forgets what was told of it no longer holds */
    Attempts cooled(boolean forgets) {
        boolean changes = refusals != 0 || (forgets && (wasLeftAlone || !told.isEmpty()));
        return changes
                ? new Attempts(
                        restUntilNanos,
                        ordersInVain,
                        0,
                        wasLeftAlone && !forgets,
                        splitsEndOff,
                        endWasSplitOff,
                        forgets ? List.of() : told)
                : this;
    }

    Attempts splittingEndOff() {
        return new Attempts(restUntilNanos, ordersInVain, refusals, wasLeftAlone, true, endWasSplitOff, told);
    }
}
