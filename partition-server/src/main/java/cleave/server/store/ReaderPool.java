package cleave.server.store;

import cleave.runtime.loop.FairQueue;
import cleave.server.outside.Readers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Threads that run scans, with a bounded queue before them that is fair between accounts. Thread-safe.
 *
 * <p>A turn costs the time for which it has its thread to itself: on a processor, or waiting for the disk. Time for which the thread is
 * ready and others have the processors does not count: its account can do nothing about that. The number of examined entities would be a
 * cheaper measure, and the same on all machines. But it ignores blocks that come from the disk and deleted entities that are passed over,
 * which is where long scans spend their time. With the time on a processor alone, a thread that waits for the disk would cost nothing.
 */
public final class ReaderPool implements Readers, AutoCloseable {
    static final int WAITING_MAX = 1024;
    /** The longest wait of a new scan, besides that for scans of other accounts that came before; a switch costs some µs. */
    private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final LongSupplier clock;
    private final Supplier<LongSupplier> waits;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition work = lock.newCondition();
    private final FairQueue<Task<?>> queue = new FairQueue<>(WAITING_MAX);
    /** The state of the queue for threads that do not hold the lock. */
    private volatile boolean othersWait;

    private boolean closed;

    private record Task<T>(Scan<T> scan, CompletableFuture<T> result) {
        /** True if it is done. */
        boolean go(Turn turn) {
            try {
                T end = scan.go(turn);
                if (end != null) {
                    result.complete(end);
                }
                return end != null;
            } catch (Throwable failure) { // Judged by the receiver of the result.
                result.completeExceptionally(failure);
                return true;
            }
        }
    }

    public ReaderPool(int count) {
        this(count, System::nanoTime, ProcessorWait::ofThisThread);
    }

    /** @param waits called on each thread for a meter of how long that thread has waited for a processor */
    ReaderPool(int count, LongSupplier clock, Supplier<LongSupplier> waits) {
        this.clock = clock;
        this.waits = waits;
        for (int i = 1; i <= count; i++) {
            Thread thread = new Thread(this::run, "server-reader-" + i);
            thread.setDaemon(true);
            thread.start();
        }
    }

    @Override
    public <T> @Nullable CompletableFuture<T> submit(int account, Scan<T> scan) {
        CompletableFuture<T> result = new CompletableFuture<>();
        lock.lock();
        try {
            if (closed || !queue.offer(account, new Task<>(scan, result))) {
                return null;
            }
            othersWait = true;
            work.signal();
        } finally {
            lock.unlock();
        }
        return result;
    }

    /** Scans that wait for a thread. */
    public int waiting() {
        lock.lock();
        try {
            return queue.waiting();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        LongSupplier wait = waits.get();
        FairQueue.Turn<Task<?>> turn = next();
        while (turn != null) {
            long began = clock.getAsLong();
            long waited = wait.getAsLong();
            boolean done = turn.work().go(now -> othersWait && now - began >= TURN_NANOS);
            ended(turn, clock.getAsLong() - began - (wait.getAsLong() - waited), !done);
            turn = next();
        }
    }

    private FairQueue.@Nullable Turn<Task<?>> next() {
        lock.lock();
        try {
            FairQueue.Turn<Task<?>> turn = queue.next();
            while (turn == null && !closed) {
                work.awaitUninterruptibly();
                turn = queue.next();
            }
            othersWait = queue.waiting() > 0;
            return turn;
        } finally {
            lock.unlock();
        }
    }

    private void ended(FairQueue.Turn<Task<?>> turn, long nanos, boolean goesOn) {
        lock.lock();
        try {
            queue.ended(turn, nanos, goesOn);
        } finally {
            lock.unlock();
        }
    }

    /** Takes no more scans; those that were taken still run, for each holds on to its store. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            work.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
