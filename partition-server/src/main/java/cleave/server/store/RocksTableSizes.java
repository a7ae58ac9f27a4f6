package cleave.server.store;

import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.server.state.TableSize;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;

/**
 * Measures how much each table takes of one store within its interval, at most once a minute. One call at a time, on a thread that may
 * block.
 *
 * <p>The entities of a table with few of them are counted. Of a larger table the indexes of the files tell the bytes, and the number of
 * entities follows from the mean size of all entities in the store. What was dropped is passed over; what was overwritten or deleted
 * counts until it is compacted away. A measuring costs a seek for each table and reads a bounded number of entities.
 */
final class RocksTableSizes {
    static final long PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);
    /** Even if the store seems not to have changed, for what was dropped is not seen in its size. */
    static final long PERIOD_NANOS_MAX = TimeUnit.MINUTES.toNanos(10);
    /** Tables that are told apart in one store. */
    static final int TABLES_MAX = 1_000;
    /** A table of so many entities is not counted any more. */
    static final int COUNTED_MAX = 100;
    /** Entities that are counted in all tables together. */
    private static final int COUNTED_MAX_OF_ALL = 20_000;

    private static final String KEYS = "rocksdb.estimate-num-keys";

    private final RocksDatabase database;
    private final byte[] begin;
    private final byte[] end;
    private final byte[] aboveAll;
    private final LongSupplier clock;
    private List<TableSize> known = List.of();
    private long measuredBytes = -1;
    private long measuredNanos;

    /** @param aboveAll a bound above every key */
    RocksTableSizes(RocksDatabase database, KeyRange interval, byte[] aboveAll, LongSupplier clock) {
        this.database = database;
        this.begin = interval.start().bytes();
        Key last = interval.end();
        this.end = last == null ? aboveAll : last.bytes();
        this.aboveAll = aboveAll;
        this.clock = clock;
    }

    /**
     * As they were within the last minute; of a store that has kept its size, within the last ten.
     *
     * @param bytes of the store within its interval
     */
    List<TableSize> within(long bytes) throws RocksDBException {
        long now = clock.getAsLong();
        long period = bytes == measuredBytes ? PERIOD_NANOS_MAX : PERIOD_NANOS;
        if (measuredBytes < 0 || now - measuredNanos >= period) {
            known = measure();
            measuredBytes = bytes;
            measuredNanos = now;
        }
        return known;
    }

    private List<TableSize> measure() throws RocksDBException {
        double entitiesPerByte = entitiesPerByte();
        List<TableSize> found = new ArrayList<>();
        try (Slice bound = new Slice(end);
                ReadOptions options = new ReadOptions().setFillCache(false).setIterateUpperBound(bound);
                RocksIterator entities = database.db().newIterator(database.data(), options)) {
            int left = COUNTED_MAX_OF_ALL;
            entities.seek(begin);
            while (entities.isValid() && found.size() < TABLES_MAX) {
                long table = Key.wrap(entities.key()).table();
                TableSize counted = count(table, entities, Math.min(left, COUNTED_MAX));
                left -= (int) counted.entities();
                byte[] behind = behind(table);
                boolean isWhole = !entities.isValid() || Arrays.compareUnsigned(entities.key(), behind) >= 0;
                if (isWhole) {
                    found.add(counted);
                } else {
                    byte[] first = larger(begin, Key.beforeTable(table).bytes());
                    found.add(estimate(table, first, behind, counted, entitiesPerByte));
                    entities.seek(behind);
                }
            }
            if (entities.isValid()) {
                TableSize none = new TableSize(TableSize.OTHERS, 0, 0);
                found.add(estimate(TableSize.OTHERS, entities.key(), end, none, entitiesPerByte));
            }
            entities.status();
        }
        return found;
    }

    /** Entities for each byte, in the whole store, outside of its interval, too: both figures are of the same files. */
    private double entitiesPerByte() throws RocksDBException {
        long bytes = database.bytesBetween(Key.MIN.bytes(), aboveAll);
        return bytes == 0 ? 0 : (double) database.db().getLongProperty(database.data(), KEYS) / bytes;
    }

    /** Walks over a table's entities, up to this many of them. */
    private static TableSize count(long table, RocksIterator entities, int max) {
        ByteBuffer nothing = ByteBuffer.allocate(1); // An entity is not copied to learn how long it is.
        long bytes = 0;
        int counted = 0;
        while (counted < max && entities.isValid()) {
            byte[] key = entities.key();
            if (Key.wrap(key).table() != table) {
                break;
            }
            nothing.clear();
            bytes += key.length + entities.value(nothing);
            counted++;
            entities.next();
        }
        return new TableSize(table, bytes, counted);
    }

    private TableSize estimate(long table, byte[] from, byte[] until, TableSize atLeast, double entitiesPerByte) {
        long bytes = database.bytesBetween(from, until);
        return new TableSize(table, bytes, Math.max(atLeast.entities(), Math.round(bytes * entitiesPerByte)));
    }

    /** Where the table ends within the interval. */
    private byte[] behind(long table) {
        Key last = KeyRange.ofTable(table).end();
        return last == null || Arrays.compareUnsigned(last.bytes(), end) > 0 ? end : last.bytes();
    }

    private static byte[] larger(byte[] one, byte[] other) {
        return Arrays.compareUnsigned(one, other) >= 0 ? one : other;
    }
}
