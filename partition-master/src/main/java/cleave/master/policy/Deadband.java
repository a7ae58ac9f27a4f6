package cleave.master.policy;

/**
 * A figure that follows a measured one only when that has left a band around it, and then until it has settled anew. Immutable.
 *
 * <p>What is measured of an unchanging load wanders about, and whatever is held against a threshold and lies near it would cross
 * it sooner or later, be it after an hour. This one stands still as long as the load does, and so do the decisions that rest on
 * it. The band is wider than what chance makes of averages over half a minute, for requests that come by themselves.
 *
 * @param leftNanos when the measured figure was last outside the band
 */
record Deadband(double value, long leftNanos) {
    private static final double SHARE = 0.05;
    /** The deviation of random arrivals is proportional to the root: this is five times as much. */
    private static final double OF_ROOT = 0.5;
    /** Two half-lives of what it follows. */
    private static final long SETTLING_NANOS = 60_000_000_000L;

    Deadband following(double measured, long now) {
        double greater = Math.max(value, measured);
        boolean outside = Math.abs(measured - value) > SHARE * greater + OF_ROOT * Math.sqrt(greater);
        long left = outside ? now : leftNanos;
        double next = now - left < SETTLING_NANOS ? measured : value;
        return left == leftNanos && next == value ? this : new Deadband(next, left);
    }
}
