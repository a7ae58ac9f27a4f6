package cleave.server.store;

import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.server.state.EntityCursor;
import java.util.Arrays;
import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;
import org.rocksdb.AbstractRocksIterator;
import org.rocksdb.LiveFileMetaData;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.ReadTier;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Snapshot;
import org.rocksdb.SstFileReader;
import org.rocksdb.SstFileReaderIterator;

/**
 * Walks over a database that was opened with damaged files, as it was when this was made, and passes over parts that cannot be read.
 * Confined to one thread at a time.
 *
 * <p>RocksDB's own iterator merges all files: it stops where one has a bad block, and does not move at all beside a file without its index.
 * So the keys come from each file by itself and from memory, and the entity of each is read by a point lookup. That fails only if the bad
 * block may hold the key, as a Bloom filter shows. So where files overlap, no more is lost than the keys of the damaged one.
 *
 * <p>Behind a bad block a file goes on with the next. Only the index knows where that begins, and it shows it in one way: the
 * {@linkplain RocksDatabase#fileBytesBetween bytes between two keys} grow where a block of this file or another ends.
 */
final class RocksSalvage implements EntityCursor {
    /** Longer than any key. */
    private static final int KEY_BYTES_MAX = 16 << 10;

    private final RocksDatabase database;
    private final byte[] start;
    private final byte[] end;
    private final Snapshot snapshot;
    private final ReadOptions options;
    private final ReadOptions memoryOptions;
    private final ReadOptions fileOptions = new ReadOptions();
    private final Options tableOptions;
    /** By where they stand; at the same key those first that do not stand on a key. */
    private final PriorityQueue<Source> sources =
            new PriorityQueue<>(Comparator.<Source, byte[]>comparing(source -> source.at, Arrays::compareUnsigned)
                    .thenComparing(source -> source.standing));

    private final Source memory;
    private boolean begun;
    private boolean closed;
    private byte @Nullable [] at;
    private byte[] entity = {};
    private @Nullable KeyRange unreadable;

    /** Becomes a user of the database. */
    RocksSalvage(RocksShared shared, RocksDatabase database, KeyRange interval) {
        database.use();
        this.database = database;
        this.start = interval.start().bytes();
        Key last = interval.end();
        this.end = last == null ? RocksRangeStore.ABOVE_ALL : last.bytes();
        this.snapshot = database.db().getSnapshot();
        this.options = new ReadOptions().setSnapshot(snapshot);
        this.memoryOptions = new ReadOptions().setSnapshot(snapshot).setReadTier(ReadTier.MEMTABLE_TIER);
        this.tableOptions = shared.tableOptions();
        // It is made here, since data in memory may be flushed soon. It also keeps the present files.
        this.memory = new Source(start, end, null, database.db().newIterator(database.data(), memoryOptions));
    }

    /** The kinds of place that a source stands on. */
    private enum Standing {
        /** Nothing yet: it must look for the next place from here on. */
        NOTHING,
        /** The beginning of an interval that cannot be read. */
        DAMAGE,
        KEY,
        END
    }

    /** Keys of one file, or of memory, in their order. Their entities may have changed by now, or be gone. */
    private final class Source {
        private final byte[] until;
        private final @Nullable String file;
        private @Nullable SstFileReader reader;
        private @Nullable AbstractRocksIterator<?> keys;
        private byte[] at;
        private Standing standing;

        /**
         * @param file null: memory
         * @param keys null: to be opened when the walk comes to it
         */
        Source(byte[] from, byte[] until, @Nullable String file, @Nullable AbstractRocksIterator<?> keys) {
            this.until = until;
            this.file = file;
            this.keys = keys;
            this.at = from;
            this.standing = unlessAtEnd(Standing.NOTHING);
        }

        private Standing unlessAtEnd(Standing here) {
            return Arrays.compareUnsigned(at, until) < 0 ? here : Standing.END;
        }

        void seek() {
            try {
                AbstractRocksIterator<?> opened = keys == null ? open() : keys;
                opened.seek(at);
                stand(opened);
            } catch (RocksDBException failure) {
                standBefore(failure);
            }
        }

        private AbstractRocksIterator<?> open() throws RocksDBException {
            SstFileReader opened = new SstFileReader(tableOptions);
            reader = opened;
            opened.open(String.valueOf(file));
            SstFileReaderIterator all = opened.newIterator(fileOptions);
            keys = all;
            return all;
        }

        void next() {
            AbstractRocksIterator<?> opened = keys;
            if (opened == null) {
                throw new AssertionError("on a key of " + file + ", which was never opened");
            }
            at = behind(at);
            opened.next();
            try {
                stand(opened);
            } catch (RocksDBException failure) {
                standBefore(failure);
            }
        }

        private void stand(AbstractRocksIterator<?> opened) throws RocksDBException {
            if (opened.isValid()) {
                at = opened instanceof RocksIterator entities ? entities.key() : ((SstFileReaderIterator) opened).key();
                standing = unlessAtEnd(Standing.KEY);
            } else {
                opened.status();
                standing = Standing.END;
            }
        }

