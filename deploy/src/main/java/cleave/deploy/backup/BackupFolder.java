package cleave.deploy.backup;

import cleave.deploy.CommandFailure;
import cleave.deploy.backup.place.BackupPlace;
import cleave.deploy.backup.place.FolderPlace;
import cleave.model.Damaged;
import cleave.model.UnknownFormat;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The backups of one cluster, in one place. Confined to one thread.
 *
 * <p>{@code cleave-backup} names the cluster, and the DFS from which the pieces are. {@code data/} holds pieces of files, each under a name
 * made of path, position, length and checksum. {@code index-7} completes the seventh backup and is written once all pieces that it
 * names are durable. The next backup reuses pieces without an index. Invariant: nothing that an index names is deleted
 * before the index.
 *
 * <p>Invariant: all pieces are from one DFS, as soon as it is known. Where a cluster went on in both a DFS and a copy of it, a path may have
 * another content in each.
 */
final class BackupFolder implements AutoCloseable {
    private static final String HEADER = "cleave-backup";
    private static final String DATA = "data/";
    private static final Pattern FORMAT_TEXT = Pattern.compile("cleave backup (\\d{1,9})\n");
    /** Format 1 does not know the DFS. */
    private static final Pattern HEADER_TEXT =
            Pattern.compile("cleave backup (?:1\ncluster (\\S+)|2\ncluster (\\S+)\ndfs (\\S+))\n");

    private static final int FORMAT_WITHOUT_DFS = 1;
    private static final int FORMAT = 2;
    private static final Pattern INDEX = Pattern.compile("index-([1-9]\\d{0,17})");
    private static final Pattern STORED = Pattern.compile("data/(.+@\\d+\\+(\\d+))\\.([0-9a-f]{8})");
    private static final int BUFFER_BYTES = 1 << 20;

    private final BackupPlace place;
    private final String cluster;
    /** Empty if it is not known. */
    private final String dfs;
    /** Whether pieces of earlier runs are read before they are used again. */
    private final boolean isReread;
    /** Checksums by piece; those of earlier runs are taken from the names of the files. */
    private final Map<String, Integer> stored = new HashMap<>();
    /** Names of the pieces that this run has read or written, or takes on trust. */
    private final Set<String> checked = new HashSet<>();

    private BackupFolder(BackupPlace place, Owner owner, boolean isReread) {
        this.place = place;
        this.cluster = owner.cluster();
        this.dfs = owner.dfs();
        this.isReread = isReread;
    }

    /**
     * The cluster whose backups a place holds.
     *
     * @param dfs the id of the DFS; empty if it is not known
     */
    private record Owner(String cluster, String dfs) {
        String text() {
            return "cleave backup " + (dfs.isEmpty() ? FORMAT_WITHOUT_DFS : FORMAT) + "\ncluster " + cluster + "\n"
                    + (dfs.isEmpty() ? "" : "dfs " + dfs + "\n");
        }
    }

    /**
     * Opens the place to add a backup of this cluster, and makes it if it does not exist. It is closed with what this answers, or if this
     * fails.
     *
     * @param dfs the id of its DFS, which the place knows from then on; empty if it is not known
     * @param isReread whether pieces of earlier backups are read and compared with their checksums before they are used again, even if that
     *     is costly; otherwise their lengths alone are
     */
    static BackupFolder toWrite(BackupPlace place, String cluster, String dfs, boolean isReread) {
        Owner owner = new Owner(cluster, dfs);
        return opened(place, () -> {
            List<String> before = place.top();
            if (!before.contains(HEADER) && !before.isEmpty()) {
                throw CommandFailure.usage(place + " is no folder of backups, but there are files in it, such as "
                        + before.get(0) + "; give an empty folder, or one that does not exist");
            }
            place.take();
            Owner known = place.top().contains(HEADER) ? ownerOf(place) : null;
            if (known != null) {
                checkIsSame(place, known, owner);
            }
            if (!owner.equals(known)) {
                place.put(HEADER, owner.text().getBytes(StandardCharsets.UTF_8));
            }
            BackupFolder opened = new BackupFolder(place, owner, isReread || place.isReadFreely());
            opened.scan();
            return opened;
        });
    }

    /** Does the same with a folder. */
    static BackupFolder toWrite(Path folder, String cluster, String dfs) {
        return toWrite(new FolderPlace(folder), cluster, dfs, false);
    }

