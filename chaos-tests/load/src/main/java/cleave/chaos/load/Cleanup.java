package cleave.chaos.load;

import cleave.client.Answer;
import cleave.client.Connection;
import cleave.client.Requests;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Removes what a command made for one run, in reverse order, when the run ends: as it should, by a failure, or because the process is interrupted.
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
        add(() -> deleteTable(requests, table));
    }

    /** A folder with all that will be in it. */
    void folder(Path folder) {
        add(() -> delete(folder));
    }

    /** Something that is to be ended. */
    void add(Runnable removal) {
        lock.lock();
        try {
            removals.push(removal);
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

    private void delete(Path folder) {
        try (Stream<Path> all = Files.exists(folder) ? Files.walk(folder) : Stream.empty()) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        } catch (IOException | UncheckedIOException failed) {
            progress.accept(folder + " was not deleted: " + failed);
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
