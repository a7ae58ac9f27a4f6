package cleave.server.store;

import cleave.model.manifest.Manifest;
import cleave.server.outside.StoreException;
import cleave.server.outside.StoreException.Kind;
import cleave.server.state.LogPosition;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.DBOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.LiveFileMetaData;
import org.rocksdb.MutableColumnFamilyOptions;
import org.rocksdb.Range;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.SizeApproximationFlag;
import org.rocksdb.Slice;
import org.rocksdb.Status;

/**
 * One open RocksDB, closed when its last user lets go: native code must not be called on a closed one.
 * Thread-safe.
 *
 * <p>It may be opened with files that the DFS holds damaged. All its other data can still be read and written: damage does not stop writes,
 * and nothing is compacted. RocksDB compares each block that it reads with its checksum, and says in which file one is wrong.
 */
final class RocksDatabase {
    private static final byte[] POSITION = "position".getBytes(StandardCharsets.UTF_8);

    /** The name that RocksDB gives a file of sorted entities. */
    private static final Pattern SORTED_FILE = Pattern.compile("\\d{6,}\\.sst");

    /** The most files that RocksDB looks into without regard to their bounds. */
    private static final int FILES_WITHOUT_BOUNDS_MAX = 3;

    private final OpenFiles openFiles;
    private volatile List<Manifest.File> damaged;
    private final DBOptions options;
    private final RocksDB db;
    private final ColumnFamilyHandle positions;
    private final ColumnFamilyHandle data;
    private final AtomicInteger users = new AtomicInteger(1);

    private RocksDatabase(
            OpenFiles openFiles,
            List<Manifest.File> damaged,
            DBOptions options,
            RocksDB db,
            List<ColumnFamilyHandle> handles) {
        this.openFiles = openFiles;
        this.damaged = List.copyOf(damaged);
        this.options = options;
        this.db = db;
        this.positions = handles.get(0);
        this.data = handles.get(1);
    }

    /**
     * The opener is its first user.
     *
     * @param damaged the files in the folder that the DFS holds damaged
     */
    static RocksDatabase open(RocksShared shared, Path folder, List<Manifest.File> damaged) {
        int openFilesMax = shared.openFiles().open();
        DBOptions options = shared.options(openFilesMax)
                .setCreateIfMissing(true)
                .setCreateMissingColumnFamilies(true)
                .setParanoidChecks(damaged.isEmpty());
        List<ColumnFamilyHandle> handles = new ArrayList<>();
        RocksDatabase opened = null;
        try {
            opened = new RocksDatabase(
                    shared.openFiles(),
                    damaged,
                    options,
                    RocksDB.open(options, folder.toString(), shared.families(!damaged.isEmpty()), handles),
                    handles);
            shared.openFiles().opened(opened, openFilesMax);
            return opened;
        } catch (RocksDBException failure) {
            options.close();
            throw failure("store " + folder + " cannot be opened", failure, false);
        } finally {
            if (opened == null) {
                shared.openFiles().failed();
            }
        }
    }

    /**
     * While there are few files, all in level 0, RocksDB looks into all of them for every key, regardless of their bounds. A file without
     * its index would then hide the keys of the others. So the files of a damaged database go to level 1, from which a dropped table also
     * takes them away. Files that overlap cannot; then empty ones are added until there are more than few.
     */
    @SuppressWarnings("deprecation") // Nothing else in RocksDB moves a file without reading it, which here would fail.
    void lookByBounds(RocksShared shared) {
        List<LiveFileMetaData> files = sortedFiles();
        if (damaged.isEmpty() || files.stream().anyMatch(file -> file.level() > 0)) {
            return;
        }
        try (FlushOptions flush = new FlushOptions()) {
            if (areDisjoint(files)) {
                db.promoteL0(data, 1);
                return;
            }
            for (int i = files.size(); i <= FILES_WITHOUT_BOUNDS_MAX; i++) {
                db.delete(data, shared.writeOptions(), RocksRangeStore.ABOVE_ALL);
                db.flush(flush, data);
            }
        } catch (RocksDBException failure) {
            throw failure("a store with damaged files cannot be written", failure);
        }
    }

    private static boolean areDisjoint(List<LiveFileMetaData> files) {
        List<LiveFileMetaData> sorted = files.stream()
                .sorted((one, other) -> Arrays.compareUnsigned(one.smallestKey(), other.smallestKey()))
                .toList();
        for (int i = 1; i < sorted.size(); i++) {
            if (Arrays.compareUnsigned(
                            sorted.get(i - 1).largestKey(), sorted.get(i).smallestKey())
                    >= 0) {
                return false;
            }
        }
        return true;
    }

