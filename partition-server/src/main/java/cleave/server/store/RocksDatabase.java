package cleave.server.store;

import cleave.server.outside.StoreException;
import cleave.server.state.LogPosition;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.DBOptions;
import org.rocksdb.Range;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.SizeApproximationFlag;
import org.rocksdb.Slice;

/**
 * One open RocksDB, closed when the last of those that use it lets go: native code must not be called on what is closed.
 * Thread-safe.
 */
final class RocksDatabase {
    private static final byte[] POSITION = "position".getBytes(StandardCharsets.UTF_8);

    private final OpenFiles openFiles;
    private final DBOptions options;
    private final RocksDB db;
    private final ColumnFamilyHandle positions;
    private final ColumnFamilyHandle data;
    private final AtomicInteger users = new AtomicInteger(1);

    private RocksDatabase(OpenFiles openFiles, DBOptions options, RocksDB db, List<ColumnFamilyHandle> handles) {
        this.openFiles = openFiles;
        this.options = options;
        this.db = db;
        this.positions = handles.get(0);
        this.data = handles.get(1);
    }

    /** The opener is its first user. */
    static RocksDatabase open(RocksShared shared, Path folder) {
        int openFilesMax = shared.openFiles().open();
        DBOptions options =
                shared.options(openFilesMax).setCreateIfMissing(true).setCreateMissingColumnFamilies(true);
        List<ColumnFamilyHandle> handles = new ArrayList<>();
        RocksDatabase opened = null;
        try {
            opened = new RocksDatabase(
                    shared.openFiles(),
                    options,
                    RocksDB.open(options, folder.toString(), shared.families(), handles),
                    handles);
            shared.openFiles().opened(opened, openFilesMax);
            return opened;
        } catch (RocksDBException failure) {
            options.close();
            throw new StoreException("store " + folder + " cannot be opened", failure);
        } finally {
            if (opened == null) {
                shared.openFiles().failed();
            }
        }
    }

    /** As {@link #open}, but changes nothing in the folder. */
    static RocksDatabase openReadOnly(RocksShared shared, Path folder, Path logFolder) {
        DBOptions options = shared.options(OpenFiles.least()).setDbLogDir(logFolder.toString());
        List<ColumnFamilyHandle> handles = new ArrayList<>();
        try {
            return new RocksDatabase(
                    shared.openFiles(),
                    options,
                    RocksDB.openReadOnly(options, folder.toString(), shared.families(), handles),
                    handles);
        } catch (RocksDBException failure) {
            options.close();
            throw new StoreException("checkpoint " + folder + " cannot be read", failure);
        }
    }

    RocksDB db() {
        return db;
    }

    ColumnFamilyHandle data() {
        return data;
    }

    ColumnFamilyHandle positions() {
        return positions;
    }

    static byte[] positionKey() {
        return POSITION;
    }

    @Nullable
    LogPosition position() {
        try {
            byte[] bytes = db.get(positions, POSITION);
            return bytes == null ? null : PositionCodec.decode(bytes);
        } catch (RocksDBException failure) {
            throw new StoreException("the position cannot be read", failure);
        }
    }

    /** About how many bytes of entities lie between two keys, in files and in memory. Reads the indexes of files alone. */
    long bytesBetween(byte[] low, byte[] high) {
        try (Slice from = new Slice(low);
                Slice to = new Slice(high)) {
            return db.getApproximateSizes(
                            data,
                            List.of(new Range(from, to)),
                            SizeApproximationFlag.INCLUDE_FILES,
                            SizeApproximationFlag.INCLUDE_MEMTABLES)[0];
        }
    }

    /** One more user, which must be known to be another than the last. */
    void use() {
        users.incrementAndGet();
    }

    /** As {@link #use}, for those who do not know whether anybody uses it still; false if nobody does. */
    boolean useIfOpen() {
        return users.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
    }

    void release() {
        if (users.decrementAndGet() == 0) {
            positions.close();
            data.close();
            db.close();
            options.close();
            openFiles.closed(this);
        }
    }
}