    /** Opens the place to verify or restore a backup. It is closed with what this answers, or if this fails. */
    static BackupFolder toRead(BackupPlace place) {
        return opened(place, () -> {
            if (!place.top().contains(HEADER)) {
                throw CommandFailure.usage(place + " is no folder of backups: there is no file " + HEADER + " in it");
            }
            Owner owner = ownerOf(place);
            place.takeToRead();
            return new BackupFolder(place, owner, true);
        });
    }

    /** Does the same with a folder. */
    static BackupFolder toRead(Path folder) {
        return toRead(new FolderPlace(folder));
    }

    private interface Opening {
        BackupFolder open() throws IOException;
    }

    private static BackupFolder opened(BackupPlace place, Opening opening) {
        boolean isOpen = false;
        try {
            BackupFolder opened = opening.open();
            isOpen = true;
            return opened;
        } catch (IOException failed) {
            throw place.failure(failed);
        } finally {
            if (!isOpen) {
                place.close();
            }
        }
    }

    /** The DFS of a folder that knows none is taken on trust. */
    private static void checkIsSame(BackupPlace folder, Owner before, Owner now) {
        if (!before.cluster().equals(now.cluster())) {
            throw CommandFailure.usage("the folder " + folder + " holds backups of cluster " + before.cluster()
                    + ", and this is cluster " + now.cluster() + "; give another folder");
        }
        if (!before.dfs().isEmpty() && !before.dfs().equals(now.dfs())) {
            throw CommandFailure.usage(
                    "the folder " + folder + " holds backups of DFS " + before.dfs() + ", and this is "
                            + (now.dfs().isEmpty() ? "a DFS that does not say which one it is" : "DFS " + now.dfs())
                            + " of the same cluster, whose files may differ; give another folder. What is in this one can be restored as"
                            + " before");
        }
    }

    private static Owner ownerOf(BackupPlace place) throws IOException {
        String text = new String(read(place, HEADER), StandardCharsets.UTF_8);
        Matcher format = FORMAT_TEXT.matcher(text);
        if (format.lookingAt() && Integer.parseInt(format.group(1)) > FORMAT) {
            throw new UnknownFormat(
                    "the folder of backups " + place + " has format " + format.group(1),
                    "formats " + FORMAT_WITHOUT_DFS + " and " + FORMAT);
        }
        Matcher header = HEADER_TEXT.matcher(text);
        if (!header.matches()) {
            throw CommandFailure.failed(path(place, HEADER) + " is damaged: it does not tell whose backups these are");
        }
        return header.group(1) != null ? new Owner(header.group(1), "") : new Owner(header.group(2), header.group(3));
    }

    private static byte[] read(BackupPlace place, String name) throws IOException {
        try (InputStream in = place.open(name)) {
            return in.readAllBytes();
        }
    }

    private static String path(BackupPlace place, String name) {
        return place + "/" + name;
    }

    private void scan() throws IOException {
        place.removeHalfWritten();
        for (Map.Entry<String, Long> file : place.below(DATA).entrySet()) {
            Matcher piece = STORED.matcher(file.getKey());
            if (!piece.matches()) {
                continue;
            }
            stored.put(piece.group(1), Integer.parseUnsignedInt(piece.group(3), 16));
            if (!isReread && file.getValue().equals(Long.valueOf(piece.group(2)))) {
                checked.add(piece.group(1));
            }
        }
    }

    String cluster() {
        return cluster;
    }

    /** The id of the DFS; empty if it is not known. */
    String dfs() {
        return dfs;
    }

    BackupPlace place() {
        return place;
    }

    /** The checksum of a piece that is here and intact; null if there is none. */
    @Nullable
    Integer find(Piece piece) throws IOException {
        Integer checksum = stored.get(piece.name());
        if (checksum == null || checked.contains(piece.name())) {
            return checksum;
        }
        String problem = problem(piece, checksum);
        if (problem != null) {
            place.delete(file(piece, checksum));
            stored.remove(piece.name());
            return null;
        }
        checked.add(piece.name());
        return checksum;
    }

    /** Removes a piece that no index names. */
    void remove(Piece piece) throws IOException {
        Integer checksum = stored.remove(piece.name());
        checked.remove(piece.name());
        if (checksum != null) {
            place.delete(file(piece, checksum));
        }
    }

    /**
     * Adds a piece, which is durable when this returns; answers its checksum. If that is not the expected one, the piece is not added.
     *
     * @param expected null if it is not known
     */
    int add(Piece piece, @Nullable Integer expected, BackupPlace.Content content) throws IOException {
        int checksum = place.add(DATA + piece.name(), piece.length(), expected, content);
        if (expected == null || expected == checksum) {
            stored.put(piece.name(), checksum);
            checked.add(piece.name());
        }
        return checksum;
    }

