package cleave.server.store;

import cleave.runtime.files.PrivateFiles;
import cleave.server.outside.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.Env;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.NativeLibraryLoader;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileReader;
import org.rocksdb.WriteBufferManager;
import org.rocksdb.WriteOptions;

/**
 * The shared part of all stores of a process: block cache, write buffers, background threads, options. Thread-safe. Closed after the last
 * store, for the stores hold on to it.
 */
final class RocksShared implements AutoCloseable {
    /** It grows with each flush; beyond this RocksDB begins a new one, which lists only the present files. Each checkpoint contains it. */
    private static final long MANIFEST_BYTES_MAX = 4 << 10;

    private static final long BLOCK_BYTES = 16 << 10;
    private static final int BLOOM_BITS = 10;
    private static final long WRITE_BUFFER_BYTES = 8 << 20;
    /** A part of a split copies the files that have some of its keys: with RocksDB's 64 MiB, a part of a range of 100 MiB copies most of it. */
    private static final long FILE_BYTES = 16 << 20;
    /** Memory is given to a store in such parts of all write buffers, so that a thousand stores can hold a little. */
    private static final long ARENA_PART = 4096;

    private static final long ARENA_BYTES_MIN = 4 << 10;
    private static final long ARENA_BYTES_MAX = 64 << 10;
    /** The family of the entities. */
    static final byte[] DATA = {'d', 'a', 't', 'a'};

    private final Cache cache;
    private final WriteBufferManager writeBuffers;
    private final BloomFilter bloom;
    private final ColumnFamilyOptions familyOptions;
    private final ColumnFamilyOptions damagedFamilyOptions;
    private final WriteOptions writeOptions;
    private final OpenFiles openFiles;

    RocksShared(Path nativeFolder, long cacheBytes, long writeBufferBytes, OpenFiles openFiles) {
        this.openFiles = openFiles;
        loadLibrary(nativeFolder); // Before the first native object, so none is a field initialiser.
        bloom = new BloomFilter(BLOOM_BITS);
        writeOptions = new WriteOptions().setDisableWAL(true);
        cache = new LRUCache(cacheBytes);
        writeBuffers = new WriteBufferManager(writeBufferBytes, cache);
        familyOptions = familyOptions(writeBufferBytes);
        damagedFamilyOptions = familyOptions(writeBufferBytes).setDisableAutoCompactions(true);
    }

    private ColumnFamilyOptions familyOptions(long writeBufferBytes) {
        return new ColumnFamilyOptions()
                .setCompressionType(CompressionType.LZ4_COMPRESSION)
                .setWriteBufferSize(WRITE_BUFFER_BYTES)
                .setTargetFileSizeBase(FILE_BYTES)
                .setArenaBlockSize(Math.max(ARENA_BYTES_MIN, Math.min(ARENA_BYTES_MAX, writeBufferBytes / ARENA_PART)))
                .setTableFormatConfig(new BlockBasedTableConfig()
                        .setBlockCache(cache)
                        .setBlockSize(BLOCK_BYTES)
                        .setFilterPolicy(bloom));
    }

    /** Loads it into a folder of this process, once: otherwise every start leaves a copy behind. */
    private static void loadLibrary(Path folder) {
        try {
            PrivateFiles.make(folder);
            NativeLibraryLoader.getInstance().loadLibrary(folder.toString());
            RocksDB.loadLibrary();
        } catch (IOException failure) {
            throw new UncheckedIOException("RocksDB's library cannot be unpacked to " + folder, failure);
        }
    }

    /** Bytes in the block cache. */
    long cacheBytes() {
        return cache.getUsage();
    }

    OpenFiles openFiles() {
        return openFiles;
    }

    /** The options of one store, which are closed with it. */
    DBOptions options(int openFilesMax) {
        return new DBOptions()
                .setEnv(Env.getDefault())
                .setAtomicFlush(true)
                .setMaxOpenFiles(openFilesMax)
                .setMaxFileOpeningThreads(1) // A store has few files: starting 15 threads costs more than opening it.
                .setTableCacheNumshardbits(0) // Each part of it could hold one file at least, so that 64 make no bound.
                .setStatsDumpPeriodSec(0)
                .setMaxManifestFileSize(MANIFEST_BYTES_MAX)
                .setAvoidFlushDuringShutdown(true)
                .setWriteBufferManager(writeBuffers)
                .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
                .setKeepLogFileNum(1);
    }

    /** The options for files that a store is to take over. The caller closes them. */
    Options tableOptions() {
        try (DBOptions plain = new DBOptions()) {
            return new Options(plain, familyOptions);
        }
    }

    /**
     * Reads a file of sorted entities, past the block cache, and compares each block with the checksum that it got when it was written.
     * Throws a {@link StoreException} if one differs, or if the file cannot be read.
     */
    void verify(Path file) {
        try (Options options = tableOptions().setTableFormatConfig(new BlockBasedTableConfig().setNoBlockCache(true));
                SstFileReader reader = new SstFileReader(options)) {
            reader.open(file.toString());
            reader.verifyChecksum();
        } catch (RocksDBException failure) {
            throw RocksDatabase.failure(
                    "a block of " + file.getFileName() + " is not what was written", failure, false);
        }
    }

    /**
     * The position lies in the default family, entities in another one.
     *
     * @param isDamaged files that the store is opened with have bad blocks: compactions would stop there, again and again
     */
    List<ColumnFamilyDescriptor> families(boolean isDamaged) {
        ColumnFamilyOptions options = isDamaged ? damagedFamilyOptions : familyOptions;
        return List.of(
                new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, options),
                new ColumnFamilyDescriptor(DATA, options));
    }

    /** RocksDB's own log is off: the commit log is the log. */
    WriteOptions writeOptions() {
        return writeOptions;
    }

    @Override
    public void close() {
        writeOptions.close();
        familyOptions.close();
        damagedFamilyOptions.close();
        bloom.close();
        writeBuffers.close();
        cache.close();
    }
}
