package cleave.frontend.loop;

import cleave.model.Throttle;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Keeps each account below a limit of entities a second at one front end, over all of its loops. Thread-safe. Front ends do not know
 * of each other: through several of them an account can have as many times the limit.
 *
 * <p>A request costs one entity when it is let in, and when it is answered what it has written, read or returned beyond that. What
 * is refused for its partition's sake has cost one. Only accounts that have signed a request are remembered.
 */
public final class AccountThrottle {
    private final Throttle limit;
    private final Map<String, AtomicLong> paidUntilNanos = new ConcurrentHashMap<>();

    public AccountThrottle(Throttle limit) {
        this.limit = limit;
    }

    /** True if a request may enter; then it has paid for one entity. */
    boolean admits(String account, long nowNanos) {
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

    /** A request that was let in has cost so many entities. */
    void pay(String account, long entities, long nowNanos) {
        AtomicLong paidUntil = limit.isOff() || entities <= 1 ? null : paidUntilNanos.get(account);
        if (paidUntil != null) {
            paidUntil.updateAndGet(before -> limit.paid(before, nowNanos, entities - 1));
        }
    }
}
