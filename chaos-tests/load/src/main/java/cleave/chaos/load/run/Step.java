package cleave.chaos.load.run;

import org.HdrHistogram.Histogram;

/**
 * The outcomes of the operations that were due in one step of a schedule, whenever they were sent. Immutable; its histogram must not be changed.
 *
 * @param rate operations per second
 * @param due operations; those that are neither done nor failed were never sent, or were waiting for a retry at the end
 * @param latency of those that ended as they should, in nanoseconds since they were due
 */
public record Step(double rate, double seconds, long due, long done, long failed, Histogram latency) {
    /** The same step of two processes. */
    public Step plus(Step other) {
        Histogram both = latency.copy();
        both.add(other.latency);
        return new Step(rate + other.rate, seconds, due + other.due, done + other.done, failed + other.failed, both);
    }

    /** True if this may be the same step of another process. */
    public boolean isAsLongAs(Step other) {
        return Double.compare(seconds, other.seconds) == 0;
    }
}
