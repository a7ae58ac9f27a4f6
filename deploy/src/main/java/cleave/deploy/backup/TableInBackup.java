package cleave.deploy.backup;

import cleave.deploy.CommandFailure;
import cleave.frontend.protocol.odata.EntityJsonWriter;
import cleave.model.Damaged;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.entity.EntityCodec;
import cleave.model.table.Registry;
import cleave.runtime.files.FolderTree;
import cleave.server.state.EntityCursor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads the entities of one table out of a backup, in key order, without a cluster. It needs space for the table's files of one range at a time
 * in a scratch folder. Confined to one thread.
 */
final class TableInBackup implements EntityReader, AutoCloseable {
    private static final int NAMES_TOLD = 20;

    private final BackupFolder folder;
    private final BackupIndex index;
    private final Path scratch;
    private final Registry table;
    private final Iterator<Part> parts;
    private @Nullable PartStore part;
    private @Nullable EntityCursor cursor;
    private int opened;
    private long read;

    private TableInBackup(BackupFolder folder, BackupIndex index, Path scratch, String account, String name)
            throws IOException {
        this.folder = folder;
        this.index = index;
        this.scratch = scratch;
        this.table = find(account, name);
        KeyRange interval = KeyRange.ofTable(table.id());
        this.parts = index.parts().stream()
                .filter(each -> each.interval().overlaps(interval))
                .iterator();
    }

    /**
     * Finds the table. CommandFailure if the backup has none of this name.
     *
     * @param temporary a folder in which this makes one of its own
     */
    static TableInBackup open(BackupFolder folder, BackupIndex index, String account, String name, Path temporary)
            throws IOException {
        Path scratch = Files.createTempDirectory(temporary, "cleave-restore-");
        boolean isOpen = false;
        try {
            TableInBackup found = new TableInBackup(folder, index, scratch, account, name);
            isOpen = true;
            return found;
        } finally {
            if (!isOpen) {
                FolderTree.deleteIfExists(scratch);
            }
        }
    }

    private Registry find(String account, String name) throws IOException {
        Key key = Registry.key(account, name);
        for (Part each : index.parts()) {
            if (each.interval().contains(key)) {
                KeyRange interval = common(each, Registry.TABLE);
                try (PartStore store = PartStore.open(folder, index, each, interval, nextScratch())) {
                    byte[] entry = store.get(key);
                    Registry found = entry == null ? null : Registry.of(EntityCodec.decode(entry));
                    if (found == null || found.deleting()) {
                        throw missing(account, name, found != null, names(store, account));
                    }
                    return found;
                }
            }
        }
        throw new AssertionError("the parts of a backup tile the key space");
    }

    private static List<String> names(PartStore store, String account) {
        List<String> names = new ArrayList<>();
        try (EntityCursor all = store.cursor()) {
            for (; all.valid() && names.size() <= NAMES_TOLD; all.next()) {
                Registry entry = Registry.of(EntityCodec.decode(all.entity()));
                if (entry != null && Key.wrap(all.key()).partitionKey().equals(account)) {
                    names.add(entry.name());
                }
            }
        }
        return names;
    }

    private CommandFailure missing(String account, String name, boolean isDeleted, List<String> names) {
        String others = names.isEmpty()
                ? "there is no table of account '" + account + "' in it"
                : "account '" + account + "' has "
                        + String.join(", ", names.subList(0, Math.min(NAMES_TOLD, names.size())))
                        + (names.size() > NAMES_TOLD ? ", ..." : "");
        return CommandFailure.usage("backup " + index.number() + " has no table " + account + "/" + name
                + (isDeleted ? ", which was being deleted" : "") + "; " + others
                + ". --number N restores from another backup");
    }

    private Path nextScratch() {
        return scratch.resolve("part-" + opened++);
    }

    private static KeyRange common(Part part, long table) {
        return Objects.requireNonNull(part.interval().intersection(KeyRange.ofTable(table)));
    }

    /** The name as the table was created. */
    String name() {
        return table.name();
    }

    /** The number of its stored access policies, which are not among its entities. */
    int policies() {
        return table.policies().size();
    }

    @Override
    public @Nullable Entry next() throws IOException {
        while (true) {
            EntityCursor at = cursor;
            if (at != null && at.valid()) {
                Entry entry = new Entry(++read, json(at));
                at.next();
                return entry;
            }
            closePart();
            if (!parts.hasNext()) {
                return null;
            }
            Part next = parts.next();
            PartStore store = PartStore.open(folder, index, next, common(next, table.id()), nextScratch());
            part = store;
            cursor = store.cursor();
        }
    }

    private static String json(EntityCursor at) {
        try {
            return EntityJsonWriter.request(Key.wrap(at.key()), at.entity());
        } catch (Damaged damaged) {
            throw CommandFailure.failed("an entity of the backup is damaged: " + damaged.getMessage());
        }
    }

    private void closePart() {
        if (cursor != null) {
            cursor.close();
            cursor = null;
        }
        if (part != null) {
            part.close();
            part = null;
        }
    }

    @Override
    public void close() {
        closePart();
        try {
            FolderTree.deleteIfExists(scratch);
        } catch (IOException left) {
            throw new UncheckedIOException("the scratch folder " + scratch + " could not be deleted", left);
        }
    }
}
