package cleave.runtime.loop;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs one task periodically on a dedicated thread, where it may block. Thread-safe. */
public final class Periodic implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Periodic.class);

    private final ScheduledExecutorService executor;
    private final String name;
    private final Runnable task;

    /** @param name of the thread */
    public Periodic(String name, Runnable task) {
        this.name = name;
        this.task = task;
        this.executor = Executors.newSingleThreadScheduledExecutor(work -> {
            Thread thread = new Thread(work, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Runs the task periodically, with this pause between the end of one run and the beginning of the next. */
    public void every(long nanos) {
        executor.scheduleWithFixedDelay(this::guarded, nanos, nanos, TimeUnit.NANOSECONDS);
    }

    /** Runs the task once more, as soon as possible. */
    public void soon() {
        executor.execute(this::guarded);
    }

    /** An exception here would silently end the repetition. */
    private void guarded() {
        try {
            task.run();
        } catch (RuntimeException bug) {
            LOG.error("a periodic task failed, this is a bug task={}", name, bug);
        }
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
