package cleave.server.store;

import cleave.model.manifest.Manifest;
import cleave.runtime.files.FolderTree;
import cleave.runtime.files.PrivateFiles;
import cleave.server.dfs.FileTransfer;
import cleave.server.dfs.FileTransfer.Upload;
import cleave.server.outside.RangeFiles;
import cleave.server.outside.RangeStore;
import cleave.server.outside.RangeStore.StoredCheckpoint;
import cleave.server.outside.StoreException;
import cleave.server.outside.StoreException.Kind;
import cleave.server.state.LogPosition;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rocksdb.Checkpoint;
import org.rocksdb.RocksDBException;

/**
 * Takes the checkpoints of one store and brings their new files to the DFS: one at a time, on a thread that may block. The other methods
 * may be called on any thread.
 *
 * <p>A file of sorted entities never changes under its name. So a file that was uploaded for an earlier checkpoint, or came from the one
 * that the store was opened with, is named again and not uploaded.
 *
 * <p>Only verified files are named. RocksDB gave each block its checksum when it wrote it. A new file is read for its upload, and then
 * compared block by block with those checksums, and as a whole with what was read. So damage that may have been sent is found. From then on
 * the manifest holds the file's own checksum, and every download compares it.
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
    private final FileCache cache;
    /** Paths of files that the DFS holds damaged, of which a copy is here. */
    private final Set<String> again = ConcurrentHashMap.newKeySet();
    /** By local name: those of the last checkpoint. Immutable. */
    private volatile Map<String, Manifest.File> uploaded = Map.of();

    RocksCheckpoints(
            RocksShared shared,
            RocksDatabase database,
            Path folder,
            FileTransfer transfer,
            FileCache cache,
            Manifest.@Nullable Checkpoint opened) {
        this.shared = shared;
        this.database = database;
        this.folder = folder;
        this.transfer = transfer;
        this.cache = cache;
        if (opened != null) {
            remember(opened.files());
        }
    }

    private void remember(Manifest.FileSet files) {
        uploaded = files.stored().stream()
                .filter(RocksCheckpoints::isSorted)
                .collect(Collectors.toUnmodifiableMap(Manifest.File::localName, file -> file));
    }

    /** True for a file with entities. */
    static boolean isSorted(Manifest.File file) {
        return file.localName().endsWith(SORTED);
    }

    /** Ends the use of the database that its caller has begun. */
    StoredCheckpoint take(RangeFiles files, int inlineMax) {
        Path taken = folder.resolve("checkpoint");
        try {
            FolderTree.deleteIfExists(taken);
            make(taken);
            Contents contents = contents(taken, files, inlineMax);
            LogPosition position = positionOf(taken); // This also checks its lists of files, which were read before.
            StoredCheckpoint stored = new StoredCheckpoint(position, upload(contents));
            Map<String, Manifest.File> before = uploaded;
            remember(stored.files());
            cache.outdated(before.values().stream()
                    .filter(file -> !uploaded.containsValue(file))
                    .map(Manifest.File::path)
                    .toList());
            return stored;
        } catch (RocksDBException failure) {
            throw database.failure("a checkpoint could not be made", failure);
        } catch (IOException failure) {
            throw new StoreException("a checkpoint could not be made", failure);
        } finally {
            database.release();
            RocksRangeStores.wipeQuietly(taken);
        }
    }

    /** Flushes, and links the files. */
    private void make(Path taken) throws RocksDBException {
        try (Checkpoint checkpoint = Checkpoint.create(database.db())) {
            checkpoint.createCheckpoint(taken.toString());
        }
    }

    /** The position in the checkpoint itself, for writes have gone on while it was made. */
    private @Nullable LogPosition positionOf(Path taken) throws IOException {
        Path logs = PrivateFiles.make(folder.resolve("checkpoint-logs"));
        RocksDatabase opened = RocksDatabase.openReadOnly(shared, taken, logs, database.damaged());
        try {
            return opened.position();
        } finally {
            opened.release();
            RocksRangeStores.wipeQuietly(logs);
        }
    }

    /**
     * The files of a checkpoint: those that the DFS has already, small ones, and those that must be uploaded.
     *
     * @param lists checksums of RocksDB's own lists of files among these, as they were before RocksDB read them
     */
    private record Contents(
            List<Manifest.File> known,
            List<Manifest.InlineFile> inline,
            List<Upload> fresh,
            Map<String, Integer> lists) {}

    private Contents contents(Path taken, RangeFiles files, int inlineMax) throws IOException {
        Contents contents = new Contents(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new TreeMap<>());
        for (Path local : localFiles(taken)) {
            String name = local.getFileName().toString();
            if (name.endsWith(OWN_LOG) || name.startsWith(OWN_OPTIONS)) {
                continue;
            }
            if (!name.endsWith(SORTED)) {
                byte[] bytes = Files.readAllBytes(local);
                if (bytes.length <= inlineMax) {
                    contents.inline.add(new Manifest.InlineFile(name, UnsafeByteOperations.unsafeWrap(bytes)));
                    continue;
                }
                contents.lists.put(name, FileTransfer.checksum(bytes));
            }
            Manifest.File known = uploaded.get(name);
            if (known != null && known.length() == Files.size(local) && !again.contains(known.path())) {
                contents.known.add(known);
            } else {
                contents.fresh.add(new Upload(local, files.next("checkpoint")));
            }
        }
        return contents;
    }

    private Manifest.FileSet upload(Contents contents) throws IOException {
        List<Manifest.File> stored = new ArrayList<>(contents.known);
        List<Manifest.File> fresh =
                transfer.upload(contents.fresh, (local, sent) -> verify(local, sent, contents.lists));
        for (int i = 0; i < fresh.size(); i++) {
            if (isSorted(fresh.get(i))) {
                cache.keep(fresh.get(i), contents.fresh.get(i).local());
            }
        }
        stored.addAll(fresh);
        return new Manifest.FileSet(stored, contents.inline);
    }

    /** Reads the file once more, since the bytes that were sent may have gone bad in memory before they got their checksum. */
    private void verify(Path local, int sent, Map<String, Integer> lists) throws IOException {
        String name = local.getFileName().toString();
        boolean isSorted = name.endsWith(SORTED);
        if (isSorted) {
            shared.verify(local);
        }
        Integer right = isSorted ? (Integer) FileTransfer.checksum(local) : lists.get(name);
        if (!Objects.equals(right, sent)) {
            throw new StoreException(Kind.LOCAL_DAMAGE, "what was read of " + name + " is not what it holds");
        }
    }

    /** A checkpoint that begins from now on uploads the copy of this file, and names that. */
    void uploadAgain(Manifest.File file) {
        again.add(file.path());
    }

    /** The copy of this file is damaged, too: it stays as the DFS has it. */
    void lost(Manifest.File file) {
        database.lost(file);
        again.remove(file.path());
    }

    /** Reads as {@link RangeStore#read} does. Ends the use of the database that its caller has begun. */
    Optional<ByteString> read(Manifest.File file, long offset, int length) {
        String name = file.localName();
        Manifest.File known = uploaded.get(name);
        try {
            if (known == null || !known.path().equals(file.path())) {
                return Optional.empty(); // Its entities came into the store by a join, or it is one of RocksDB's lists.
            }
            return readNow(folder.resolve("db").resolve(name), offset, length);
        } finally {
            database.release();
        }
    }

    private Optional<ByteString> readNow(Path local, long offset, int length) {
        byte[] bytes = new byte[length];
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        try (FileChannel in = FileChannel.open(local)) {
            while (buffer.hasRemaining() && in.read(buffer, offset + buffer.position()) >= 0) {
                // Until it is full, or the file has ended.
            }
        } catch (IOException failure) {
            if (failure instanceof NoSuchFileException
                    && !database.uses(local.getFileName().toString())) {
                return Optional.empty();
            }
            throw new StoreException(Kind.LOCAL_DAMAGE, local.getFileName() + " cannot be read", failure);
        }
        if (buffer.hasRemaining()) {
            throw new StoreException(Kind.LOCAL_DAMAGE, local.getFileName() + " is shorter than it was");
        }
        return Optional.of(UnsafeByteOperations.unsafeWrap(bytes));
    }

    private static List<Path> localFiles(Path taken) throws IOException {
        try (Stream<Path> files = Files.list(taken)) {
            return files.sorted().toList();
        }
    }
}
