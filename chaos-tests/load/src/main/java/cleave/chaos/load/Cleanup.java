package cleave.chaos.load;

import cleave.client.Answer;
import cleave.client.Connection;
import cleave.client.Requests;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Deletes the tables that a command made for one run when the run ends: as it should, by a failure, or because the process is interrupted.
 * Thread-safe.
 */
final class Cleanup implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int DONE = 204;
    private static final int GONE = 404;

    private final Consumer<String> progress;
    private final Deque<Runnable> removals = new ArrayDeque<>();
    /** Held while something is removed, so that the process does not end before that is done. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Thread hook = new Thread(this::removeAll, "load-cleanup");

    Cleanup(Consumer<String> progress) {
        this.progress = progress;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** A table that is about to be created. */
    void table(Requests requests, String table) {
        lock.lock();
        try {
            removals.push(() -> deleteTable(requests, table));
        } finally {
            lock.unlock();
        }
    }

    /** Nothing that was made so far is removed. */
    void keepAll() {
        lock.lock();
        try {
            removals.clear();
        } finally {
            lock.unlock();
        }
    }

    private void removeAll() {
        lock.lock();
        try {
            while (!removals.isEmpty()) {
                removals.pop().run();
            }
        } finally {
            lock.unlock();
        }
    }

    private void deleteTable(Requests requests, String table) {
        try (Connection connection = Connection.open(requests.endpoint(), PATIENCE)) {
            Answer answer = connection.exchange(requests.deleteTable(table));
            if (answer.status() != DONE && answer.status() != GONE) {
                progress.accept("table " + table + " was not deleted: " + answer);
            }
        } catch (IOException failed) {
            progress.accept("table " + table + " was not deleted: " + failed);
        }
    }

    @Override
    public void close() {
        removeAll();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException ending) {
            // The hook is running, and found nothing left.
        }
    }
}
