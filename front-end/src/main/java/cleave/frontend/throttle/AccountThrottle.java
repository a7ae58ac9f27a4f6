package cleave.frontend.throttle;

import cleave.model.Throttle;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the entities per second of each account at one front end. Thread-safe: its loops share it. Front ends do not know of each
 * other: through several of them an account gets the limit of each.
 *
 * <p>A request is charged for one entity when it is admitted, and for the others that it wrote or examined when it is answered. A request
 * that its partition throttles has cost one. Only accounts that have signed a request are tracked.
 */
public final class AccountThrottle {
    /** Admits every request. */
    public static final AccountThrottle OFF = new AccountThrottle(0);

    private final Throttle limit;
    private final Map<String, AtomicLong> paidUntilNanos = new ConcurrentHashMap<>();

    /** @param entitiesPerSecond 0: no limit */
    public AccountThrottle(int entitiesPerSecond) {
        this.limit = new Throttle(entitiesPerSecond);
    }

    /** True if a request of this account is within the rate limit; it is then charged for one entity. */
    public boolean admits(String account, long nowNanos) {
        if (limit.isOff()) {
            return true;
        }
        AtomicLong paidUntil = paidUntilNanos.computeIfAbsent(account, any -> new AtomicLong(nowNanos));
        if (!limit.admits(paidUntil.get(), nowNanos)) {
            return false;
        }
        paidUntil.updateAndGet(before -> limit.paid(before, nowNanos, 1));
        return true;
    }

    /** Charges an admitted request for the entities that it read and wrote. */
    public void pay(String account, long entities, long nowNanos) {
        AtomicLong paidUntil = entities <= 1 ? null : paidUntilNanos.get(account);
        if (paidUntil != null) {
            paidUntil.updateAndGet(before -> limit.paid(before, nowNanos, entities - 1));
        }
    }
}
