package cleave.server.store;

import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.table.Registry;
import cleave.server.state.TableSize;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.Status;

/**
 * Measures how much each table takes of one store within its interval, at most once a minute. It does not in the store's first minute: its
 * caller's thread opens stores, too, and in a takeover other stores must not wait for figures. One call at a time, on a thread that may
 * block.
 *
 * <p>The entities of a table with few of them are counted. For a larger table the indexes of the files give the bytes, and the number of
 * entities follows from the mean size of all entities in the store. Dropped entities are passed over; overwritten and deleted ones count
 * until they are compacted away. A measurement costs a seek for each table and reads a bounded number of entities; a table in which too
 * many must be passed over to find its next entity is estimated, too. The registry, whose rows are the tables of accounts, is counted by
 * account.
 */
final class RocksTableSizes {
    static final long PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);
    /** The period even if the store seems unchanged, for dropped tables do not show in its size. */
    static final long PERIOD_NANOS_MAX = TimeUnit.MINUTES.toNanos(10);
    /** Tables that are counted separately in one store. */
    static final int TABLES_MAX = 1_000;
    /** Entities from which on a table is estimated instead of counted. */
    static final int COUNTED_MAX = 100;
    /** Entities that are counted in all tables together. */
    private static final int COUNTED_MAX_OF_ALL = 20_000;
    /** Rows of the registry that are counted by account; later ones are estimated together. */
    static final int REGISTERED_MAX = 50_000;
    /** Accounts that are counted separately in the registry. */
    static final int ACCOUNTS_MAX = 1_000;
    /** Deleted and overwritten entities that are passed over to find the next one. */
    static final int SKIPPED_MAX = 1_000;

    private static final String KEYS = "rocksdb.estimate-num-keys";

    private final RocksDatabase database;
    private final KeyRange interval;
    private final byte[] begin;
    private final byte[] end;
    private final byte[] aboveAll;
    private final LongSupplier clock;
    private List<TableSize> known = List.of();
    private long measuredBytes = -1;
    /** The time of the last measurement, or at first that of the opening. */
    private long measuredNanos;

    /** @param aboveAll a bound above every key */
    RocksTableSizes(RocksDatabase database, KeyRange interval, byte[] aboveAll, LongSupplier clock) {
        this.database = database;
        this.interval = interval;
        this.begin = interval.start().bytes();
        Key last = interval.end();
        this.end = last == null ? aboveAll : last.bytes();
        this.aboveAll = aboveAll;
        this.clock = clock;
        this.measuredNanos = clock.getAsLong();
    }

    /**
     * The sizes within the last minute, or within the last ten for a store that has kept its size. Empty in the first minute. Where the DFS
     * holds a file damaged, the last known sizes.
     *
     * @param bytes of the store within its interval
     */
    List<TableSize> within(long bytes) {
        long now = clock.getAsLong();
        long period = bytes == measuredBytes ? PERIOD_NANOS_MAX : PERIOD_NANOS;
        if (now - measuredNanos >= period) {
            measuredBytes = bytes;
            measuredNanos = now;
            try {
                known = measure();
            } catch (RocksDBException failure) {
                database.throwUnlessStored("the tables of " + interval + " cannot be measured", failure);
            }
        }
        return known;
    }

    private List<TableSize> measure() throws RocksDBException {
        double entitiesPerByte = entitiesPerByte();
        List<TableSize> registered = new ArrayList<>();
        List<TableSize> found = new ArrayList<>();
        try (Slice bound = new Slice(end);
                ReadOptions options = new ReadOptions()
                        .setFillCache(false)
                        .setIterateUpperBound(bound)
                        .setMaxSkippableInternalKeys(SKIPPED_MAX);
                RocksIterator entities = database.db().newIterator(database.data(), options)) {
            int left = COUNTED_MAX_OF_ALL;
            byte[] from = begin;
            entities.seek(from);
            byte[] behindRegistry = behind(Registry.TABLE);
            if (Arrays.compareUnsigned(from, behindRegistry) < 0) {
                registered.addAll(registry(entities, behindRegistry, entitiesPerByte));
                from = behindRegistry;
                entities.seek(from);
            }
            while (hasMore(entities) && found.size() < TABLES_MAX) {
                long table = entities.isValid() ? Key.wrap(entities.key()).table() : firstWithBytes(from);
                TableSize counted = count(table, entities, Math.min(left, COUNTED_MAX));
                left -= (int) counted.entities();
                byte[] first = larger(begin, Key.beforeTable(table).bytes());
                from = behind(table);
                boolean isStuck = !entities.isValid() && hasMore(entities);
                if (isStuck) {
                    TableSize estimated = estimate(table, first, from, counted, entitiesPerByte);
                    if (Math.max(estimated.bytes(), counted.bytes()) > 0) {
                        found.add(estimated.bytes() > counted.bytes() ? estimated : counted);
                    }
                    entities.seek(from);
                } else if (entities.isValid() && Arrays.compareUnsigned(entities.key(), from) < 0) {
                    found.add(estimate(table, first, from, counted, entitiesPerByte));
                    entities.seek(from);
                } else {
                    found.add(counted);
                }
            }
            if (hasMore(entities)) {
                TableSize none = new TableSize(TableSize.OTHERS, 0, 0);
                found.add(estimate(TableSize.OTHERS, from, end, none, entitiesPerByte));
            }
        }
        registered.addAll(found);
        return registered;
    }

    /** The part of each account in the registry, from the position of {@code entities} on; leaves that at some place. */
    private Collection<TableSize> registry(RocksIterator entities, byte[] behind, double entitiesPerByte)
            throws RocksDBException {
        Map<String, TableSize> sums = new TreeMap<>();
        ByteBuffer nothing = ByteBuffer.allocate(1);
        byte[] last = begin;
        int left = REGISTERED_MAX;
        while (left > 0 && entities.isValid() && Arrays.compareUnsigned(entities.key(), behind) < 0) {
            last = entities.key();
            nothing.clear();
            long bytes = (long) last.length + entities.value(nothing);
            String account = Key.wrap(last).partitionKey();
            boolean isNamed = sums.containsKey(account) || sums.size() < ACCOUNTS_MAX;
            add(new TableSize(Registry.TABLE, isNamed ? account : "", bytes, 1), sums);
            left--;
            entities.next();
        }
        boolean isBehind = entities.isValid() && Arrays.compareUnsigned(entities.key(), behind) >= 0;
        if (hasMore(entities) && !isBehind) {
            TableSize none = new TableSize(Registry.TABLE, 0, 0);
            TableSize rest = estimate(Registry.TABLE, last, behind, none, entitiesPerByte);
            if (rest.bytes() > 0) {
                add(rest, sums);
            }
        }
        return sums.values();
    }

    private static void add(TableSize size, Map<String, TableSize> sums) {
        sums.merge(size.account(), size, TableSize::plus);
    }

    /** True if it is at an entity, or if it has passed over too many deleted ones to know where the next one is. */
    private static boolean hasMore(RocksIterator entities) throws RocksDBException {
        if (entities.isValid()) {
            return true;
        }
        try {
            entities.status();
            return false;
        } catch (RocksDBException failure) {
            Status status = failure.getStatus();
            if (status != null && status.getCode() == Status.Code.Incomplete) {
                return true;
            }
            throw failure;
        }
    }

    /** The table in which a key and those after it begin to take room, to within a block of a file. */
    private long firstWithBytes(byte[] from) {
        long low = Key.wrap(from).table();
        long high = Key.wrap(end).table();
        while (Long.compareUnsigned(low, high) < 0) {
            long middle = low + Long.divideUnsigned(high - low, 2);
            if (database.bytesBetween(from, behind(middle)) > 0) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
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

    /** The end of the table within the interval. */
    private byte[] behind(long table) {
        Key last = KeyRange.ofTable(table).end();
        return last == null || Arrays.compareUnsigned(last.bytes(), end) > 0 ? end : last.bytes();
    }

    private static byte[] larger(byte[] one, byte[] other) {
        return Arrays.compareUnsigned(one, other) >= 0 ? one : other;
    }
}
