package cleave.server.range;

import cleave.runtime.loop.EventLoop;
import cleave.server.metrics.ServerMetrics;
import java.util.ArrayList;
import java.util.List;

/**
 * Proves that what was read was true: confirms by a barrier or append that is sent after the read. Confined to the range's loop.
 *
 * <p>Invariant I2: a new owner seals the range's logs first. So if the log was not sealed when a barrier reached it that
 * was sent after the read, no takeover had been committed when the read was executed. A barrier already under way proves nothing
 * for a later read and is never joined: one barrier serves all that wait, the next one those that come meanwhile.
 */
final class Confirmer {
    private final EventLoop loop;
    private final CommitLog log;
    private final ServerMetrics metrics;
    private final Range range;
    private List<Confirmation> waiting = new ArrayList<>();
    /** When the first of those that wait was executed. */
    private long waitingSince;

    private boolean flushing;
    private int underWay;
    private boolean barrierUnderWay;

    Confirmer(RangeContext with, CommitLog log, Range range) {
        this.loop = with.loop();
        this.metrics = with.metrics();
        this.log = log;
        this.range = range;
    }

    /** Something that was judged on what is stored, and waits for the proof. */
    interface Confirmation {
        /** True: it was the truth. False: nobody knows any more. */
        void ended(boolean confirmed);
    }

    /** To be called after the read was executed. */
    void confirm(Confirmation confirmation) {
        loop.assertInside();
        if (!range.phase().confirms()) {
            confirmation.ended(false);
            return;
        }
        if (waiting.isEmpty()) {
            waitingSince = loop.nanos();
        }
        waiting.add(confirmation);
        flushSoon();
    }

    private void flushSoon() {
        if (!flushing && !barrierUnderWay) {
            flushing = true;
            loop.submit(this::flush); // Behind the requests that have arrived meanwhile, so that they join.
        }
    }

    private void flush() {
        flushing = false;
        if (waiting.isEmpty() || barrierUnderWay || !range.phase().confirms()) {
            return;
        }
        long since = waitingSince;
        List<Confirmation> batch = takeWaiting();
        barrierUnderWay = true;
        metrics.barriers.inc();
        log.barrier(barrier -> {
            barrierUnderWay = false;
            switch (barrier) {
                case CONFIRMED -> end(batch, since, true);
                case REFUSED -> end(batch, since, false);
                case LOG_WAS_ROLLED -> again(batch);
            }
            if (!waiting.isEmpty()) {
                flushSoon();
            }
        });
    }

    private void again(List<Confirmation> batch) {
        underWay -= batch.size();
        batch.forEach(this::confirm);
    }

    /** Those that wait, for an append that is sent in this very turn: to be ended by {@link #end} when it ends. */
    List<Confirmation> takeWaiting() {
        loop.assertInside();
        if (waiting.isEmpty()) {
            return List.of();
        }
        List<Confirmation> batch = waiting;
        waiting = new ArrayList<>();
        underWay += batch.size();
        return batch;
    }

    /** When the first of those that wait was executed; means nothing if none waits. */
    long waitingSince() {
        return waitingSince;
    }

    /** @param since when the first of them was executed */
    void end(List<Confirmation> batch, long since, boolean confirmed) {
        if (confirmed && !batch.isEmpty()) {
            metrics.confirmed(loop.nanos() - since);
        }
        underWay -= batch.size();
        batch.forEach(confirmation -> confirmation.ended(confirmed));
        if (!batch.isEmpty()) {
            range.advance();
        }
    }

    /** The log is sealed or given up: what waits can be confirmed by nothing. */
    void refuseWaiting() {
        end(takeWaiting(), waitingSince, false);
    }

    /** True if nothing waits for a proof. */
    boolean isIdle() {
        return waiting.isEmpty() && underWay == 0;
    }
}
