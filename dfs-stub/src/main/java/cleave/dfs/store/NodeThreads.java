package cleave.dfs.store;

import cleave.dfs.metrics.DfsMetrics;
import cleave.dfs.node.ExtentWork;
import cleave.dfs.node.JournalGroup;
import cleave.dfs.node.NodeIo;
import cleave.dfs.node.SpaceMarks;
import java.io.IOException;
import java.io.SyncFailedException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads for a node's disk work: one for the journal, one for the files of extents, a few for reads. Thread-safe.
 *
 * <p>A failed write (the disk is full) is retried until it succeeds; its callers wait. A failed sync goes to the fault
 * handler, which ends the process: it is then unknown what is on the disk, and only a recovery can tell.
 */
public final class NodeThreads implements NodeIo, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeThreads.class);
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long WARNING_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long BALLAST_BYTES_MAX = 16L << 20;
    static final int READERS = 4;
    static final int READS_MAX = 4096;
    private static final long CLOSE_SECONDS = 10;

    private interface Work {
        void run() throws IOException;
    }

    private final Disk disk;
    private final JournalFiles journal;
    private final ExtentFiles extents;
    private final Ballast ballast;
    private final SpaceMarks marks;
    private final DfsMetrics metrics;
    private final Consumer<Throwable> faultHandler;
    private final ThreadPoolExecutor journalThread;
    private final ThreadPoolExecutor extentThread;
    private final ThreadPoolExecutor readers;
    private final ThreadPoolExecutor spaceThread;
    private final AtomicLong nextWarningNanos = new AtomicLong(System.nanoTime());
    private volatile boolean closed;
    private volatile long commitBegunNanos;
    private volatile boolean committing;
    private volatile String problem = "";

    public NodeThreads(
            Disk disk, ExtentFiles extents, SpaceMarks marks, DfsMetrics metrics, Consumer<Throwable> faultHandler)
            throws IOException {
        this.disk = disk;
        this.journal = new JournalFiles(disk);
        this.marks = marks;
        this.ballast = new Ballast(disk, Math.min(BALLAST_BYTES_MAX, marks.full() / 4));
        this.extents = extents;
        this.metrics = metrics;
        this.faultHandler = faultHandler;
        this.journalThread = threads("dfs-journal", 1, Integer.MAX_VALUE);
        this.extentThread = threads("dfs-extents", 1, Integer.MAX_VALUE);
        this.spaceThread = threads("dfs-space", 1, 1);
        this.readers = threads("dfs-read", READERS, READS_MAX);
    }

    private static ThreadPoolExecutor threads(String name, int count, int queued) {
        ThreadPoolExecutor made =
                new ThreadPoolExecutor(count, count, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(queued), task -> {
                    Thread thread = new Thread(task, name);
                    thread.setDaemon(true);
                    return thread;
                });
        made.allowCoreThreadTimeOut(count > 1);
        return made;
    }

    @Override
    public void commit(JournalGroup group, Runnable done) {
        submit(journalThread, () -> {
            commitBegunNanos = System.nanoTime();
            committing = true;
            boolean executed = execute(() -> journal.commit(group));
            committing = false;
            if (executed) {
                done.run();
            }
        });
    }

    @Override
    public void execute(ExtentWork work, Runnable done) {
        submit(extentThread, () -> {
            if (execute(() -> extents.execute(work))) {
                done.run();
            }
        });
        metrics.queue(extentThread.getQueue().size());
    }

    @Override
    public void measure(LongConsumer free) {
        submit(spaceThread, () -> {
            try {
                long bytes = disk.freeBytes();
                ballast.take(bytes, marks.low());
                free.accept(bytes);
            } catch (IOException failed) {
                warn("the free space of the disk cannot be told", failed);
            }
        });
    }

    /** Logged once a minute, because failures repeat. */
    private void warn(String what, IOException cause) {
        long now = System.nanoTime();
        long next = nextWarningNanos.get();
        if (now - next >= 0 && nextWarningNanos.compareAndSet(next, now + WARNING_NANOS)) {
            LOG.warn("{} cause={}", what, cause.toString());
        }
    }

    /** Executes reads; refuses when too many wait. */
    public ExecutorService readers() {
        return readers;
    }

    private void submit(ThreadPoolExecutor thread, Runnable work) {
        if (!closed) {
            try {
                thread.execute(work);
            } catch (java.util.concurrent.RejectedExecutionException closedMeanwhile) {
                LOG.debug("work is dropped, the node is closed");
            }
        }
    }

    private boolean execute(Work work) {
        while (!closed) {
            try {
                work.run();
                problem = "";
                return true;
            } catch (SyncFailedException failed) {
                problem = failed.toString();
                LOG.error("a sync failed, what is on the disk is unknown", failed);
                close();
                faultHandler.accept(failed);
            } catch (IOException failed) {
                problem = failed.toString();
                warn("a write failed, it is tried again until it succeeds", failed);
                if (!ballast.giveUp()) {
                    LockSupport.parkNanos(RETRY_NANOS);
                }
            } catch (RuntimeException | Error bug) {
                problem = bug.toString();
                faultHandler.accept(bug);
                return false;
            }
        }
        return false;
    }

    /** Why the disk takes no appends; empty if it does. */
    public String problem(long slowNanos) {
        if (!problem.isEmpty()) {
            return problem;
        }
        return committing && System.nanoTime() - commitBegunNanos > slowNanos ? "the disk is slow" : "";
    }

    /** Drops what is queued, like a crash. */
    @Override
    public void close() {
        closed = true;
        journalThread.getQueue().clear();
        extentThread.getQueue().clear();
        journalThread.shutdown();
        extentThread.shutdown();
        spaceThread.shutdown();
        readers.shutdown();
    }

    /** Waits for work under way; then another node may use the files. */
    public void awaitEnd() throws IOException {
        try {
            boolean ended = true;
            for (ThreadPoolExecutor thread : List.of(journalThread, extentThread, spaceThread, readers)) {
                ended &= thread.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
            }
            if (!ended) {
                LOG.warn("disk work goes on after its node was closed seconds={}", CLOSE_SECONDS);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        journal.close();
        extents.close();
    }
}
