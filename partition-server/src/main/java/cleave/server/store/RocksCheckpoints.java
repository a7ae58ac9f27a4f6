package cleave.server.store;

import cleave.model.manifest.Manifest;
import cleave.runtime.files.PrivateFiles;
import cleave.server.dfs.FileTransfer;
import cleave.server.dfs.FileTransfer.Upload;
import cleave.server.outside.RangeFiles;
import cleave.server.outside.RangeStore.StoredCheckpoint;
import cleave.server.outside.StoreException;
import cleave.server.state.LogPosition;
import com.google.protobuf.UnsafeByteOperations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rocksdb.Checkpoint;
import org.rocksdb.RocksDBException;

/**
 * Takes the checkpoints of one store and brings to the DFS what is new in them. One at a time, on a thread that may block.
 *
 * <p>A file of sorted entities never changes under its name, so one that was uploaded for an earlier checkpoint, or came from the
 * one that the store was opened with, is named again and not uploaded.
 */
final class RocksCheckpoints {
    private static final String SORTED = ".sst";
    private static final String OWN_LOG = ".log";
    /** Its options, which no store is opened with. */
    private static final String OWN_OPTIONS = "OPTIONS-";

    private final RocksShared shared;
    private final RocksDatabase database;
    private final Path folder;
    private final FileTransfer transfer;
    private final TreeMap<String, Manifest.File> uploaded = new TreeMap<>();

    RocksCheckpoints(
            RocksShared shared,
            RocksDatabase database,
            Path folder,
            FileTransfer transfer,
            Manifest.@Nullable Checkpoint opened) {
        this.shared = shared;
        this.database = database;
        this.folder = folder;
        this.transfer = transfer;
        if (opened != null) {
            remember(opened.files());
        }
    }

    private void remember(Manifest.FileSet files) {
        uploaded.clear();
        for (Manifest.File file : files.stored()) {
            if (file.localName().endsWith(SORTED)) {
                uploaded.put(file.localName(), file);
            }
        }
    }

    /** Ends the use of the database that its caller has begun. */
    StoredCheckpoint take(RangeFiles files, int inlineMax) {
        Path taken = folder.resolve("checkpoint");
        try {
            Folders.delete(taken);
            make(taken);
            StoredCheckpoint stored = new StoredCheckpoint(positionOf(taken), upload(taken, files, inlineMax));
            remember(stored.files());
            return stored;
        } catch (RocksDBException | IOException failure) {
            throw new StoreException("a checkpoint could not be made", failure);
        } finally {
            database.release();
            Folders.deleteQuietly(taken);
        }
    }

    /** Flushes, and links the files. */
    private void make(Path taken) throws RocksDBException {
        try (Checkpoint checkpoint = Checkpoint.create(database.db())) {
            checkpoint.createCheckpoint(taken.toString());
        }
    }

    /** What the checkpoint itself says, for writes have gone on while it was made. */
    private @Nullable LogPosition positionOf(Path taken) throws IOException {
        Path logs = PrivateFiles.make(folder.resolve("checkpoint-logs"));
        RocksDatabase opened = RocksDatabase.openReadOnly(shared, taken, logs);
        try {
            return opened.position();
        } finally {
            opened.release();
            Folders.deleteQuietly(logs);
        }
    }

    private Manifest.FileSet upload(Path taken, RangeFiles files, int inlineMax) throws IOException {
        List<Manifest.File> stored = new ArrayList<>();
        List<Manifest.InlineFile> inline = new ArrayList<>();
        List<Upload> fresh = new ArrayList<>();
        for (Path local : localFiles(taken)) {
            String name = local.getFileName().toString();
            long length = Files.size(local);
            Manifest.File known = uploaded.get(name);
            if (name.endsWith(OWN_LOG) || name.startsWith(OWN_OPTIONS)) {
                continue;
            }
            if (known != null && known.length() == length) {
                stored.add(known);
            } else if (!name.endsWith(SORTED) && length <= inlineMax) {
                inline.add(new Manifest.InlineFile(name, UnsafeByteOperations.unsafeWrap(Files.readAllBytes(local))));
            } else {
                fresh.add(new Upload(local, files.next("checkpoint")));
            }
        }
        stored.addAll(transfer.upload(fresh));
        return new Manifest.FileSet(stored, inline);
    }

    private static List<Path> localFiles(Path taken) throws IOException {
        try (Stream<Path> files = Files.list(taken)) {
            return files.sorted().toList();
        }
    }
}
