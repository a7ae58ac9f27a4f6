package cleave.chaos.lab;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a cluster that a run changes and gives back when it ends, also if a signal ends the process. Thread-safe: the process may end
 * while a lab runs.
 */
final class BorrowedSettings implements AutoCloseable {
    private final Supplier<Map<String, String>> all;
    private final Consumer<Map<String, String>> changing;
    private final Consumer<String> progress;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, String> before = new TreeMap<>();
    private @Nullable Thread hook;
    private boolean isClosed;

    /**
     * @param all reads the settings, by name
     * @param changing changes some of them
     */
    BorrowedSettings(
            Supplier<Map<String, String>> all, Consumer<Map<String, String>> changing, Consumer<String> progress) {
        this.all = all;
        this.changing = changing;
        this.progress = progress;
    }

    /** Gives the settings back when the process ends, too. */
    void restoreAtExit() {
        Thread restoring = restoring();
        Runtime.getRuntime().addShutdownHook(restoring);
        hook = restoring;
    }

    /** The thread that the end of the process starts. */
    Thread restoring() {
        return new Thread(this::restoreAtLast, "restore-settings");
    }

    void change(Map<String, String> changes) {
        lock.lock();
        try {
            if (isClosed) {
                throw new IllegalStateException("the run has ended, and its settings were given back");
            }
            Map<String, String> now = all.get();
            Map<String, String> old = new TreeMap<>();
            for (String name : changes.keySet()) {
                String value = now.get(name);
                if (value == null) {
                    throw new IllegalArgumentException(
                            "the cluster has no setting " + name + "; it has " + now.keySet());
                }
                old.put(name, value);
            }
            old.forEach(before::putIfAbsent);
            changing.accept(changes);
        } finally {
            lock.unlock();
        }
    }

    private void restoreAtLast() {
        try {
            restore();
        } catch (RuntimeException failed) {
            progress.accept("settings of the cluster were not restored: " + before + " (" + failed.getMessage() + ")");
        }
    }

    private void restore() {
        lock.lock();
        try {
            if (!isClosed && !before.isEmpty()) {
                changing.accept(before);
            }
            isClosed = true;
        } finally {
            lock.unlock();
        }
    }

    /** Gives the settings back. */
    @Override
    public void close() {
        restore();
        if (hook != null) {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException ending) {
                // The hook runs, and finds nothing to do.
            }
        }
    }
}
