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

/**
 * Knows the free space on the disk of the stores without waiting for it: a dedicated thread asks the disk, which may hang. When it gets low,
 * cached files go first. Thread-safe.
 */
final class DiskSpace implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DiskSpace.class);

    private static final long SWEEP_NANOS = 10_000_000_000L;

    private final Path folder;
    private final long reserveBytes;
    private final FileCache cache;
    private final ThreadPoolExecutor thread;
    /** Kept, because to find it all mounted file systems are read. */
    private @Nullable FileStore disk;

    private long sweptNanos;

    private volatile long freeBytes;
    private volatile long totalBytes;

    /** Waits for the disk, once. */
    DiskSpace(Path folder, long reserveBytes, FileCache cache) {
        this.folder = folder;
        this.reserveBytes = reserveBytes;
        this.cache = cache;
        this.sweptNanos = System.nanoTime() - SWEEP_NANOS;
        this.thread = new ThreadPoolExecutor(0, 1, 10, TimeUnit.SECONDS, new ArrayBlockingQueue<>(1), task -> {
            Thread made = new Thread(task, "server-space");
            made.setDaemon(true);
            return made;
        });
        look();
    }

    private synchronized void look() {
        try {
            FileStore found = disk == null ? Files.getFileStore(folder) : disk;
            freeBytes = found.getUsableSpace();
            totalBytes = found.getTotalSpace();
            disk = found;
            if (freeBytes < reserveBytes || System.nanoTime() - sweptNanos >= SWEEP_NANOS) {
                sweep(0);
            }
        } catch (IOException failure) {
            LOG.warn("the space of the stores' disk is not known, taken for none folder={}", folder, failure);
            freeBytes = 0;
        }
    }

    /** Deletes cached files if these bytes, which are about to be written, would leave less than the reserve. Waits for the disk. */
    synchronized void expect(long bytes) {
        look();
        if (freeBytes - bytes < reserveBytes) {
            sweep(bytes);
        }
    }

    private synchronized void sweep(long bytesComing) {
        cache.sweep(freeBytes, reserveBytes + bytesComing);
        sweptNanos = System.nanoTime();
        FileStore found = disk;
        try {
            freeBytes = found == null ? 0 : found.getUsableSpace();
        } catch (IOException failure) {
            LOG.warn("the space of the stores' disk is not known folder={}", folder, failure);
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
