package cleave.board;

import cleave.runtime.loop.Backoff;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * How often a board asks. Immutable and pure.
 *
 * <p>The leader's answer grows with the ranges, so a period is at least a millisecond for each of them: 10,000 ranges cost the leader one answer in ten
 * seconds, whatever the number of viewers.
 *
 * @param periodMillis while somebody watches
 * @param idleMillis while nobody does
 */
public record Pace(long periodMillis, long idleMillis) {
    /** For a process of its own, which records. */
    public static final Pace STEADY = new Pace(1000, 1000);

    private static final Backoff AFTER_FAILURES =
            new Backoff(TimeUnit.MILLISECONDS.toNanos(500), TimeUnit.SECONDS.toNanos(10));

    /** Milliseconds from the begin of one question to that of the next. */
    long millis(int ranges, int viewers, int failures, Random random) {
        if (failures > 0) {
            return TimeUnit.NANOSECONDS.toMillis(AFTER_FAILURES.nanos(failures, random));
        }
        return Math.max(viewers > 0 ? periodMillis : idleMillis, ranges);
    }
}
