package cleave.dfs.bookkeeper.state;

import cleave.dfs.policy.FenceTimes;
import cleave.model.Invariant;
import java.util.concurrent.TimeUnit;

/**
 * The times for which fences, names and tombstones are kept. Immutable.
 *
 * @param fences how long a writer believes the bookies, and how long a fenced ledger outlives the deletion of a file that was taken over.
 *     Bookies remember a fence as long as the ledger exists, and forget it with a restart afterwards
 * @param unbornNanos for which a path is refused that was deleted without ever having had a ledger: only its name stops a late create
 * @param sweepNanos between sweeps of one cluster's tombstones; all ages are counted in it
 */
public record Retention(FenceTimes fences, long unbornNanos, long sweepNanos) {
    public static final Retention STANDARD =
            new Retention(FenceTimes.DEFAULT, TimeUnit.DAYS.toNanos(7), TimeUnit.HOURS.toNanos(1));

    /** Every ledger of the bookies is looked at, so this is rarer. */
    private static final long LEDGERS_NANOS = TimeUnit.HOURS.toNanos(6);

    public Retention {
        Invariant.check(
                fences.retainNanos() <= unbornNanos && sweepNanos > 0 && unbornNanos / sweepNanos < Sweeps.COUNT_MAX,
                "%s, unborn %s, sweep %s",
                fences,
                unbornNanos,
                sweepNanos);
    }

    /**
     * Whether the name of a deleted file, and its ledger before that, are given back. The tombstones of most files are brief: a late create
     * is refused once their ledger is gone.
     *
     * @param intervals between sweeps that have passed since the deletion, at least
     */
    public boolean isOver(Name deleted, long intervals) {
        return intervals * sweepNanos >= keptNanos(deleted);
    }

    private long keptNanos(Name deleted) {
        if (!deleted.hasLedger()) {
            return unbornNanos;
        }
        return deleted.kind() == Name.Kind.DELETED_FENCED ? fences.retainNanos() : sweepNanos;
    }

    /** Whether a ledger that has no name is given back: until then, its creator may be about to name it. */
    public boolean isOrphan(long intervals) {
        return intervals >= 1;
    }

    /** Whether a sweep looks for ledgers without names. */
    public boolean looksAtLedgers(long sweep) {
        return sweep % Math.max(1, LEDGERS_NANOS / sweepNanos) == 0;
    }
}
