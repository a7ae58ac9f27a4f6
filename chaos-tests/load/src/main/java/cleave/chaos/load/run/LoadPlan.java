package cleave.chaos.load.run;

import cleave.chaos.load.workload.Workload;
import cleave.client.RetryPolicy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A run: its operations, its target and its pace. Immutable.
 *
 * @param clients the most requests in flight
 * @param schedule when operations are due; null: a closed loop
 * @param seconds after which nothing more is sent
 * @param warmUpSeconds for which the same is done before, and not measured
 * @param patience for one answer
 * @param runId part of the RowKeys of what is inserted: letters and digits
 */
public record LoadPlan(
        Target target,
        String table,
        Workload workload,
        int clients,
        @Nullable Schedule schedule,
        double seconds,
        double warmUpSeconds,
        RetryPolicy retries,
        Duration patience,
        long seed,
        String runId) {
    /** A closed loop without retries and warm-up. */
    public static LoadPlan closed(
            Target target, String table, Workload workload, int clients, double seconds, long seed) {
        return new LoadPlan(
                target,
                table,
                workload,
                clients,
                null,
                seconds,
                0,
                RetryPolicy.NONE,
                Duration.ofSeconds(60),
                seed,
                Long.toString(System.currentTimeMillis(), Character.MAX_RADIX) + seed);
    }

    /** A step of a search: an open loop at this rate for some seconds, with the same choices, and inserts of its own. */
    public LoadPlan step(double rate, double length) {
        return new LoadPlan(
                target,
                table,
                workload,
                clients,
                Schedule.constant(rate, length),
                length,
                warmUpSeconds,
                retries,
                patience,
                seed,
                Long.toString(System.currentTimeMillis(), Character.MAX_RADIX));
    }

    /** The same in an open loop at this rate. */
    public LoadPlan at(double rate) {
        return new LoadPlan(
                target,
                table,
                workload,
                clients,
                Schedule.constant(rate, seconds),
                seconds,
                warmUpSeconds,
                retries,
                patience,
                seed,
                runId);
    }
}
