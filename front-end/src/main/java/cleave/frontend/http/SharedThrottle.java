package cleave.frontend.http;

import cleave.frontend.fairness.AccountThrottle;
import cleave.model.Throttle;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** The rate limits of accounts, shared by the loops of one front end. Thread-safe. Only accounts that have signed a request are tracked. */
public final class SharedThrottle implements AccountThrottle {
    private final Throttle limit;
    private final Map<String, AtomicLong> paidUntilNanos = new ConcurrentHashMap<>();

    private SharedThrottle(Throttle limit) {
        this.limit = limit;
    }

    /** 0: off. */
    public static AccountThrottle of(int entitiesPerSecond) {
        return entitiesPerSecond == 0 ? OFF : new SharedThrottle(new Throttle(entitiesPerSecond));
    }

    @Override
    public boolean admits(String account, long nowNanos) {
        AtomicLong paidUntil = paidUntilNanos.computeIfAbsent(account, any -> new AtomicLong(nowNanos));
        if (!limit.admits(paidUntil.get(), nowNanos)) {
            return false;
        }
        paidUntil.updateAndGet(before -> limit.paid(before, nowNanos, 1));
        return true;
    }

    @Override
    public void pay(String account, long entities, long nowNanos) {
        AtomicLong paidUntil = entities <= 1 ? null : paidUntilNanos.get(account);
        if (paidUntil != null) {
            paidUntil.updateAndGet(before -> limit.paid(before, nowNanos, entities - 1));
        }
    }
}
