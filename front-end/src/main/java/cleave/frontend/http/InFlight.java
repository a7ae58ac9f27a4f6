package cleave.frontend.http;

import cleave.frontend.metrics.FrontEndMetrics;

/** Counts the requests of one loop that are being received or worked on, up to a bound. Confined to its loop. */
final class InFlight {
    private final int max;
    private final FrontEndMetrics metrics;
    private int count;

    InFlight(int max, FrontEndMetrics metrics) {
        this.max = max;
        this.metrics = metrics;
    }

    /** False if there are too many already. */
    boolean enter() {
        if (count >= max) {
            return false;
        }
        count++;
        metrics.requestBegan();
        return true;
    }

    void leave() {
        count--;
        metrics.requestEnded();
    }
}
