package cleave.server.store;

import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.server.state.StoredSize;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/**
 * Estimates how large one store is within its interval, and where its bytes halve. One call at a time, on a thread that may block.
 *
 * <p>From the indexes of its files RocksDB knows how many bytes lie between two keys, to within a block. Some tens of such questions find
 * the middle, and a few seeks find the partition there. Files may still hold other ranges' keys; they are not counted. If memory holds more
 * than some ten entities, RocksDB draws samples: it may miss a fifth, seldom half. That does not matter in large stores.
 */
final class RocksSizing {
    /** Enough to separate two keys that differ in the last of some tens of bytes. */
    private static final int QUESTIONS_MAX = 80;
    /** So near to the middle is near enough. */
    private static final double NEAR = 0.02;
    /** The middle is looked for again when the size has changed by this part. */
    private static final double CHANGED = 0.1;
    /** The bytes by which a fraction is longer than the common prefix of the two that it lies between. */
    private static final int FRACTION_BYTES = 8;

    private final RocksDatabase database;
    private final KeyRange interval;
    private final byte[] begin;
    private final byte[] end;
    private final RocksTableSizes tables;
    private @Nullable StoredSize halved;
    /**
     * @param aboveAll a bound above every key
     * @param clock in nanoseconds, on any thread
     */
    RocksSizing(RocksDatabase database, KeyRange interval, byte[] aboveAll, LongSupplier clock) {
        this.database = database;
        this.interval = interval;
        this.tables = new RocksTableSizes(database, interval, aboveAll, clock);
        this.begin = interval.start().bytes();
        Key last = interval.end();
        this.end = last == null ? aboveAll : last.bytes();
    }

    /**
     * Ends the use of the database that its caller has begun. Where the DFS holds a file damaged, the middle stays where it was last found,
     * and the tables' sizes as they were; other failures are thrown.
     */
    StoredSize estimate() {
        try {
            long bytes = between(begin, end);
            return middleOf(bytes).with(tables.within(bytes));
        } finally {
            database.release();
        }
    }

    private StoredSize middleOf(long bytes) {
        StoredSize before = halved;
        if (before != null && Math.abs(bytes - before.bytes()) <= CHANGED * before.bytes()) {
            return new StoredSize(bytes, before.middle(), before.left());
        }
        try {
            StoredSize now = halve(bytes);
            halved = now;
            return now;
        } catch (RocksDBException failure) {
            database.throwUnlessStored("the middle of the bytes of " + interval + " cannot be found", failure);
            return before == null
                    ? new StoredSize(bytes, null, 0)
                    : new StoredSize(bytes, before.middle(), before.left());
        }
    }

    private long between(byte[] low, byte[] high) {
        return database.bytesBetween(low, high);
    }

    private StoredSize halve(long bytes) throws RocksDBException {
        try (RocksIterator entities = database.db().newIterator(database.data())) {
            byte[] first = at(entities, begin);
            entities.seekForPrev(end);
            if (!entities.isValid()) {
                entities.status();
            }
            byte[] last = entities.isValid() ? entities.key() : null;
            if (bytes == 0 || first == null || last == null || Arrays.compareUnsigned(first, last) >= 0) {
                return new StoredSize(bytes, null, 0);
            }
            byte[] found = at(entities, middle(bytes, first, last));
            Key here = Key.wrap(found == null ? last : found);
            byte[] behind = at(
                    entities,
                    Key.afterPartition(here.table(), here.partitionKey()).bytes());
            StoredSize before = dividedAt(bytes, here.partition());
            StoredSize after =
                    behind == null ? before : dividedAt(bytes, Key.wrap(behind).partition());
            return distance(after) < distance(before) ? after : before;
        }
    }

    /** The first key of the interval that is not below this one; null if there is none. */
    private byte @Nullable [] at(RocksIterator entities, byte[] from) throws RocksDBException {
        entities.seek(from);
        if (!entities.isValid()) {
            entities.status();
            return null;
        }
        byte[] key = entities.key();
        return Arrays.compareUnsigned(key, end) < 0 ? key : null;
    }

    /** A key below which about half of the bytes lie, or the nearest to it that could be found. */
    private byte[] middle(long bytes, byte[] first, byte[] last) {
        byte[] low = first;
        byte[] high = last;
        for (int i = 0; i < QUESTIONS_MAX; i++) {
            byte[] middle = halfway(low, high);
            if (Arrays.compareUnsigned(middle, low) <= 0) {
                return low;
            }
            double left = (double) between(begin, middle) / bytes;
            if (Math.abs(left - 0.5) < NEAR) {
                return middle;
            }
            low = left < 0.5 ? middle : low;
            high = left < 0.5 ? high : middle;
        }
        return low;
    }

    /** Keys taken for fractions, their mean. */
    private static byte[] halfway(byte[] low, byte[] high) {
        int common = Arrays.mismatch(low, high);
        int length = common + FRACTION_BYTES;
        byte[] sum = new BigInteger(1, Arrays.copyOf(low, length))
                .add(new BigInteger(1, Arrays.copyOf(high, length)))
                .shiftRight(1)
                .toByteArray();
        byte[] mean = new byte[length];
        int taken = Math.min(length, sum.length); // Its sign may take one byte more.
        System.arraycopy(sum, sum.length - taken, mean, length - taken, taken);
        return mean;
    }

    private StoredSize dividedAt(long bytes, Key at) {
        boolean inside = interval.contains(at) && !at.equals(interval.start());
        return inside
                ? new StoredSize(bytes, at, Math.min(1, (double) between(begin, at.bytes()) / bytes))
                : new StoredSize(bytes, null, 0);
    }

    private static double distance(StoredSize size) {
        return size.middle() == null ? 1 : Math.abs(size.left() - 0.5);
    }
}
