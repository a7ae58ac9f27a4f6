package cleave.server.store;

import cleave.loop.FairQueue;
import cleave.server.loop.Readers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Threads that run scans, with a bounded queue before them that is fair between accounts: a turn costs the time that it takes.
 * Thread-safe.
 */
public final class ReaderPool implements Readers, AutoCloseable {
    private static final int WAITING_MAX = 1024;
    /** What a scan that comes anew waits for at most, but for those of other accounts that came before. */
    private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final LongSupplier clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition work = lock.newCondition();
    private final FairQueue<Task<?>> queue = new FairQueue<>(WAITING_MAX);
    /** As the queue says, for those who do not hold the lock. */
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
        this(count, System::nanoTime);
    }

    ReaderPool(int count, LongSupplier clock) {
        this.clock = clock;
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

    private void run() {
        FairQueue.Turn<Task<?>> turn = next();
        while (turn != null) {
            long began = clock.getAsLong();
            boolean done = turn.work().go(now -> othersWait && now - began >= TURN_NANOS);
            ended(turn, clock.getAsLong() - began, !done);
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

    /** Takes no more; what was taken still runs, for each scan holds on to its store. */
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
