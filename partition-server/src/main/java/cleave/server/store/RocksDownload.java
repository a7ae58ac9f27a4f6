package cleave.server.store;

import cleave.model.manifest.Manifest;
import cleave.runtime.files.PrivateFiles;
import cleave.server.dfs.FileTransfer;
import cleave.server.outside.StoreException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings what a store needs of a checkpoint to its place: from this disk, or from the DFS; no file that lies outside of the checkpoint's interval.
 * Thread-safe; blocks its caller.
 */
final class RocksDownload {
    private static final Logger LOG = LoggerFactory.getLogger(RocksDownload.class);

    private final RocksShared shared;
    private final FileTransfer transfer;
    private final FileCache cache;
    private final DiskSpace space;

    RocksDownload(RocksShared shared, FileTransfer transfer, FileCache cache, DiskSpace space) {
        this.shared = shared;
        this.transfer = transfer;
        this.cache = cache;
        this.space = space;
    }

    /**
     * Answers the files with entities that the DFS holds damaged. Throws a {@link StoreException} for a damaged file of another kind, for
     * without RocksDB's lists of its files nothing can be read.
     *
     * @param folder in which the database comes to lie in {@code db}
     * @param fetched gets how many more bytes have come
     */
    List<Manifest.File> bring(Manifest.Checkpoint checkpoint, Path folder, LongConsumer fetched) throws IOException {
        Path db = PrivateFiles.make(folder.resolve("db"));
        Manifest.FileSet files = checkpoint.files();
        List<Manifest.File> lists = files.stored().stream()
                .filter(file -> !RocksCheckpoints.isSorted(file))
                .toList();
        for (Manifest.File file : transfer.download(new Manifest.FileSet(lists, files.inline()), db, fetched)) {
            log(file);
            throw new StoreException(
                    StoreException.Kind.STORED_DAMAGE,
                    file.path() + ", in which RocksDB lists its files, is damaged in the DFS");
        }
        List<Manifest.File> sorted = RocksPart.needed(
                shared,
                db,
                folder.resolve("lists"),
                files.stored().stream().filter(RocksCheckpoints::isSorted).toList(),
                checkpoint.interval());
        List<Manifest.File> damaged = bringSorted(sorted, db, fetched);
        damaged.forEach(RocksDownload::log);
        return damaged;
    }

    private static void log(Manifest.File damaged) {
        LOG.error("the DFS holds a file of a checkpoint damaged file={} as={}", damaged.path(), damaged.localName());
    }

    private List<Manifest.File> bringSorted(List<Manifest.File> sorted, Path db, LongConsumer fetched)
            throws IOException {
        List<Manifest.File> checked =
                sorted.stream().filter(file -> file.checksum() != null).toList();
        List<Manifest.File> unchecked =
                sorted.stream().filter(file -> file.checksum() == null).toList();
        List<Manifest.File> damaged =
                new ArrayList<>(cache.bring(checked, db, missing -> fetch(missing, db, fetched), fetched));
        damaged.addAll(fetch(unchecked, db, fetched));
        for (Manifest.File file : unchecked) {
            if (!damaged.contains(file) && !comesIntact(db, file)) {
                damaged.add(file);
            }
        }
        return damaged;
    }

    private List<Manifest.File> fetch(List<Manifest.File> files, Path db, LongConsumer fetched) throws IOException {
        if (files.isEmpty()) {
            return List.of();
        }
        space.expect(files.stream().mapToLong(Manifest.File::length).sum());
        return transfer.download(new Manifest.FileSet(files, List.of()), db, fetched);
    }

    /** Compares a file that was uploaded without a checksum with those of its blocks. It may have changed on its way, so it comes twice. */
    private boolean comesIntact(Path db, Manifest.File file) throws IOException {
        return isIntact(db, file) || (transfer.fetchAgain(file, db) && isIntact(db, file));
    }

    private boolean isIntact(Path db, Manifest.File file) {
        try {
            shared.verify(db.resolve(file.localName()));
            return true;
        } catch (StoreException failure) {
            if (failure.kind() != StoreException.Kind.LOCAL_DAMAGE) {
                throw failure;
            }
            return false;
        }
    }
}
