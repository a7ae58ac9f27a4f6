package cleave.chaos.command;

import cleave.chaos.process.Dependents;
import cleave.deploy.terminal.Wait;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The folder of one run of a command. One that was named stays. A temporary one is deleted when the run has succeeded, and when this process is told
 * to end; if the run failed it stays, for its data and logs, and the user learns where it is. Thread-safe.
 */
public final class RunFolder implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration PAUSE = Duration.ofMillis(50);

    private final Path path;
    private final Consumer<String> progress;
    /** Held while something is deleted, so that the process does not end before that is done. */
    private final ReentrantLock lock = new ReentrantLock();
    /** Guarded by the lock. */
    private final Set<Path> results = new HashSet<>();

    private final Thread hook = new Thread(this::interrupted, "end-of-run-folder");

    /** Guarded by the lock. */
    private boolean hasSucceeded;
    /** Guarded by the lock; true from the start of one that was named. */
    private boolean isSettled;

    private RunFolder(Path path, boolean isTemporary, Consumer<String> progress) {
        this.path = path;
        this.progress = progress;
        this.isSettled = !isTemporary;
        if (isTemporary) {
            Dependents.load();
            Runtime.getRuntime().addShutdownHook(hook);
        }
    }

    /** A folder that the user chose, which is created unless it exists. */
    public static RunFolder named(Path path) throws IOException {
        return new RunFolder(Files.createDirectories(path.toAbsolutePath()), false, line -> {});
    }

    /** A new one whose name begins so. */
    public static RunFolder temporary(String prefix, Consumer<String> progress) throws IOException {
        return new RunFolder(Files.createTempDirectory(prefix), true, progress);
    }

    public Path path() {
        return path;
    }

    /** A file of the user's, which stays when the run has succeeded. */
    public void result(Path file) {
        lock.lock();
        try {
            results.add(file);
        } finally {
            lock.unlock();
        }
    }

    /** The run is as it should be: nobody needs its data and logs. */
    public void succeeded() {
        lock.lock();
        try {
            hasSucceeded = true;
        } finally {
            lock.unlock();
        }
    }

    /** Call it after all processes of the run have ended. */
    @Override
    public void close() {
        lock.lock();
        try {
            if (isSettled) {
                return;
            }
            isSettled = true;
            if (hasSucceeded) {
                delete(results);
            } else if (!deleteIfEmpty()) {
                progress.accept("data and logs are in " + path);
            }
        } finally {
            lock.unlock();
        }
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException ending) {
            // The hook finds nothing left to do.
        }
    }

    private void interrupted() {
        lock.lock();
        try {
            if (!isSettled) {
                isSettled = true;
                Dependents.endAll(PATIENCE);
                delete(Set.of());
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean deleteIfEmpty() {
        try {
            Files.delete(path);
            return true;
        } catch (IOException notEmpty) {
            return false;
        }
    }

    /** Tries again for a while: the last words of a process may arrive meanwhile. */
    private void delete(Set<Path> kept) {
        if (!Wait.until(() -> isDeleted(kept), PATIENCE, PAUSE)) {
            progress.accept(path + " was not deleted as a whole");
        }
    }

    private boolean isDeleted(Set<Path> kept) {
        try (Stream<Path> found = Files.exists(path) ? Files.walk(path) : Stream.empty()) {
            List<Path> all = found.sorted(Comparator.reverseOrder()).toList();
            for (Path each : all) {
                if (kept.stream().noneMatch(file -> file.startsWith(each) && Files.exists(file))) {
                    Files.deleteIfExists(each);
                }
            }
            return true;
        } catch (IOException | UncheckedIOException changing) {
            return false;
        }
    }
}
