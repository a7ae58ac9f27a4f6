package cleave.dfs.bookkeeper.state;

import cleave.model.Invariant;
import java.util.concurrent.TimeUnit;

/**
 * How long things are kept. Immutable.
 *
 * @param confirmNanos after which a writer that could not confirm its name fails by itself; it tries twelve times as often
 * @param fenceNanos for which the ledger of a file that was taken over stays, fenced, after the deletion of the file
 * @param tombstoneNanos for which a deleted path is refused: longer than any process that might still use it can plausibly sleep
 * @param sweepNanos between sweeps of one cluster's tombstones and ledgers
 */
public record Retention(long confirmNanos, long fenceNanos, long tombstoneNanos, long sweepNanos) {
    public static final Retention STANDARD = new Retention(
            TimeUnit.HOURS.toNanos(12),
            TimeUnit.HOURS.toNanos(24),
            TimeUnit.DAYS.toNanos(7),
            TimeUnit.HOURS.toNanos(6));

    public Retention {
        Invariant.check(
                confirmNanos > 0 && 2 * confirmNanos <= fenceNanos && fenceNanos <= tombstoneNanos && sweepNanos > 0,
                "confirm %s, fence %s, tombstone %s, sweep %s",
                confirmNanos,
                fenceNanos,
                tombstoneNanos,
                sweepNanos);
    }

    /** What is to be done with the name of a deleted file. */
    public enum Due {
        NOTHING,
        DELETE_LEDGER,
        FORGET
    }

    /** @param ageNanos since the deletion */
    public Due due(Name deleted, long ageNanos) {
        if (deleted.hasLedger() && (deleted.kind() == Name.Kind.DELETED || ageNanos > fenceNanos)) {
            return Due.DELETE_LEDGER;
        }
        return ageNanos > tombstoneNanos ? Due.FORGET : Due.NOTHING;
    }
}
