package cleave.server.policy;

/** Entities per second as an exponentially weighted average over about two seconds. Confined to the range's loop. */
public final class LoadAverage {
    private static final double WINDOW_NANOS = 2e9;

    private double perSecond;
    private long sampledNanos;

    public LoadAverage(long nowNanos) {
        this.sampledNanos = nowNanos;
    }

    /** Takes in what was counted since the sample before. */
    public double sample(long counted, long nowNanos) {
        long elapsed = nowNanos - sampledNanos;
        if (elapsed > 0) {
            double weight = 1 - StrictMath.exp(-elapsed / WINDOW_NANOS);
            perSecond += weight * (counted * 1e9 / elapsed - perSecond);
            sampledNanos = nowNanos;
        }
        return perSecond;
    }
}
