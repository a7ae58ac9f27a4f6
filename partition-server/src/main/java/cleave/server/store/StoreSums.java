package cleave.server.store;

import org.rocksdb.RocksDBException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The sums of all stores' figures. Confined to the thread that sums it up. */
final class StoreSums {
    private static final Logger LOG = LoggerFactory.getLogger(StoreSums.class);

    int stores;
    long memtableBytes;
    long fileBytes;
    long keys;
    long pendingCompactionBytes;
    long flushes;
    long compactions;
    int stalled;

    void add(RocksDatabase store) {
        try {
            memtableBytes += store.db().getAggregatedLongProperty("rocksdb.cur-size-all-mem-tables");
            fileBytes += store.db().getAggregatedLongProperty("rocksdb.total-sst-files-size");
            pendingCompactionBytes += store.db().getAggregatedLongProperty("rocksdb.estimate-pending-compaction-bytes");
            keys += ofEntities(store, "rocksdb.estimate-num-keys");
            flushes += ofEntities(store, "rocksdb.num-running-flushes");
            compactions += ofEntities(store, "rocksdb.num-running-compactions");
            stalled += ofEntities(store, "rocksdb.is-write-stopped") == 0 ? 0 : 1;
            stores++;
        } catch (RocksDBException failure) {
            LOG.warn("a store cannot be measured reason={}", failure.toString());
        }
    }

    private static long ofEntities(RocksDatabase store, String property) throws RocksDBException {
        return store.db().getLongProperty(store.data(), property);
    }
}