        private void standBefore(RocksDBException damage) {
            database.throwUnlessStored("what lies from " + Key.wrap(at) + " on cannot be salvaged", damage);
            standing = unlessAtEnd(Standing.DAMAGE);
        }

        /** The interval that cannot be read. The source goes on behind it; in a file without an index that is its end. */
        KeyRange pass() {
            byte[] from = at;
            at = keys == null ? until : endOfBlock(from, until);
            standing = unlessAtEnd(Standing.NOTHING);
            return new KeyRange(Key.wrap(from), Key.wrap(at));
        }

        void close() {
            AbstractRocksIterator<?> opened = keys;
            if (opened != null) {
                opened.close();
            }
            SstFileReader read = reader;
            if (read != null) {
                read.close();
            }
        }
    }

    private static byte[] behind(byte[] key) {
        return Arrays.copyOf(key, key.length + 1);
    }

    /**
     * The least key above this one at which a block has ended, of any file; {@code until} if there is none below it. It is a block's last
     * key, or one that the index has in its place, with a zero after it; that key is found byte by byte.
     */
    private byte[] endOfBlock(byte[] from, byte[] until) {
        if (!grows(from, until)) {
            return until;
        }
        byte[] last = {}; // A prefix of the key, or all of it.
        while (last.length < KEY_BYTES_MAX) {
            byte[] tried = behind(last);
            if (grows(from, tried)) {
                return Arrays.compareUnsigned(tried, until) < 0 ? tried : until;
            }
            boolean isShared = last.length < from.length && Arrays.equals(last, Arrays.copyOf(from, last.length));
            int low = isShared
                    ? from[last.length] & 0xff
                    : 0; // With this byte it has not grown; with the next it mostly has.
            int high = 256;
            for (int next = low + 1; high - low > 1; next = (low + high) / 2) {
                tried[last.length] = (byte) next;
                if (grows(from, tried)) {
                    high = next;
                } else {
                    low = next;
                }
            }
            tried[last.length] = (byte) low;
            last = tried;
        }
        return until;
    }

    private boolean grows(byte[] from, byte[] to) {
        return Arrays.compareUnsigned(from, to) < 0 && database.fileBytesBetween(from, to) > 0;
    }

    @Override
    public boolean valid() {
        if (!begun) {
            begun = true; // Not before, for it reads from the disk, and the loop must not.
            add(memory);
            for (LiveFileMetaData file : database.sortedFiles()) {
                add(sourceOf(file));
            }
            goOn();
        }
        return at != null;
    }

    private Source sourceOf(LiveFileMetaData file) {
        byte[] smallest = file.smallestKey();
        byte[] behindLargest = behind(file.largestKey());
        return new Source(
                Arrays.compareUnsigned(smallest, start) < 0 ? start : smallest,
                Arrays.compareUnsigned(behindLargest, end) < 0 ? behindLargest : end,
                file.path() + file.fileName(),
                null);
    }

    private void add(Source source) {
        if (source.standing == Standing.END) {
            source.close();
        } else {
            sources.add(source);
        }
    }

    /** Goes to the next entity that can be read, or the next interval that cannot. */
    private void goOn() {
        at = null;
        unreadable = null;
        for (Source first = sources.poll(); first != null; first = at == null ? sources.poll() : null) {
            if (first.standing == Standing.NOTHING) {
                first.seek();
            } else if (first.standing == Standing.DAMAGE) {
                stopAt(first.pass());
            } else {
                byte[] key = first.at;
                first.next();
                passKey(key);
                readAt(key);
            }
            add(first);
        }
    }

    private void passKey(byte[] key) {
        for (Source other = sources.peek(); other != null && Arrays.equals(other.at, key); other = sources.peek()) {
            sources.remove();
            other.next(); // All that stand here stand on the key: others come before.
            add(other);
        }
    }

    private void readAt(byte[] key) {
        try {
            byte[] found = database.db().get(database.data(), options, key);
            if (found != null) {
                at = key;
                entity = found;
            }
        } catch (RocksDBException failure) {
            database.throwUnlessStored("reading " + Key.wrap(key) + " failed", failure);
            stopAt(new KeyRange(Key.wrap(key), Key.wrap(behind(key))));
        }
    }

    private void stopAt(KeyRange passed) {
        at = passed.start().bytes();
        unreadable = passed;
    }

    @Override
    public byte[] key() {
        byte[] here = at;
        if (here == null) {
            throw new IllegalStateException("the walk has ended");
        }
        return here;
    }

    @Override
    public byte[] entity() {
        return entity;
    }

    @Override
    public @Nullable KeyRange unreadable() {
        return unreadable;
    }

    @Override
    public void next() {
        goOn();
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            memory.close();
            sources.forEach(Source::close);
            tableOptions.close();
            fileOptions.close();
            memoryOptions.close();
            options.close();
            database.db().releaseSnapshot(snapshot);
            snapshot.close();
            database.release();
        }
    }
}
