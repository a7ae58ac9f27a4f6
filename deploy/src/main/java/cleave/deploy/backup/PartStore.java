package cleave.deploy.backup;

import cleave.deploy.CommandFailure;
import cleave.model.Damaged;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.UnknownFormat;
import cleave.model.manifest.Manifest;
import cleave.runtime.files.FolderTree;
import cleave.runtime.files.PrivateFiles;
import cleave.server.dfs.FileTransfer;
import cleave.server.outside.RangeStore;
import cleave.server.outside.StoreException;
import cleave.server.state.Effect;
import cleave.server.state.EntityCursor;
import cleave.server.state.LogPosition;
import cleave.server.state.LogRecord;
import cleave.server.state.LogRecordReader;
import cleave.server.store.RocksRangeStores;
import com.google.protobuf.UnsafeByteOperations;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import org.jspecify.annotations.Nullable;

/**
 * An interval of one part of a backup, opened without a cluster: its checkpoints as a store in a scratch folder, its logs replayed on top, as a
 * server opens a range. Confined to one thread. A CommandFailure if the backup is damaged where it is read.
 */
final class PartStore implements AutoCloseable {
    private static final long CACHE_BYTES = 16 << 20;
    private static final long BUFFER_BYTES = 32 << 20;
    private static final long RESERVE_BYTES = 64 << 20;
    private static final int FEED_BYTES = 1 << 20;

    private final BackupFolder folder;
    private final BackupIndex index;
    private final Part part;
    private final KeyRange interval;
    private final Path scratch;
    private final RocksRangeStores stores;
    private final BackupDfs files;
    private @Nullable RangeStore store;

    private PartStore(BackupFolder folder, BackupIndex index, Part part, KeyRange interval, Path scratch)
            throws IOException {
        this.folder = folder;
        this.index = index;
        this.part = part;
        this.interval = interval;
        this.scratch = PrivateFiles.make(scratch);
        this.files = new BackupDfs(folder, index);
        this.stores = new RocksRangeStores(
                scratch.resolve("stores"),
                scratch.resolve("cached"),
                new FileTransfer(files),
                new RocksRangeStores.Sizes(CACHE_BYTES, BUFFER_BYTES, 1, RESERVE_BYTES));
    }

    /**
     * @param interval within the part's
     * @param scratch a folder that does not exist, and is deleted again when this is closed
     */
    static PartStore open(BackupFolder folder, BackupIndex index, Part part, KeyRange interval, Path scratch)
            throws IOException {
        PartStore opened = new PartStore(folder, index, part, interval, scratch);
        boolean isOpen = false;
        try {
            opened.open();
            isOpen = true;
            return opened;
        } catch (StoreException failed) {
            throw opened.failure(failed);
        } catch (UnknownFormat newer) {
            throw newer;
        } catch (Damaged bytes) {
            throw opened.damaged(String.valueOf(bytes.getMessage()));
        } finally {
            if (!isOpen) {
                opened.close();
            }
        }
    }

    private void open() throws IOException {
        List<Manifest.Checkpoint> checkpoints = new ArrayList<>();
        for (Manifest.Checkpoint each : part.manifest().checkpoints()) {
            KeyRange common = each.interval().intersection(interval);
            if (common != null) {
                checkpoints.add(new Manifest.Checkpoint(common, each.files()));
            }
        }
        RangeStore opened = join(checkpoints);
        store = opened;
        if (!opened.damagedFiles().isEmpty()) {
            throw damaged(String.join(", ", opened.damagedFiles()));
        }
        for (Manifest.Log log : part.manifest().logs()) {
            KeyRange common = log.interval().intersection(interval);
            if (common != null) {
                replay(log, common, opened);
            }
        }
    }

    private RangeStore join(List<Manifest.Checkpoint> checkpoints) {
        try {
            return stores.open(interval, checkpoints, bytes -> {}).join();
        } catch (CompletionException failed) {
            throw failed.getCause() instanceof RuntimeException answer ? failure(answer) : failed;
        }
    }

    private RuntimeException failure(RuntimeException answer) {
        if (answer instanceof StoreException damage && damage.kind() == StoreException.Kind.STORED_DAMAGE) {
            return damaged(String.valueOf(damage.getMessage()));
        }
        return answer instanceof CommandFailure
                ? answer
                : CommandFailure.failed("range " + part.interval() + " of the backup cannot be read: "
                        + (answer instanceof StoreException store
                                ? StoreException.reason(store)
                                : answer.getMessage()));
    }

    private CommandFailure damaged(String what) {
        return CommandFailure.failed("the backup is damaged: " + what + ". 'cleave backup verify " + folder.place()
                + "' lists all that is damaged, and --number N restores from an older backup");
    }

    private void replay(Manifest.Log log, KeyRange counted, RangeStore into) throws IOException {
        long begin = part.logBegins().getOrDefault(log.path(), 0L);
        long end = part.ends().getOrDefault(log.path(), begin);
        if (end <= begin) {
            return;
        }
        Piece piece = new Piece(log.path(), begin, end - begin);
        Integer checksum = index.checksums().get(piece);
        if (checksum == null) {
            throw damaged("it does not hold " + piece.name());
        }
        CRC32C crc = new CRC32C();
        LogRecordReader reader = new LogRecordReader(new LogPosition(log.path(), log.offset(), log.sequence()));
        try (InputStream in = new CheckedInputStream(folder.open(piece, checksum), crc)) {
            in.skipNBytes(log.offset() - begin);
            for (byte[] some = in.readNBytes(FEED_BYTES); some.length > 0; some = in.readNBytes(FEED_BYTES)) {
                reader.feed(UnsafeByteOperations.unsafeWrap(some));
                for (LogRecord record = reader.next(); record != null; record = reader.next()) {
                    into.apply(counting(record, counted), reader.position());
                }
            }
        } catch (NoSuchFileException missing) {
            throw damaged(missing.getFile() + " is missing");
        }
        if ((int) crc.getValue() != checksum) {
            throw damaged(piece.name() + " has another checksum");
        }
    }

    /** Entities outside the interval, or of a dropped table, do not exist. */
    private List<Effect> counting(LogRecord record, KeyRange counted) {
        List<Effect> effects = new ArrayList<>();
        for (Effect effect : record.effects()) {
            boolean counts = effect instanceof Effect.DropTable
                    || (!part.manifest().dropped().contains(effect.table())
                            && ((effect instanceof Effect.Put put && counted.contains(put.key()))
                                    || (effect instanceof Effect.Delete delete && counted.contains(delete.key()))));
            if (counts) {
                effects.add(effect);
            }
        }
        return effects;
    }

    /** Null if there is no such entity. */
    byte @Nullable [] get(Key key) {
        return opened().get(key);
    }

    /** The entities of the interval; to be closed before this. */
    EntityCursor cursor() {
        return opened().cursor(interval);
    }

    private RangeStore opened() {
        if (store == null) {
            throw new AssertionError("used before it was opened");
        }
        return store;
    }

    @Override
    public void close() {
        if (store != null) {
            store.close();
        }
        stores.close();
        files.close();
        try {
            FolderTree.deleteIfExists(scratch);
        } catch (IOException left) {
            throw new UncheckedIOException("the scratch folder " + scratch + " could not be deleted", left);
        }
    }
}
