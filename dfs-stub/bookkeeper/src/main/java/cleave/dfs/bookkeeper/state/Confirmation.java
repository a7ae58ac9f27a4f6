package cleave.dfs.bookkeeper.state;

import java.util.concurrent.TimeUnit;

/**
 * When a writer last knew that its file was neither sealed by another nor deleted. Immutable.
 *
 * <p>Bookies remember a fence as long as the ledger exists, and forget it with a restart afterwards. So a deleted ledger, once taken over, is
 * kept for {@link Retention#fenceNanos}, and a writer whose last confirmation is older than {@link Retention#confirmNanos}, a shorter time,
 * acknowledges nothing. This is the only place where safety depends on clocks: a writer's clock must not lose more than the difference
 * of the two, 12 of 24 hours, against ZooKeeper's. The monotonic clock stands still while a machine sleeps, and the wall clock can be set back,
 * so the greater of their two answers counts.
 */
public record Confirmation(long nanos, long millis) {
    public boolean isOlderThan(long limitNanos, long nowNanos, long nowMillis) {
        return nowNanos - nanos > limitNanos || TimeUnit.MILLISECONDS.toNanos(nowMillis - millis) > limitNanos;
    }
}
