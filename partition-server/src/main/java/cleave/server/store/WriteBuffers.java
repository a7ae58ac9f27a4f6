package cleave.server.store;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.rocksdb.FlushOptions;
import org.rocksdb.RocksDBException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which store flushes when the write buffers of all of them fill. Thread-safe.
 *
 * <p>By itself RocksDB flushes the store that is being written, however little it holds. Beside many others that hold most of the memory
 * and are not written, a store then flushes a few entities at a time. Here the store is flushed that has held the most for the longest: the
 * bytes that it holds, times the bytes that all stores have been given since it began to hold some. So under even writes each flush has an
 * even share, and a store that is not written any more is flushed once.
 */
final class WriteBuffers {
    private static final Logger LOG = LoggerFactory.getLogger(WriteBuffers.class);
    private static final String HELD = "rocksdb.cur-size-active-mem-table";
    /** The number of looks at the memory of all stores, while they are given as much as they may hold. */
    private static final int LOOKS = 16;

    private final long bytesFull;
    private final long bytesPerLook;
    private final ExecutorService thread;
    private final Set<Held> all = ConcurrentHashMap.newKeySet();
    private final AtomicLong given = new AtomicLong();
    private final AtomicLong lookedAt = new AtomicLong();
    private final AtomicBoolean looking = new AtomicBoolean();

    /** @param thread flushes, and so may block */
    WriteBuffers(long bytesMax, ExecutorService thread) {
        this.bytesFull = bytesMax / 4 * 3; // At seven eighths RocksDB flushes the store that is being written.
        this.bytesPerLook = bytesMax / LOOKS;
        this.thread = thread;
    }

    /** The memory that one store holds. */
    final class Held {
        private final RocksDatabase database;
        /** The bytes that all stores had been given when it began to hold some. */
        private volatile long since = Long.MAX_VALUE;
        /** The bytes that it held at the last look. Confined to the flushing thread. */
        private long seen;

        private Held(RocksDatabase database) {
            this.database = database;
        }

        /** The store was given this number of bytes more. */
        void add(long bytes) {
            long now = given.addAndGet(bytes);
            if (since == Long.MAX_VALUE) {
                since = now;
            }
            if (now - lookedAt.get() >= bytesPerLook && looking.compareAndSet(false, true)) {
                lookedAt.set(now);
                try {
                    thread.execute(WriteBuffers.this::look);
                } catch (RejectedExecutionException closed) {
                    looking.set(false);
                }
            }
        }

        /** All that it held until now is in files. */
        void flushed() {
            since = Long.MAX_VALUE;
        }

        /** The store is closed. */
        void end() {
            all.remove(this);
        }

        /** The rent of the bytes that it holds. */
        private double rent(long bytes) {
            if (bytes < seen) {
                since = given.get(); // RocksDB has flushed it meanwhile.
            }
            seen = bytes;
            return (double) bytes * Math.max(1, given.get() - since);
        }
    }

    Held hold(RocksDatabase database) {
        Held held = new Held(database);
        all.add(held);
        return held;
    }

    /** True while flushes are being decided or done. */
    boolean isLooking() {
        return looking.get();
    }

    /** Shows each store that is open; it stays open meanwhile. */
    void forEach(Consumer<RocksDatabase> look) {
        for (Held each : all) {
            if (each.database.useIfOpen()) {
                try {
                    look.accept(each.database);
                } finally {
                    each.database.release();
                }
            }
        }
    }

    /** The bytes and rent of a store at a look. */
    private record Seen(Held held, long bytes, double rent) {}

    /** Asks each store once, for there may be many, and flushes as many as must be. */
    private void look() {
        List<Held> used = new ArrayList<>();
        try {
            List<Seen> seen = new ArrayList<>();
            long total = 0;
            for (Held each : all) {
                if (each.database.useIfOpen()) {
                    used.add(each);
                    long bytes = each.database.db().getAggregatedLongProperty(HELD);
                    total += bytes;
                    if (each.since != Long.MAX_VALUE) {
                        seen.add(new Seen(each, bytes, each.rent(bytes)));
                    }
                }
            }
            seen.sort(Comparator.comparingDouble(Seen::rent).reversed());
            for (Seen each : seen) {
                if (total <= bytesFull) {
                    break;
                }
                flush(each.held());
                total -= each.bytes();
            }
        } catch (RocksDBException failure) {
            LOG.warn("a store could not be flushed, its next write will tell reason={}", failure.toString());
        } finally {
            used.forEach(each -> each.database.release());
            looking.set(false);
        }
    }

    private static void flush(Held held) throws RocksDBException {
        RocksDatabase database = held.database;
        held.flushed();
        held.seen = 0;
        try (FlushOptions options = new FlushOptions()) {
            database.db().flush(options, List.of(database.positions(), database.data()));
        }
    }
}
