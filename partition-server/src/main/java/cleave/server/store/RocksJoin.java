package cleave.server.store;

import cleave.model.KeyRange;
import cleave.model.manifest.Manifest;
import cleave.runtime.files.PrivateFiles;
import cleave.server.outside.StoreException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.rocksdb.EnvOptions;
import org.rocksdb.IngestExternalFileOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileWriter;

/**
 * Brings the entities that a checkpoint holds within an interval into an open store: as new sorted files, which the store takes over as
 * they are. Confined to the thread that opens the store.
 *
 * <p>RocksDB cannot open two databases as one, and its files do not show to which of two databases a key belongs. So the smaller ones are
 * read once and written once, while the sources still serve.
 */
final class RocksJoin {
    private static final long FILE_BYTES = 64 << 20;

    private final RocksShared shared;
    private final Path folder;
    private final List<String> files = new ArrayList<>();

    private RocksJoin(RocksShared shared, Path folder) {
        this.shared = shared;
        this.folder = folder;
    }

    /**
     * The checkpoint's files lie in {@code db} below the folder.
     *
     * @param damaged those that the DFS holds damaged; with {@link StoreException.Kind#STORED_DAMAGE} if joined entities lie there
     * @param joined gets how many more bytes are done
     */
    static void join(
            RocksShared shared,
            Path folder,
            List<Manifest.File> damaged,
            KeyRange interval,
            RocksDatabase into,
            LongConsumer joined)
            throws IOException {
        Path logs = PrivateFiles.make(folder.resolve("logs"));
        RocksJoin join = new RocksJoin(shared, folder);
        RocksDatabase from = RocksDatabase.openReadOnly(shared, folder.resolve("db"), logs, damaged);
        try (RocksCursor cursor = new RocksCursor(from, interval)) {
            while (cursor.valid()) {
                joined.accept(join.writeFile(cursor));
            }
            join.ingest(into);
        } catch (RocksDBException failure) {
            throw from.failure("the entities of " + interval + " cannot be joined", failure);
        } finally {
            from.release();
        }
    }

    private long writeFile(RocksCursor cursor) throws RocksDBException {
        long written = 0;
        String file = folder.resolve("joined-" + files.size() + ".sst").toString();
        try (EnvOptions environment = new EnvOptions();
                org.rocksdb.Options options = shared.tableOptions();
                SstFileWriter writer = new SstFileWriter(environment, options)) {
            writer.open(file);
            for (; cursor.valid() && written < FILE_BYTES; cursor.next()) {
                byte[] key = cursor.key();
                byte[] entity = cursor.entity();
                writer.put(key, entity);
                written += key.length + entity.length;
            }
            writer.finish();
        }
        files.add(file);
        return written;
    }

    private void ingest(RocksDatabase into) throws RocksDBException {
        if (files.isEmpty()) {
            return;
        }
        try (IngestExternalFileOptions options = new IngestExternalFileOptions().setMoveFiles(true)) {
            into.db().ingestExternalFile(into.data(), files, options);
        }
    }
}
