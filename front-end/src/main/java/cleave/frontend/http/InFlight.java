package cleave.frontend.http;

import cleave.frontend.fairness.FairShare;
import cleave.frontend.metrics.FrontEndMetrics;

/** The slots for requests in flight on one loop, shared between accounts. Confined to its loop. */
final class InFlight {
    private final FairShare slots;
    private final FrontEndMetrics metrics;

    InFlight(int max, FrontEndMetrics metrics) {
        this.slots = new FairShare(max);
        this.metrics = metrics;
    }

    /** True if all slots are taken. */
    boolean isFull() {
        return slots.isFull();
    }

    /** Takes a slot; false if this account has its share, or all slots are taken. */
    boolean enter(String account) {
        if (!slots.admits(account)) {
            return false;
        }
        slots.take(account, 1);
        metrics.requestBegan();
        return true;
    }

    void leave(String account) {
        slots.give(account, 1);
        metrics.requestEnded();
    }
}
