package cleave.dfs.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file that reserves space on the disk. It is deleted when other programs have used up all free space, so that the
 * journal can record the seals and deletes that free space. Thread-safe.
 */
final class Ballast {
    private static final Logger LOG = LoggerFactory.getLogger(Ballast.class);
    private static final String NAME = "ballast";
    private static final int PIECE_BYTES = 1 << 20;

    private final Disk disk;
    private final long bytes;
    private final AtomicBoolean held;

    /** @param bytes 0: none is held */
    Ballast(Disk disk, long bytes) throws IOException {
        this.disk = disk;
        this.bytes = bytes;
        this.held = new AtomicBoolean(disk.exists(NAME));
    }

    /** Reserves the space if there is enough. For one thread at a time. */
    void take(long free, long low) {
        if (bytes == 0 || held.get() || free < low + 2 * bytes) {
            return;
        }
        try (Disk.File file = disk.open(NAME)) {
            for (long at = 0; at < bytes; at += PIECE_BYTES) {
                file.write(at, ByteBuffer.allocate((int) Math.min(PIECE_BYTES, bytes - at)));
            }
            file.sync();
            held.set(true);
        } catch (IOException failed) {
            LOG.warn("no space could be reserved for the journal cause={}", failed.toString());
            held.set(true);
            giveUp();
        }
    }

    /** True if that freed space. */
    boolean giveUp() {
        if (!held.compareAndSet(true, false)) {
            return false;
        }
        try {
            disk.delete(NAME);
            LOG.warn("the space that was reserved for the journal is released bytes={}", bytes);
            return true;
        } catch (IOException failed) {
            LOG.warn("the space that was reserved for the journal cannot be released cause={}", failed.toString());
            return false;
        }
    }
}
