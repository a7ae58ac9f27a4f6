package cleave.master.policy;

/**
 * How a smoothed value follows a measured one: only when that leaves a band around it, and then until it has settled
 * again. Stateless; its users keep the value and when the measured figure was last outside.
 *
 * <p>Measurements of a constant load fluctuate, so a value near a threshold would cross it sooner or later. This one is
 * constant as long as the load is, and so are the decisions based on it. The band is wider than the random variation of
 * averages over half a minute, for requests that arrive independently.
 */
final class Deadband {
    private static final double SHARE = 0.05;
    /** The standard deviation of random arrivals is proportional to the square root; this is five times as much. */
    private static final double OF_ROOT = 0.5;
    /** Two half-lives of the average that it follows. */
    private static final long SETTLING_NANOS = 60_000_000_000L;

    private Deadband() {}

    /** When the measured figure was last outside the band, as seen now; {@code leftNanos} says it of all measured before. */
    static long left(double value, long leftNanos, double measured, long now) {
        double greater = Math.max(value, measured);
        boolean outside = Math.abs(measured - value) > SHARE * greater + OF_ROOT * Math.sqrt(greater);
        return outside ? now : leftNanos;
    }

    /** The next value, with {@link #left} as seen now. */
    static double next(double value, long leftNanos, double measured, long now) {
        return now - leftNanos < SETTLING_NANOS ? measured : value;
    }
}