    /** The files of entities. */
    List<LiveFileMetaData> sortedFiles() {
        return db.getLiveFilesMetaData().stream()
                .filter(file -> Arrays.equals(file.columnFamilyName(), RocksShared.DATA))
                .toList();
    }

    /** Opens it as {@link #open} does, but changes nothing in the folder. */
    static RocksDatabase openReadOnly(RocksShared shared, Path folder, Path logFolder, List<Manifest.File> damaged) {
        DBOptions options = shared.options(OpenFiles.least())
                .setDbLogDir(logFolder.toString())
                .setParanoidChecks(damaged.isEmpty());
        List<ColumnFamilyHandle> handles = new ArrayList<>();
        try {
            return new RocksDatabase(
                    shared.openFiles(),
                    damaged,
                    options,
                    RocksDB.openReadOnly(options, folder.toString(), shared.families(!damaged.isEmpty()), handles),
                    handles);
        } catch (RocksDBException failure) {
            options.close();
            throw failure("checkpoint " + folder + " cannot be read", failure, false);
        }
    }

    RocksDB db() {
        return db;
    }

    /**
     * The files that it was opened with although the DFS holds them damaged, and those whose damage in the DFS was found later. Immutable.
     */
    List<Manifest.File> damaged() {
        return damaged;
    }

    /** Notes that a file is damaged here and in the DFS. One at a time. */
    void lost(Manifest.File file) {
        damaged = Stream.concat(damaged.stream(), Stream.of(file)).toList();
        MutableColumnFamilyOptions noCompactions = MutableColumnFamilyOptions.builder()
                .setDisableAutoCompactions(true)
                .build();
        try {
            for (ColumnFamilyHandle family : List.of(positions, data)) {
                db.setOptions(family, noCompactions);
            }
        } catch (RocksDBException failure) {
            throw failure("compactions cannot be stopped", failure);
        }
    }

    /** True if RocksDB reads this file. */
    boolean uses(String name) {
        return db.getLiveFilesMetaData().stream()
                .anyMatch(file -> file.fileName().endsWith(name));
    }

    /** The meaning of RocksDB's failure: damage of a file that came damaged from the DFS, of one that did not, or another failure. */
    StoreException failure(String what, RocksDBException failure) {
        return failure(what, failure, isOfDamaged(String.valueOf(failure.getMessage())));
    }

    /** Throws the failure by its meaning, unless a file is damaged that the DFS holds so. */
    void throwUnlessStored(String what, RocksDBException failure) {
        StoreException thrown = failure(what, failure);
        if (thrown.kind() != Kind.STORED_DAMAGE) {
            throw thrown;
        }
    }

    private boolean isOfDamaged(String message) {
        Matcher file = SORTED_FILE.matcher(message);
        if (!file.find()) {
            return !damaged.isEmpty();
        }
        String name = file.group();
        return damaged.stream().anyMatch(each -> each.localName().equals(name));
    }

    /** @param isStored the DFS holds it damaged, if it is damage */
    static StoreException failure(String what, RocksDBException failure, boolean isStored) {
        Status status = failure.getStatus();
        boolean isDamage = status != null && status.getCode() == Status.Code.Corruption;
        Kind kind = !isDamage ? Kind.MEDIUM : isStored ? Kind.STORED_DAMAGE : Kind.LOCAL_DAMAGE;
        return new StoreException(kind, what, failure);
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
            throw failure("the position cannot be read", failure);
        }
    }

    /** About how many bytes of entities lie between two keys, in files and in memory. Reads the indexes of files alone. */
    long bytesBetween(byte[] low, byte[] high) {
        return bytesBetween(low, high, SizeApproximationFlag.INCLUDE_FILES, SizeApproximationFlag.INCLUDE_MEMTABLES);
    }

    /** The same in files alone: it never falls while the upper key rises, and grows exactly where a block of a file ends. */
    long fileBytesBetween(byte[] low, byte[] high) {
        return bytesBetween(low, high, SizeApproximationFlag.INCLUDE_FILES);
    }

    private long bytesBetween(byte[] low, byte[] high, SizeApproximationFlag... of) {
        try (Slice from = new Slice(low);
                Slice to = new Slice(high)) {
            return db.getApproximateSizes(data, List.of(new Range(from, to)), of)[0];
        }
    }

    /** One more user, which must be known to be another than the last. */
    void use() {
        users.incrementAndGet();
    }

    /** The same as {@link #use}, for callers that do not know whether anybody still uses it; false if nobody does. */
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
