package cleave.server.range;

import cleave.dfs.DfsFile;
import cleave.runtime.loop.EventLoop;
import cleave.server.metrics.ServerMetrics;
import cleave.server.range.CommitLog.Barrier;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Confirms reads: by a barrier or an append that is sent after the read. Confined to the range's loop.
 *
 * <p>Invariant I2: a new owner seals the range's logs first, and one that takes the range over seals the fence of its owner too. So if the
 * log or the fence was not sealed when a barrier reached it that was sent after the read, no takeover had been committed when the read was
 * executed. A barrier already under way proves nothing for a later read and is never joined: one barrier serves all waiting reads, and
 * the next one those that arrive meanwhile. A barrier on the fence serves those of all ranges in the loop, so {@link FenceBarriers} says when
 * the next one is sent; {@link RangeState} says when it may be used.
 */
final class Confirmer implements FenceBarriers.Reads {
    private static final Batch NONE = new Batch(List.of(), 0);

    private final EventLoop loop;
    private final CommitLog log;
    private final FenceBarriers fence;
    private final ServerMetrics metrics;
    private final StateMachine machine;
    private final OneEvent flush;
    private List<Confirmation> waiting = new ArrayList<>();
    /** When the first of those that wait was executed. */
    private long waitingSince;

    private int underWay;
    private boolean logBarrierUnderWay;
    /** The fence for which the log has shown that the range was still this owner's when it was armed; null before the first. */
    private @Nullable DfsFile proven;

    Confirmer(Range.Outside outside, CommitLog log, StateMachine machine) {
        this.loop = outside.loop();
        this.metrics = outside.metrics();
        this.log = log;
        this.fence = outside.fence();
        this.machine = machine;
        this.flush = new OneEvent(loop, this::flush);
    }

    /** A result that depends on the stored entities and waits for its confirmation. */
    interface Confirmation {
        /** True: the result is valid. False: it can no longer be confirmed. */
        void ended(boolean confirmed);
    }

    /**
     * Reads that one barrier or append confirms.
     *
     * @param since when the first of them was executed
     */
    record Batch(List<Confirmation> reads, long since) {}

    /** Confirms a read; called after the read was executed. */
    void confirm(Confirmation confirmation) {
        loop.assertInside();
        if (!machine.phase().confirms()) {
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
        if (!logBarrierUnderWay) {
            flush.soon(); // Behind the requests that have arrived meanwhile, so that they share the barrier.
        }
    }

    private void flush() {
        if (waiting.isEmpty() || logBarrierUnderWay || !machine.phase().confirms()) {
            return;
        }
        DfsFile armed = machine.state().confirmsByFence() ? fence.armed() : null;
        if (armed != null && armed == proven) {
            fence.ask(this);
        } else {
            Batch batch = takeWaiting();
            metrics.barriers.inc();
            logBarrierUnderWay = true;
            log.barrier(barrier -> {
                logBarrierUnderWay = false;
                if (armed != null && barrier == Barrier.CONFIRMED) {
                    proven = armed;
                }
                ended(batch, barrier);
            });
        }
    }

    @Override
    public int waiting() {
        return waiting.size();
    }

    @Override
    public Batch takeFor(@Nullable DfsFile armed) {
        if (machine.phase().confirms() && machine.state().confirmsByFence() && armed != null && armed == proven) {
            return takeWaiting();
        }
        flushSoon(); // The log confirms those that wait, or nothing does.
        return NONE;
    }

    @Override
    public void ended(Batch batch, Barrier barrier) {
        switch (barrier) {
            case CONFIRMED -> end(batch, true);
            case REFUSED -> end(batch, false);
            case PROVED_NOTHING -> again(batch);
        }
        if (!waiting.isEmpty()) {
            flushSoon();
        }
    }

    private void again(Batch batch) {
        underWay -= batch.reads().size();
        batch.reads().forEach(this::confirm);
    }

    /**
     * Removes the waiting reads, for an append that is sent in this turn. The caller calls {@link #end} when the append
     * ends.
     */
    Batch takeWaiting() {
        loop.assertInside();
        Batch batch = new Batch(waiting, waitingSince);
        waiting = new ArrayList<>();
        underWay += batch.reads().size();
        return batch;
    }

    void end(Batch batch, boolean confirmed) {
        if (batch.reads().isEmpty()) {
            return;
        }
        if (confirmed) {
            metrics.confirmed(loop.nanos() - batch.since());
        }
        underWay -= batch.reads().size();
        batch.reads().forEach(confirmation -> confirmation.ended(confirmed));
        machine.advance();
    }

    /** Fails the waiting reads: the log is sealed or given up, so nothing can confirm them. */
    void refuseWaiting() {
        end(takeWaiting(), false);
    }

    /** True if nothing waits for a confirmation. */
    boolean isIdle() {
        return waiting.isEmpty() && underWay == 0;
    }
}
