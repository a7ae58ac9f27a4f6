package cleave.server.range;

import cleave.model.RequestId;
import cleave.model.TraceId;
import cleave.server.metrics.Busy;
import cleave.server.metrics.ServerMetrics.OfRequests;
import cleave.wire.ErrorCode;
import cleave.wire.Timing;
import org.jspecify.annotations.Nullable;

/**
 * One request to a range, which is answered exactly once. Created and admitted on its caller's thread; from then on
 * confined to the range's loop.
 */
abstract class PendingRequest implements Runnable {
    private static final long NOT_YET = Long.MIN_VALUE;
    /** Duration from which the reply says where the time went; quick requests, which are most, cost nothing more. */
    private static final long REPORTED_NANOS = 10_000_000;
    /** Duration from which a request is logged. */
    private static final long SLOW_NANOS = 500_000_000;

    final RangeRequests to;
    final int account;
    /** Memory that it holds. */
    final int bytes;

    final long arrivedNanos;
    /** Deadline after which it is not executed any more. */
    final long deadlineNanos;

    /** Its id in the logs of all processes that work on it. */
    final RequestId id;

    /** Null if it has no trace. */
    final @Nullable Steps steps;

    private final OfRequests metrics;
    private boolean admitted;
    private long begunNanos;
    private long dfsSinceNanos;
    private long dfsUntilNanos;
    private RequestId carried = RequestId.NONE;
    /** From its arrival to its answer; 0 if it was not admitted. */
    private long tookNanos;
    /** True if it was admitted and is answered. */
    private boolean wasAdmitted;

    private int queueMicros;
    private int dfsMicros;

    PendingRequest(
            RangeRequests to,
            OfRequests metrics,
            RequestId id,
            @Nullable Steps steps,
            int account,
            int bytes,
            int deadlineMillis) {
        this.to = to;
        this.metrics = metrics;
        this.id = id;
        this.steps = steps;
        this.account = account;
        this.bytes = bytes;
        this.arrivedNanos = to.outside.loop().nanos();
        this.deadlineNanos = arrivedNanos + to.patienceNanos(deadlineMillis);
        this.begunNanos = NOT_YET;
        this.dfsSinceNanos = NOT_YET;
        this.dfsUntilNanos = NOT_YET;
    }

    /** Admits it: it counts against the limits until it is answered. */
    final void admitted() {
        admitted = true;
    }

    /**
     * Notes that an append or barrier for it is about to be sent to the DFS.
     *
     * @param by the request whose id goes with it: an append for several requests carries one id
     */
    final void asksDfs(long nowNanos, RequestId by) {
        dfsSinceNanos = nowNanos;
        carried = by;
    }

    /** Notes that the DFS has answered. */
    final void dfsAnswered(long nowNanos) {
        dfsUntilNanos = nowNanos;
    }

    /** Notes that it is about to be answered. */
    final void leave() {
        if (!admitted) {
            return;
        }
        admitted = false;
        to.admission.leave(this);
        long now = to.outside.loop().nanos();
        TraceId trace = steps == null || !steps.areWanted() ? null : steps.trace();
        if (trace == null) {
            metrics.answered(now - arrivedNanos);
        } else {
            metrics.answered(now - arrivedNanos, trace);
        }
        if (now - arrivedNanos >= REPORTED_NANOS) {
            queueMicros = micros(arrivedNanos, begunNanos == NOT_YET ? now : begunNanos);
            dfsMicros = dfsSinceNanos == NOT_YET
                    ? 0
                    : micros(dfsSinceNanos, dfsUntilNanos == NOT_YET ? now : dfsUntilNanos);
        }
        tookNanos = now - arrivedNanos;
        wasAdmitted = true;
    }

    /** Notes that its answer has been given to the caller: a line of the log must not delay it. */
    final void answered(ErrorCode outcome) {
        if (tookNanos >= SLOW_NANOS) {
            to.outside.slowRequests().log(this, outcome, tookNanos);
        }
    }

    /**
     * Where the time went, for the reply; null if nobody wants to know. Call it after {@link #leave}.
     *
     * @param outcome of the request
     */
    final @Nullable Timing timing(ErrorCode outcome) {
        Steps its = steps;
        if (its == null || !wasAdmitted) {
            return null;
        }
        if (!its.areWanted() && tookNanos < REPORTED_NANOS && !isFailure(outcome)) {
            return null;
        }
        long left = arrivedNanos + tookNanos;
        return its.timing(new Steps.Times(
                arrivedNanos,
                begunNanos == NOT_YET ? left : begunNanos,
                dfsSinceNanos,
                dfsUntilNanos == NOT_YET ? left : dfsUntilNanos,
                left));
    }

    /** False for what clients expect now and then. */
    private static boolean isFailure(ErrorCode outcome) {
        return switch (outcome) {
            case OK, ALREADY_EXISTS, NOT_FOUND, CONDITION_FAILED, NOT_OWNER -> false;
            default -> true;
        };
    }

    private static int micros(long from, long to) {
        return (int) Math.min(Integer.MAX_VALUE, (to - from) / 1_000);
    }

    /** True if its reply should say where the time went. */
    final boolean isWorthReporting() {
        return queueMicros + dfsMicros > 0;
    }

    final int queueMicros() {
        return queueMicros;
    }

    final int dfsMicros() {
        return dfsMicros;
    }

    /** The request whose id went to the DFS on its behalf. */
    final RequestId carried() {
        return carried;
    }

    /** Notes its arrival in the loop. */
    @Override
    public final void run() {
        to.outside.loop().assertInside();
        String excess = excess();
        if (excess == null) {
            to.begin(this);
        } else {
            refuse(ErrorCode.THROTTLED, excess);
        }
    }

    /** Begins if the code is OK; otherwise it is refused with that code. */
    void proceed(ErrorCode code) {
        if (code == ErrorCode.OK) {
            execute();
        } else {
            refuse(code);
        }
    }

    /** Notes that its wait has ended: it is about to be executed or refused. */
    final void waited(long nowNanos) {
        begunNanos = nowNanos;
        long nanos = nowNanos - arrivedNanos;
        to.load.waited(nanos);
        metrics.waited(nanos);
    }

    final boolean isLate(long nowNanos) {
        return nowNanos - deadlineNanos >= 0;
    }

    final void expired() {
        refuse(Busy.DEADLINE);
    }

    final void refuse(ErrorCode code) {
        if (code == ErrorCode.BUSY) {
            expired(); // Of all bounds, the deadline alone is judged when a request proceeds.
        } else {
            refuse(code, to.textOf(code));
        }
    }

    final void refuse(Busy bound) {
        to.outside.metrics().busy(bound);
        refuse(ErrorCode.BUSY, bound.text());
    }

    /** The limit that it exceeds, as a message; null if there is none, and then it is charged. */
    abstract @Nullable String excess();

    /** The range serves. */
    abstract void execute();

    abstract void refuse(ErrorCode code, String message);
}
