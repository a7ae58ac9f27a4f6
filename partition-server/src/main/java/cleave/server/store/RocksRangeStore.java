package cleave.server.store;

import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.manifest.Manifest;
import cleave.server.outside.RangeFiles;
import cleave.server.outside.RangeStore;
import cleave.server.outside.StoreException;
import cleave.server.state.Effect;
import cleave.server.state.EntityCursor;
import cleave.server.state.LogPosition;
import cleave.server.state.StoredSize;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;

/**
 * A range's store on one RocksDB. Confined to the range's loop.
 *
 * <p>A write costs RocksDB as much as some ten small entities in it do, and each of many ranges gets few at a time. So applied effects wait
 * here until they are worth a write, or until a call needs RocksDB's answer.
 */
final class RocksRangeStore implements RangeStore {
    /** The most that waits in one store. */
    private static final int WAITING_BYTES_MAX = 16 << 10;

    private static final int WAITING_MAX = 64;
    /** Above every key: no key begins with as many. */
    static final byte[] ABOVE_ALL = allOnes(16);

    private final RocksShared shared;
    private final RocksDatabase database;
    private final KeyRange interval;
    private final BiFunction<RangeFiles, Integer, CompletableFuture<StoredCheckpoint>> checkpoints;
    private final RocksCheckpoints copies;
    private final Function<Supplier<Optional<ByteString>>, CompletableFuture<Optional<ByteString>>> reads;
    private final Function<KeyRange, CompletableFuture<Void>> compactions;
    private final Function<RocksSizing, CompletableFuture<StoredSize>> sizes;
    private final RocksSizing sizing;
    private final WriteBuffers.Held held;
    private final Runnable whenClosed;
    private final Map<Key, Effect> waiting = new HashMap<>();
    private long waitingBytes;
    private @Nullable LogPosition waitingPosition;
    private boolean closed;

    RocksRangeStore(
            RocksShared shared,
            RocksDatabase database,
            KeyRange interval,
            BiFunction<RangeFiles, Integer, CompletableFuture<StoredCheckpoint>> checkpoints,
            RocksCheckpoints copies,
            Function<Supplier<Optional<ByteString>>, CompletableFuture<Optional<ByteString>>> reads,
            Function<KeyRange, CompletableFuture<Void>> compactions,
            Function<RocksSizing, CompletableFuture<StoredSize>> sizes,
            LongSupplier clock,
            WriteBuffers.Held held,
            Runnable whenClosed) {
        this.shared = shared;
        this.database = database;
        this.interval = interval;
        this.checkpoints = checkpoints;
        this.copies = copies;
        this.reads = reads;
        this.compactions = compactions;
        this.sizes = sizes;
        this.sizing = new RocksSizing(database, interval, ABOVE_ALL, clock);
        this.held = held;
        this.whenClosed = whenClosed;
    }

