package cleave.frontend.fairness;

import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.runtime.loop.EventLoop;
import cleave.runtime.loop.FairQueue;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * Cuts long work on the loop, such as writing a page, into turns that are fair between accounts. Confined to its loop.
 *
 * <p>One turn is one event, after which the loop reads from the network first. So short work waits for at most one turn, however many
 * pages an account requests, and long work waits for one turn of each other account. The cost of a turn
 * is the bytes that it handled, because its time on a busy machine includes that of other processes.
 */
public final class Turns {
    /** Work up to this size is done at once, because it takes no longer than an ordinary request. */
    static final int AT_ONCE_BYTES = 16 << 10;
    /** A turn ends after the step that reaches this size; one step may be an entity of 1 MiB. */
    static final int TURN_BYTES = 64 << 10;

    /** The turn of work that does not wait. */
    public static final CompletableFuture<Void> NOW = CompletableFuture.completedFuture(null);

    private final EventLoop loop;
    private final FairQueue<Task> queue;
    private boolean scheduled;

    /** @param waitingMax pieces of work */
    public Turns(EventLoop loop, int waitingMax) {
        this.loop = loop;
        this.queue = new FairQueue<>(waitingMax);
    }

    /** Work that is done in steps. Confined to the loop. */
    public interface Work {
        boolean isDone();

        /** Does the next step; returns the bytes that it handled. */
        long step();
    }

    private record Task(Work work, CompletableFuture<Void> end) {}

    /**
     * Completes inside the loop when the work is done; fails with what a step threw, or with ServerBusy if too much waits.
     *
     * @param account its number
     * @param bytes that the work will handle
     */
    public CompletableFuture<Void> run(int account, long bytes, Work work) {
        loop.assertInside();
        CompletableFuture<Void> end = new CompletableFuture<>();
        if (bytes <= AT_ONCE_BYTES) {
            while (!work.isDone()) {
                work.step();
            }
            end.complete(null);
        } else if (queue.offer(account, new Task(work, end))) {
            schedule();
        } else {
            end.completeExceptionally(ServiceError.of(ServiceCode.SERVER_BUSY));
        }
        return end;
    }

    /** A turn for indivisible work, which begins when the future completes. The future is shared and must not be completed. */
    public CompletableFuture<Void> await(int account, long bytes) {
        loop.assertInside();
        if (bytes <= AT_ONCE_BYTES) {
            return NOW;
        }
        return run(account, bytes, new Work() {
            private boolean done;

            @Override
            public boolean isDone() {
                return done;
            }

            @Override
            public long step() {
                done = true;
                return bytes;
            }
        });
    }

    /** Schedules a timer, because a loop reads from the network before it runs timers, but not before it runs submitted events. */
    private void schedule() {
        if (!scheduled) {
            scheduled = true;
            loop.schedule(0, this::turn);
        }
    }

    private void turn() {
        scheduled = false;
        FairQueue.Turn<Task> turn = Objects.requireNonNull(queue.next());
        Task task = turn.work();
        long cost = 0;
        Throwable failure = null;
        try {
            while (!task.work().isDone() && cost < TURN_BYTES) {
                cost += task.work().step();
            }
        } catch (Throwable thrown) { // Judged by the receiver, as what a stage of a future throws.
            failure = thrown;
        }
        boolean goesOn = failure == null && !task.work().isDone();
        queue.ended(turn, cost, goesOn);
        if (queue.waiting() > 0) {
            schedule();
        }
        if (failure != null) {
            task.end().completeExceptionally(failure);
        } else if (!goesOn) {
            task.end().complete(null);
        }
    }
}
