package cleave.dfs.bookkeeper.state;

import cleave.dfs.policy.FenceTimes;
import cleave.model.Invariant;
import java.util.concurrent.TimeUnit;

/**
 * How long things are kept. Immutable.
 *
 * @param fences how long a writer believes the bookies, and how long the ledger of a file that was taken over stays, fenced, after the
 *     deletion of the file: bookies remember a fence as long as the ledger exists, and forget it with a restart afterwards
 * @param tombstoneNanos for which a deleted path is refused: longer than any process that might still use it can plausibly sleep
 * @param sweepNanos between sweeps of one cluster's tombstones and ledgers; all ages are counted in it
 */
public record Retention(FenceTimes fences, long tombstoneNanos, long sweepNanos) {
    public static final Retention STANDARD =
            new Retention(FenceTimes.DEFAULT, TimeUnit.DAYS.toNanos(7), TimeUnit.HOURS.toNanos(6));

    public Retention {
        Invariant.check(
                fences.retainNanos() <= tombstoneNanos
                        && sweepNanos > 0
                        && tombstoneNanos / sweepNanos < Sweeps.COUNT_MAX,
                "%s, tombstone %s, sweep %s",
                fences,
                tombstoneNanos,
                sweepNanos);
    }

    /** What is to be done with the name of a deleted file. */
    public enum Due {
        NOTHING,
        DELETE_LEDGER,
        FORGET
    }

    /** @param intervals between sweeps that have passed since the deletion, at least */
    public Due due(Name deleted, long intervals) {
        long ageNanos = intervals * sweepNanos;
        if (deleted.hasLedger() && (deleted.kind() == Name.Kind.DELETED || ageNanos >= fences.retainNanos())) {
            return Due.DELETE_LEDGER;
        }
        return ageNanos >= tombstoneNanos ? Due.FORGET : Due.NOTHING;
    }
}
