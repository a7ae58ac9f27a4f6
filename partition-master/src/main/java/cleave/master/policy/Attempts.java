package cleave.master.policy;

import cleave.master.state.BalancerSettings;
import java.util.ArrayList;
import java.util.List;

/**
 * The balancer's decisions about a range that have had no effect so far. Immutable.
 *
 * @param ordersInVain consecutive decisions that had no effect
 * @param refusals how often in a row the range should have been split and could not be
 * @param wasLeftAlone the range could not be split while it was as hot or large as it is now; repeated attempts would
 *     take noise for a bound
 * @param splitsEndOff the end that receives all inserts is about to be split off
 * @param reported verdicts that were reported about the range
 */
record Attempts(
        long restUntilNanos,
        int ordersInVain,
        int refusals,
        boolean wasLeftAlone,
        boolean splitsEndOff,
        boolean endWasSplitOff,
        List<Decision.Reason> reported) {
    private static final long REST_NANOS = 5_000_000_000L;
    private static final int DOUBLINGS_MAX = 6;

    private static final Attempts NONE = new Attempts(Long.MIN_VALUE, 0, 0, false, false, false, List.of());
    private static final Attempts END_SPLIT_OFF = new Attempts(Long.MIN_VALUE, 0, 0, false, false, true, List.of());

    static Attempts none(boolean endWasSplitOff) {
        return endWasSplitOff ? END_SPLIT_OFF : NONE;
    }

    /** If it has no effect, the next one waits longer each time. */
    Attempts ordered(long now) {
        long rest = REST_NANOS << Math.min(ordersInVain, DOUBLINGS_MAX);
        return new Attempts(
                now + rest, ordersInVain + 1, refusals, wasLeftAlone, splitsEndOff, endWasSplitOff, reported);
    }

    Attempts succeeded() {
        return ordersInVain == 0
                ? this
                : new Attempts(restUntilNanos, 0, refusals, wasLeftAlone, splitsEndOff, endWasSplitOff, reported);
    }

    /** After the last of the refusals it is left alone for a while. */
    Attempts refused(BalancerSettings settings, long now) {
        return refusals + 1 < settings.refusals()
                ? new Attempts(
                        restUntilNanos,
                        ordersInVain,
                        refusals + 1,
                        wasLeftAlone,
                        splitsEndOff,
                        endWasSplitOff,
                        reported)
                : new Attempts(
                        now + settings.refusalPauseNanos(),
                        ordersInVain,
                        0,
                        true,
                        splitsEndOff,
                        endWasSplitOff,
                        reported);
    }

    Attempts reporting(Decision.Reason reason) {
        List<Decision.Reason> all = new ArrayList<>(reported);
        all.add(reason);
        return new Attempts(
                restUntilNanos, ordersInVain, refusals, wasLeftAlone, splitsEndOff, endWasSplitOff, List.copyOf(all));
    }

    /** True if {@link #cooled} may change it. */
    boolean hasToCool() {
        return refusals != 0 || wasLeftAlone || !reported.isEmpty();
    }

    /** @param forgets the reported verdicts no longer hold */
    Attempts cooled(boolean forgets) {
        boolean changes = refusals != 0 || (forgets && (wasLeftAlone || !reported.isEmpty()));
        return changes
                ? new Attempts(
                        restUntilNanos,
                        ordersInVain,
                        0,
                        wasLeftAlone && !forgets,
                        splitsEndOff,
                        endWasSplitOff,
                        forgets ? List.of() : reported)
                : this;
    }

    Attempts splittingEndOff() {
        return new Attempts(restUntilNanos, ordersInVain, refusals, wasLeftAlone, true, endWasSplitOff, reported);
    }
}
