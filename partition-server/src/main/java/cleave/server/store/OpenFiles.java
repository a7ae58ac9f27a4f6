package cleave.server.store;

import cleave.server.outside.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.rocksdb.MutableDBOptions;
import org.rocksdb.RocksDBException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Divides the files that the process may have open among its stores, so that no number of ranges takes the descriptors that
 * connections and the DFS need. Thread-safe.
 *
 * <p>A quarter of the process's limit is left to those. Each store may have an equal share of the rest; when more stores come, open ones
 * give up files beyond the new share. Shares are powers of two, so that happens a few times and not with each store. A store whose share
 * would be too small is not opened.
 */
final class OpenFiles {
    /** The least limit with which a process can start. */
    static final long LIMIT_MIN = 1024;

    private static final Logger LOG = LoggerFactory.getLogger(OpenFiles.class);
    /** The number of files that a store has open besides sorted files: RocksDB's logs, its manifest, its lock and its folder. */
    private static final int OTHERS = 8;
    /** RocksDB keeps this number of its {@code max_open_files} for itself, and takes 20 for the least. */
    private static final int KEPT = 10;

    private static final int SORTED_MIN = 16;
    /** RocksDB holds on to a quarter of its files for as long as they exist: that must fit the least share. */
    private static final int SORTED_MAX = 4 * SORTED_MIN;

    private final long limit;
    private final Set<RocksDatabase> stores = new HashSet<>();
    private int coming;
    private int sorted = SORTED_MAX;

    /**
     * @param limit of files that the process may have open
     * @throws UncheckedIOException if it is too low
     */
    OpenFiles(long limit) {
        this.limit = limit;
        if (limit < LIMIT_MIN) {
            String why = "the process may open " + limit + " files, but a server needs at least " + LIMIT_MIN + ", and "
                    + costOf(SORTED_MIN) * 4 / 3
                    + " for each range: raise the limit of open files (ulimit -n, LimitNOFILE)";
            throw new UncheckedIOException(why, new IOException(why));
        }
        LOG.info("open files limit={} enough for ranges={}", limit, storesMax());
    }

    /** The share of a database that is open for a moment; there are no more of these than threads that open them. */
    static int least() {
        return SORTED_MIN + KEPT;
    }

    private static int costOf(int sortedFiles) {
        return OTHERS + sortedFiles;
    }

    /** The stores that may be open at the same time. */
    long storesMax() {
        return limit / 4 * 3 / costOf(SORTED_MIN);
    }

    /** A store is to be opened with this {@code max_open_files}; {@link #opened} or {@link #failed} follows. */
    synchronized int open() {
        int count = stores.size() + coming + 1;
        if (count > storesMax()) {
            throw new StoreException("the limit of " + limit + " open files is reached with " + (count - 1)
                    + " stores: raise it (ulimit -n, LimitNOFILE) or add servers");
        }
        int share = (int) Math.min(SORTED_MAX, Long.highestOneBit(limit / 4 * 3 / count - OTHERS));
        if (share < sorted) {
            List.copyOf(stores).forEach(store -> lower(store, share)); // A store that closes meanwhile is removed.
        }
        sorted = share;
        coming++;
        return share + KEPT;
    }

    /** The store is open, and may have been given a larger share than there is now. */
    synchronized void opened(RocksDatabase store, int told) {
        coming--;
        stores.add(store);
        if (sorted + KEPT < told) {
            lower(store, sorted);
        }
    }

    synchronized void failed() {
        coming--;
    }

    synchronized void closed(RocksDatabase store) {
        stores.remove(store);
    }

    private static void lower(RocksDatabase store, int share) {
        if (store.useIfOpen()) {
            try {
                store.db()
                        .setDBOptions(MutableDBOptions.builder()
                                .setMaxOpenFiles(share + KEPT)
                                .build());
            } catch (RocksDBException failure) {
                throw new StoreException("the open files of a store cannot be bounded", failure);
            } finally {
                store.release();
            }
        }
    }
}
