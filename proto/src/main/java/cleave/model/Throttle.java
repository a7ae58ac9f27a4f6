package cleave.model;

/**
 * A limit of entities a second: a token bucket that holds a second's worth, whose whole state is one moment, up to which what was
 * let in is paid for. Immutable and pure; the state is its user's to keep. 0 entities: no limit.
 *
 * <p>A request is admitted while the bucket is not empty, and pays what it costs even if that is more than the bucket holds: so
 * requests of any size pass, and over time no more than the limit does. Debt has an end, so that many that were admitted at the same
 * moment do not shut out all others for minutes.
 *
 * @param entitiesPerSecond 0 and up
 */
public record Throttle(int entitiesPerSecond) {
    /** No limit. */
    public static final Throttle OFF = new Throttle(0);

    /** The highest limit that can be set. */
    public static final int ENTITIES_PER_SECOND_MAX = 1_000_000_000;

    private static final long SECOND = 1_000_000_000L;

    public Throttle {
        Invariant.check(
                entitiesPerSecond >= 0 && entitiesPerSecond <= ENTITIES_PER_SECOND_MAX,
                "a limit of %s entities a second",
                entitiesPerSecond);
    }

    public boolean isOff() {
        return entitiesPerSecond == 0;
    }

    /** True if a request may enter. */
    public boolean admits(long paidUntilNanos, long nowNanos) {
        return isOff() || paidUntilNanos - nowNanos < SECOND;
    }

    /** The state after paying for this many more entities. */
    public long paid(long paidUntilNanos, long nowNanos, long entities) {
        if (isOff()) {
            return nowNanos;
        }
        long ahead = Math.max(0, paidUntilNanos - nowNanos);
        return nowNanos + Math.min(ahead + nanos(entities), SECOND + Math.max(SECOND, nanos(Limits.PAGE_ENTITIES_MAX)));
    }

    private long nanos(long entities) {
        return entities * SECOND / entitiesPerSecond;
    }

    /** True if the bucket is full: then it is as if it had never been used. */
    public boolean isFull(long paidUntilNanos, long nowNanos) {
        return paidUntilNanos - nowNanos <= 0;
    }
}
