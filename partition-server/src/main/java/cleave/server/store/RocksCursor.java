package cleave.server.store;

import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.server.state.EntityCursor;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;

/** Walks over an iterator, which sees the database as it was when it was made. Confined to one thread at a time. */
final class RocksCursor implements EntityCursor {
    private final RocksDatabase database;
    private final ReadOptions options;
    private final @Nullable Slice end;
    private final RocksIterator iterator;
    private final Key start;
    private boolean begun;
    private boolean closed;

    /** Becomes a user of the database. */
    RocksCursor(RocksDatabase database, KeyRange interval) {
        database.use();
        this.database = database;
        this.start = interval.start();
        this.options = new ReadOptions();
        Key last = interval.end();
        this.end = last == null ? null : new Slice(last.bytes());
        if (end != null) {
            options.setIterateUpperBound(end);
        }
        this.iterator = database.db().newIterator(database.data(), options);
    }

    @Override
    public boolean valid() {
        if (!begun) {
            begun = true; // Not before, for it may read from the disk, and the loop must not.
            iterator.seek(start.bytes());
        }
        boolean valid = iterator.isValid();
        if (!valid) {
            try {
                iterator.status();
            } catch (RocksDBException failure) {
                throw database.failure("a scan from " + start + " failed", failure);
            }
        }
        return valid;
    }

    @Override
    public byte[] key() {
        return iterator.key();
    }

    @Override
    public byte[] entity() {
        return iterator.value();
    }

    @Override
    public void next() {
        iterator.next();
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            iterator.close();
            options.close();
            if (end != null) {
                end.close();
            }
            database.release();
        }
    }
}