    private static String file(Piece piece, int checksum) {
        return BackupPlace.named(DATA + piece.name(), checksum);
    }

    /** Why a piece that an index names cannot be used; null if it is intact. */
    @Nullable
    String problem(Piece piece, int checksum) throws IOException {
        String name = file(piece, checksum);
        String path = path(place, name);
        long length = place.length(name);
        if (length < 0) {
            return path + " is missing";
        }
        if (length != piece.length()) {
            return path + " has " + length + " bytes but must have " + piece.length();
        }
        CRC32C crc = new CRC32C();
        try (InputStream in = place.open(name)) {
            byte[] buffer = new byte[BUFFER_BYTES];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                crc.update(buffer, 0, read);
            }
        }
        return (int) crc.getValue() == checksum ? null : path + " is damaged: its checksum does not match";
    }

    /** The caller reads it to its end and compares the checksum. */
    InputStream open(Piece piece, int checksum) throws IOException {
        return place.open(file(piece, checksum));
    }

    /** The numbers of the backups that have an index, ascending. */
    List<Long> numbers() {
        try {
            return place.top().stream()
                    .map(INDEX::matcher)
                    .filter(Matcher::matches)
                    .map(name -> Long.parseLong(name.group(1)))
                    .sorted()
                    .toList();
        } catch (IOException failed) {
            throw place.failure(failed);
        }
    }

    /** Ends the command if it is missing or damaged. */
    BackupIndex index(long number) {
        String name = "index-" + number;
        try {
            BackupIndex index = BackupIndex.decode(read(place, name));
            if (!index.cluster().equals(cluster)) {
                throw CommandFailure.failed(path(place, name) + " is of a backup of cluster " + index.cluster()
                        + ", but " + place + " holds those of cluster " + cluster);
            }
            return index;
        } catch (Damaged damaged) {
            if (damaged instanceof UnknownFormat) {
                throw damaged;
            }
            throw CommandFailure.failed(path(place, name) + " is damaged: " + damaged.getMessage());
        } catch (IOException failed) {
            throw place.failure(failed);
        }
    }

    /** The number of the requested backup, by default the newest; ends the command if there is none. */
    long choose(@Nullable Long asked) {
        List<Long> numbers = numbers();
        if (numbers.isEmpty()) {
            throw CommandFailure.failed("there is no complete backup in " + place
                    + "; if one was begun, 'cleave backup " + place + "' completes it");
        }
        if (asked != null && !numbers.contains(asked)) {
            throw CommandFailure.usage("there is no backup " + asked + " in " + place + "; there are " + numbers);
        }
        return asked != null ? asked : numbers.get(numbers.size() - 1);
    }

    /** Writes the index, with which the backup exists. */
    void write(BackupIndex index) throws IOException {
        place.sync();
        place.put("index-" + index.number(), index.encode());
    }

    /**
     * The outcome for older backups.
     *
     * @param removed the number of deleted ones
     * @param unreadable which of the newer ones cannot be restored, and why
     */
    record Kept(int removed, List<String> unreadable) {}

    /**
     * Deletes all but the newest backups, and the pieces that only they need. If an index is unreadable, its needs are
     * unknown and no pieces are deleted.
     */
    Kept keep(int newest) throws IOException {
        List<Long> numbers = numbers();
        List<Long> old = numbers.subList(0, Math.max(0, numbers.size() - newest));
        Set<String> needed = new HashSet<>();
        List<String> unreadable = new ArrayList<>();
        for (long number : numbers.subList(old.size(), numbers.size())) {
            try {
                index(number).checksums().keySet().forEach(piece -> needed.add(piece.name()));
            } catch (CommandFailure | Damaged failed) {
                unreadable.add("backup " + number + ": " + failed.getMessage());
            }
        }
        for (long number : old) {
            place.delete("index-" + number);
        }
        place.sync();
        Kept kept = new Kept(old.size(), unreadable);
        if (!unreadable.isEmpty()) {
            return kept;
        }
        for (Map.Entry<String, Integer> each : new ArrayList<>(stored.entrySet())) {
            if (!needed.contains(each.getKey())) {
                place.delete(BackupPlace.named(DATA + each.getKey(), each.getValue()));
                stored.remove(each.getKey());
            }
        }
        return kept;
    }

    @Override
    public void close() {
        place.close();
    }
}
