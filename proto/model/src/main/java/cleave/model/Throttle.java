package cleave.model;

/**
 * A rate limit in entities per second: a token bucket that holds one second's worth. Its state is a single point in
 * time, up to which admitted requests are paid for; the caller keeps it. Immutable and pure. A rate of 0 means no
 * limit.
 *
 * <p>A request is admitted while the bucket is not empty and pays its full cost, even if that exceeds the bucket's content. So requests of
 * any size pass, and the average rate stays within the limit. Debt is bounded, so that many requests admitted at the same moment do not
 * block all others for minutes.
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

    /** The state after paying for that many entities. */
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

    /** True if the bucket is full, as if it had never been used. */
    public boolean isFull(long paidUntilNanos, long nowNanos) {
        return paidUntilNanos - nowNanos <= 0;
    }
}
