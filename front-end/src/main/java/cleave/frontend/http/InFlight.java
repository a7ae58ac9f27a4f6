package cleave.frontend.http;

import cleave.frontend.fairness.FairShare;
import cleave.frontend.metrics.FrontEndMetrics;

/** Counts the requests of one loop that are being received or worked on, up to a bound that its accounts share. Confined to its loop. */
final class InFlight {
    private final FairShare slots;
    private final FrontEndMetrics metrics;

    InFlight(int max, FrontEndMetrics metrics) {
        this.slots = new FairShare(max);
        this.metrics = metrics;
    }

    /** True if no account may have one more. */
    boolean isFull() {
        return slots.isFull();
    }

    /** False if there are too many already, of this account or of all. */
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
