package cleave.dfs.policy;

/**
 * Whether a writer may believe an engine that reports an append or barrier as done, if the engine forgets the fence of a
 * file some time after the file was deleted. Every handle has one. Not thread-safe.
 *
 * <p>An engine remembers a fence while the file exists, and for {@link FenceTimes#retainNanos} after its deletion. So a
 * report is true if the file existed when the writer saw the report, and also if it existed no longer than {@link
 * FenceTimes#trustNanos} before. Had it been sealed and deleted since, its fence would still be remembered. A writer whose
 * last proof is older must look the name up, and may believe the report only if a look-up that it sent <em>after</em> the
 * report, or not longer before, finds the file. While that cannot be found out, the append stays under way.
 *
 * <p>Clocks: the proof ages by the writer's clock, a deletion by that of whatever deletes the engine's data. This is correct
 * unless a clock counts less than the trust while another counts the retention. The age is the larger one of what the
 * monotonic clock and the wall clock say, because either may stand still while a machine is suspended. A wall clock that jumps
 * ahead costs a look-up.
 *
 * <p>Invariants I2, I3: a report that is believed is true.
 */
public final class NameTrust {
    private static final long TICK_NANOS = 100;

    private final long trustNanos;
    private Moment proved;

    /**
     * A reading of the two clocks of a machine. Immutable.
     *
     * @param nanos monotonic
     * @param ticks the wall clock, in {@link cleave.model.Ticks}
     */
    public record Moment(long nanos, long ticks) {
        /** The larger one of what the clocks say. */
        public long ageNanos(Moment now) {
            return Math.max(now.nanos - nanos, (now.ticks - ticks) * TICK_NANOS);
        }
    }

    /** @param created when the creation of the file was sent, which has succeeded */
    public NameTrust(FenceTimes times, Moment created) {
        this.trustNanos = times.trustNanos();
        this.proved = created;
    }

    /** True if a report is to be believed that the writer saw at this moment. */
    public boolean believes(Moment seen) {
        boolean provedSince = proved.nanos - seen.nanos >= 0;
        return provedSince || proved.ageNanos(seen) < trustNanos;
    }

    /** True if the name should be looked up now, so that appends need not wait for it later. */
    public boolean isDue(Moment now) {
        return proved.ageNanos(now) >= trustNanos / 2;
    }

    /**
     * A look-up has found that the file exists.
     *
     * @param sent when the look-up was sent
     */
    public void exists(Moment sent) {
        if (proved.nanos - sent.nanos < 0) {
            proved = sent;
        }
    }
}
