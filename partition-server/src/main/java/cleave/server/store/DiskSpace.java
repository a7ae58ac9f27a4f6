package cleave.server.store;

import cleave.server.outside.Space;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Knows the free space on the disk of a folder without waiting for it: a dedicated thread asks the disk, which may hang. Thread-safe. */
final class DiskSpace implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DiskSpace.class);

    private final Path folder;
    private final long reserveBytes;
    private final ThreadPoolExecutor thread;
    /** Kept, because to find it all mounted file systems are read. Touched by one thread after the other. */
    private @Nullable FileStore disk;

    private volatile long freeBytes;
    private volatile long totalBytes;

    /** Waits for the disk, once. */
    DiskSpace(Path folder, long reserveBytes) {
        this.folder = folder;
        this.reserveBytes = reserveBytes;
        this.thread = new ThreadPoolExecutor(0, 1, 10, TimeUnit.SECONDS, new ArrayBlockingQueue<>(1), task -> {
            Thread made = new Thread(task, "server-space");
            made.setDaemon(true);
            return made;
        });
        look();
    }

    private void look() {
        try {
            FileStore found = disk == null ? Files.getFileStore(folder) : disk;
            freeBytes = found.getUsableSpace();
            totalBytes = found.getTotalSpace();
            disk = found;
        } catch (IOException failure) {
            LOG.warn("the space of the stores' disk is not known, taken for none folder={}", folder, failure);
            freeBytes = 0;
        }
    }

    /** Size of the disk. */
    long totalBytes() {
        return totalBytes;
    }

    /** The space at the last look; looks again soon. */
    Space now() {
        try {
            if (thread.getQueue().isEmpty()) {
                thread.execute(this::look);
            }
        } catch (RejectedExecutionException closedOrAsked) {
            // The last known value stays.
        }
        return new Space(freeBytes, reserveBytes);
    }

    @Override
    public void close() {
        thread.shutdown();
    }
}
