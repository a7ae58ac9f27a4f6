package cleave.master.policy;

/**
 * A tick of the balancer. Immutable.
 *
 * @param beforeNanos when the tick before it was
 * @param observedNanos when its observation began
 * @param observation their number, about one per second: a tick that comes too soon belongs to the last one
 */
record Tick(long nanos, long beforeNanos, long observedNanos, long observation) {
    static final Tick NONE = new Tick(Long.MIN_VALUE, Long.MIN_VALUE, Long.MIN_VALUE, 0);

    /** Observations closer together than this count as one. */
    private static final long OBSERVATION_NANOS = 900_000_000L;

    Tick next(long now) {
        boolean observes = observation == 0 || now - observedNanos >= OBSERVATION_NANOS;
        return new Tick(now, nanos, observes ? now : observedNanos, observes ? observation + 1 : observation);
    }
}
