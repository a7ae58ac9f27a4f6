package cleave.server.range;

import cleave.server.metrics.ServerMetrics.OfRequests;
import cleave.wire.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * One request to a range, until it is answered, which happens exactly once. Made and admitted on its caller's thread; from then on
 * confined to the range's loop.
 */
abstract class Request implements Runnable {
    final RangeRequests to;
    final int account;
    /** That it holds in memory. */
    final int bytes;

    final long arrivedNanos;
    /** After this it is not executed any more. */
    final long deadlineNanos;

    private final OfRequests metrics;
    private boolean admitted;

    Request(RangeRequests to, OfRequests metrics, int account, int bytes, int deadlineMillis) {
        this.to = to;
        this.metrics = metrics;
        this.account = account;
        this.bytes = bytes;
        this.arrivedNanos = to.with.loop().nanos();
        this.deadlineNanos = arrivedNanos + to.patienceNanos(deadlineMillis);
    }

    /** It counts against the limits until it is answered. */
    final void admitted() {
        admitted = true;
    }

    /** It is about to be answered. */
    final void leave() {
        if (admitted) {
            admitted = false;
            metrics.answered(to.with.loop().nanos() - arrivedNanos);
            to.left(this);
        }
    }

    /** It has arrived in the loop. */
    @Override
    public final void run() {
        to.with.loop().assertInside();
        String excess = excess();
        if (excess == null) {
            to.begin(this);
        } else {
            refuse(ErrorCode.THROTTLED, excess);
        }
    }

    /** It can begin if the code is OK; else it is refused with it. */
    void proceed(ErrorCode code) {
        if (code == ErrorCode.OK) {
            execute();
        } else {
            refuse(code);
        }
    }

    /** It is about to be executed, or to be refused, after its wait. */
    final void waited(long nowNanos) {
        long nanos = nowNanos - arrivedNanos;
        to.load.waited(nanos);
        metrics.waited(nanos);
    }

    final boolean isLate(long nowNanos) {
        return nowNanos - deadlineNanos >= 0;
    }

    final void expired() {
        refuse(ErrorCode.BUSY, "the request waited longer than its deadline");
    }

    final void refuse(ErrorCode code) {
        refuse(code, to.textOf(code));
    }

    /** The limit that it exceeds, as a message; null if it exceeds none, and then it is charged for what it does. */
    abstract @Nullable String excess();

    /** The range serves. */
    abstract void execute();

    abstract void refuse(ErrorCode code, String message);
}