    private static byte[] allOnes(int length) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) 0xff);
        return bytes;
    }

    /**
     * Drops the data outside of this interval, which does not exist. Files that lie outside wholly are dropped, so that the next checkpoint
     * and the stores opened from it do without them. In the other files the rest goes when they are compacted.
     */
    void trim(KeyRange counted) {
        List<byte[]> outside = outside(counted);
        if (outside.isEmpty() || !holdsMoreThan(counted)) {
            return;
        }
        try (WriteBatch batch = new WriteBatch()) {
            for (int i = 0; i < outside.size(); i += 2) {
                batch.deleteRange(database.data(), outside.get(i), outside.get(i + 1));
            }
            database.db().write(shared.writeOptions(), batch);
            database.db().deleteFilesInRanges(database.data(), outside, false);
        } catch (RocksDBException failure) {
            throw database.failure("store of " + interval + " cannot be trimmed", failure);
        }
    }

    /** The intervals before and after this one, by their bounds. */
    static List<byte[]> outside(KeyRange counted) {
        byte[] start = counted.start().bytes();
        Key end = counted.end();
        List<byte[]> outside = new ArrayList<>();
        if (start.length > 0) {
            outside.addAll(List.of(Key.MIN.bytes(), start));
        }
        if (end != null) {
            outside.addAll(List.of(end.bytes(), ABOVE_ALL));
        }
        return outside;
    }

    /** Mostly false, because its checkpoint was made of the same interval. Data that cannot be read may be outside. */
    private boolean holdsMoreThan(KeyRange counted) {
        try (RocksIterator entities = database.db().newIterator(database.data())) {
            entities.seekToFirst();
            entities.status();
            if (!entities.isValid()) {
                return false;
            }
            Key first = Key.wrap(entities.key());
            entities.seekToLast();
            entities.status();
            return !counted.contains(first) || !entities.isValid() || !counted.contains(Key.wrap(entities.key()));
        } catch (RocksDBException failure) {
            database.throwUnlessStored("store of " + interval + " cannot be read", failure);
            return true;
        }
    }

    @Override
    public byte @Nullable [] get(Key key) {
        Effect last = waiting.isEmpty() ? null : waiting.get(key);
        if (last != null) {
            return last instanceof Effect.Put put ? put.entity() : null;
        }
        try {
            return database.db().get(database.data(), key.bytes());
        } catch (RocksDBException failure) {
            throw database.failure("reading " + key + " failed", failure);
        }
    }

    @Override
    public void apply(List<Effect> effects, LogPosition position) {
        long bytes = 0;
        boolean drops = false;
        for (Effect effect : effects) {
            bytes += effect instanceof Effect.Put put ? put.entity().length : 0;
            drops |= effect instanceof Effect.DropTable;
        }
        if (drops || bytes >= WAITING_BYTES_MAX || effects.size() >= WAITING_MAX) {
            writeWaiting();
            write(effects, position);
            return;
        }
        for (Effect effect : effects) {
            waiting.put(keyOf(effect), effect);
        }
        waitingBytes += bytes;
        waitingPosition = position;
        if (waitingBytes >= WAITING_BYTES_MAX || waiting.size() >= WAITING_MAX) {
            writeWaiting();
        }
    }

    private static Key keyOf(Effect effect) {
        if (effect instanceof Effect.Put put) {
            return put.key();
        } else if (effect instanceof Effect.Delete delete) {
            return delete.key();
        }
        throw new AssertionError("not of one entity: " + effect);
    }

    private void writeWaiting() {
        LogPosition position = waitingPosition;
        if (position != null) {
            write(waiting.values(), position); // In any order, for each is of another key.
            waiting.clear();
            waitingBytes = 0;
            waitingPosition = null;
        }
    }

    private void write(Collection<Effect> effects, LogPosition position) {
        try (WriteBatch batch = new WriteBatch()) {
            for (Effect effect : effects) {
                add(effect, batch);
            }
            batch.put(database.positions(), RocksDatabase.positionKey(), PositionCodec.encode(position));
            database.db().write(shared.writeOptions(), batch);
            held.add(batch.getDataSize());
        } catch (RocksDBException failure) {
            throw database.failure("applying up to " + position + " failed", failure);
        }
    }

    private void add(Effect effect, WriteBatch batch) throws RocksDBException {
        if (effect instanceof Effect.Put put) {
            batch.put(database.data(), put.key().bytes(), put.entity());
        } else if (effect instanceof Effect.Delete delete) {
            batch.delete(database.data(), delete.key().bytes());
        } else if (effect instanceof Effect.DropTable drop) {
            KeyRange here = KeyRange.ofTable(drop.table()).intersection(interval);
            if (here != null) {
                Key end = here.end();
                batch.deleteRange(database.data(), here.start().bytes(), end == null ? ABOVE_ALL : end.bytes());
            }
        } else {
            throw new AssertionError("unknown effect " + effect);
        }
    }

    @Override
    public @Nullable LogPosition position() {
        return waitingPosition == null ? database.position() : waitingPosition;
    }

    @Override
    public EntityCursor cursor(KeyRange wanted) {
        writeWaiting();
        return new RocksCursor(database, wanted);
    }

    @Override
    public EntityCursor salvage(KeyRange wanted) {
        writeWaiting();
        return database.damaged().isEmpty()
                ? new RocksCursor(database, wanted)
                : new RocksSalvage(shared, database, wanted);
    }

    @Override
    public CompletableFuture<StoredCheckpoint> checkpoint(RangeFiles files, int inlineMax) {
        return afterWaiting(() -> checkpoints.apply(files, inlineMax));
    }

    @Override
    public CompletableFuture<Void> compact(KeyRange wanted) {
        return afterWaiting(() -> compactions.apply(wanted));
    }

    /** Compacts on any thread that uses the database, which is released. */
    static void compactNow(RocksDatabase database, KeyRange wanted) {
        Key end = wanted.end();
        byte[] until = end == null ? ABOVE_ALL : end.bytes();
        try {
            database.db()
                    .deleteFilesInRanges(database.data(), List.of(wanted.start().bytes(), until), false);
            if (database.damaged().isEmpty()) {
                database.db().compactRange(database.data(), wanted.start().bytes(), until);
            }
        } catch (RocksDBException failure) {
            throw database.failure("compacting " + wanted + " failed", failure);
        } finally {
            database.release();
        }
    }

    @Override
    public CompletableFuture<StoredSize> size() {
        return afterWaiting(() -> sizes.apply(sizing));
    }

    private <T extends @Nullable Object> CompletableFuture<T> afterWaiting(Supplier<CompletableFuture<T>> work) {
        try {
            writeWaiting();
        } catch (StoreException failure) {
            return CompletableFuture.failedFuture(failure);
        }
        return work.get();
    }

    @Override
    public List<String> damagedFiles() {
        return database.damaged().stream().map(Manifest.File::path).toList();
    }

    @Override
    public CompletableFuture<Optional<ByteString>> read(Manifest.File file, long offset, int length) {
        return reads.apply(() -> copies.read(file, offset, length));
    }

    @Override
    public void uploadAgain(Manifest.File file) {
        copies.uploadAgain(file);
    }

    @Override
    public void lost(Manifest.File file) {
        copies.lost(file);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            held.end();
            database.release();
            whenClosed.run();
        }
    }
}
