package cleave.deploy.backup;

import cleave.deploy.CommandFailure;
import cleave.model.Damaged;
import cleave.model.UnknownFormat;
import cleave.runtime.files.FileProblem;
import cleave.runtime.files.FolderLock;
import cleave.runtime.files.PrivateFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import java.util.zip.CheckedOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The folder of one cluster's backups. Confined to one thread.
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
    private static final Pattern FORMAT_TEXT = Pattern.compile("cleave backup (\\d{1,9})\n");
    /** Format 1 does not know the DFS. */
    private static final Pattern HEADER_TEXT =
            Pattern.compile("cleave backup (?:1\ncluster (\\S+)|2\ncluster (\\S+)\ndfs (\\S+))\n");

    private static final int FORMAT_WITHOUT_DFS = 1;
    private static final int FORMAT = 2;
    private static final Pattern INDEX = Pattern.compile("index-([1-9]\\d{0,17})");
    private static final Pattern STORED = Pattern.compile("(.+@\\d+\\+\\d+)\\.([0-9a-f]{8})");
    private static final String PARTIAL = ".partial";
    private static final int BUFFER_BYTES = 1 << 20;

    private final Path folder;
    private final String cluster;
    /** Empty if it is not known. */
    private final String dfs;
    /** Null on read-only media. */
    private final @Nullable FolderLock lock;
    /** Checksums by piece; those of earlier runs are taken from the names of the files. */
    private final Map<String, Integer> stored = new HashMap<>();
    /** Names of the pieces that this run has read or written. */
    private final Set<String> checked = new HashSet<>();

    private BackupFolder(Path folder, Owner owner, @Nullable FolderLock lock) {
        this.folder = folder;
        this.cluster = owner.cluster();
        this.dfs = owner.dfs();
        this.lock = lock;
    }

    /**
     * The cluster whose backups a folder holds.
     *
     * @param dfs the id of the DFS; empty if it is not known
     */
    private record Owner(String cluster, String dfs) {
        String text() {
            return "cleave backup " + (dfs.isEmpty() ? FORMAT_WITHOUT_DFS : FORMAT) + "\ncluster " + cluster + "\n"
                    + (dfs.isEmpty() ? "" : "dfs " + dfs + "\n");
        }
    }

    /** The bytes of a piece. */
    interface PieceContent {
        void copyTo(OutputStream out) throws IOException;
    }

    /**
     * Opens the folder to add a backup of this cluster; creates it if it does not exist.
     *
     * @param dfs the id of its DFS, which the folder knows from then on; empty if it is not known
     */
    static BackupFolder toWrite(Path folder, String cluster, String dfs) {
        Owner owner = new Owner(cluster, dfs);
        try {
            if (Files.exists(folder) && !Files.isDirectory(folder)) {
                throw CommandFailure.usage(folder + " is not a folder; give an empty one, or one that does not exist");
            }
            String stranger = Files.exists(folder.resolve(HEADER)) ? null : stranger(folder);
            if (stranger != null) {
                throw CommandFailure.usage(folder + " is no folder of backups, but there are files in it, such as "
                        + stranger + "; give an empty folder, or one that does not exist");
            }
            FolderLock lock = lock(folder);
            boolean taken = false;
            try {
                Owner before = Files.exists(folder.resolve(HEADER)) ? ownerOf(folder) : null;
                if (before != null) {
                    checkIsSame(folder, before, owner);
                }
                if (!owner.equals(before)) {
                    writeDurably(folder, HEADER, owner.text());
                }
                BackupFolder opened = new BackupFolder(folder, owner, lock);
                opened.scan();
                taken = true;
                return opened;
            } finally {
                if (!taken) {
                    lock.close();
                }
            }
        } catch (IOException failed) {
            throw failure(folder, failed);
        }
    }

    /** Opens the folder to verify or restore a backup. */
    static BackupFolder toRead(Path folder) {
        try {
            if (!Files.exists(folder.resolve(HEADER))) {
                throw CommandFailure.usage(folder + " is no folder of backups: there is no file " + HEADER + " in it");
            }
            Owner owner = ownerOf(folder);
            FolderLock lock = Files.isWritable(folder) ? lock(folder) : null;
            return new BackupFolder(folder, owner, lock);
        } catch (IOException failed) {
            throw failure(folder, failed);
        }
    }

    private static FolderLock lock(Path folder) throws IOException {
        try {
            return FolderLock.take(folder);
        } catch (FolderLock.Taken taken) {
            throw CommandFailure.taken(taken.getMessage() + "; wait until it has ended");
        }
    }

    /** The name of a file that does not belong to a backup; null if there is none. */
    private static @Nullable String stranger(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return null;
        }
        try (Stream<Path> files = Files.list(folder)) {
            // Left by a mounted disk, and by a run that was killed at once.
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.equals("lost+found") && !name.equals("lock") && !name.endsWith(PARTIAL))
                    .min(Comparator.naturalOrder())
                    .orElse(null);
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
    }

    /** The DFS of a folder that knows none is taken on trust. */
    private static void checkIsSame(Path folder, Owner before, Owner now) {
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

    private static Owner ownerOf(Path folder) throws IOException {
        Path file = folder.resolve(HEADER);
        String text = Files.readString(file);
        Matcher format = FORMAT_TEXT.matcher(text);
        if (format.lookingAt() && Integer.parseInt(format.group(1)) > FORMAT) {
            throw new UnknownFormat(
                    "the folder of backups " + folder + " has format " + format.group(1),
                    "formats " + FORMAT_WITHOUT_DFS + " and " + FORMAT);
        }
        Matcher header = HEADER_TEXT.matcher(text);
        if (!header.matches()) {
            throw CommandFailure.failed(file + " is damaged: it does not tell whose backups these are");
        }
        return header.group(1) != null ? new Owner(header.group(1), "") : new Owner(header.group(2), header.group(3));
    }

    private void scan() throws IOException {
        Path data = PrivateFiles.make(folder.resolve("data"));
        try (Stream<Path> files = Files.walk(data)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String name = data.relativize(file).toString();
                Matcher piece = STORED.matcher(name);
                if (piece.matches()) {
                    stored.put(piece.group(1), Integer.parseUnsignedInt(piece.group(2), 16));
                } else if (name.endsWith(PARTIAL)) {
                    Files.delete(file);
                }
            }
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
    }

    String cluster() {
        return cluster;
    }

    /** The id of the DFS; empty if it is not known. */
    String dfs() {
        return dfs;
    }

    Path path() {
        return folder;
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
            Files.deleteIfExists(file(piece, checksum));
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
            Files.deleteIfExists(file(piece, checksum));
        }
    }

    /** Adds a piece, which is durable when this returns; returns its checksum. */
    int add(Piece piece, PieceContent content) throws IOException {
        Path data = folder.resolve("data");
        Path partial = data.resolve(piece.name() + PARTIAL);
        PrivateFiles.make(Objects.requireNonNull(partial.getParent()));
        CRC32C crc = new CRC32C();
        try (FileChannel channel = PrivateFiles.open(
                partial, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            OutputStream out = new CheckedOutputStream(Channels.newOutputStream(channel), crc);
            content.copyTo(out);
            if (channel.size() != piece.length()) {
                throw new IOException(piece.name() + " has " + channel.size() + " bytes");
            }
            channel.force(true);
        } catch (IOException | RuntimeException failed) {
            Files.deleteIfExists(partial);
            throw failed;
        }
        int checksum = (int) crc.getValue();
        Files.move(partial, file(piece, checksum), StandardCopyOption.ATOMIC_MOVE);
        stored.put(piece.name(), checksum);
        checked.add(piece.name());
        return checksum;
    }

    private Path file(Piece piece, int checksum) {
        return folder.resolve("data").resolve("%s.%08x".formatted(piece.name(), checksum));
    }

    /** Why a piece that an index names cannot be used; null if it is intact. */
    @Nullable
    String problem(Piece piece, int checksum) throws IOException {
        Path file = file(piece, checksum);
        if (!Files.exists(file)) {
            return file + " is missing";
        }
        if (Files.size(file) != piece.length()) {
            return file + " has " + Files.size(file) + " bytes but must have " + piece.length();
        }
        CRC32C crc = new CRC32C();
        try (InputStream in = Files.newInputStream(file)) {
            byte[] buffer = new byte[BUFFER_BYTES];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                crc.update(buffer, 0, read);
            }
        }
        return (int) crc.getValue() == checksum ? null : file + " is damaged: its checksum does not match";
    }

    /** The caller reads it to its end and compares the checksum. */
    InputStream open(Piece piece, int checksum) throws IOException {
        return Files.newInputStream(file(piece, checksum));
    }

    /** The numbers of the backups that have an index, ascending. */
    List<Long> numbers() {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> INDEX.matcher(file.getFileName().toString()))
                    .filter(Matcher::matches)
                    .map(name -> Long.parseLong(name.group(1)))
                    .sorted()
                    .toList();
        } catch (IOException failed) {
            throw failure(folder, failed);
        }
    }

    /** Ends the command if it is missing or damaged. */
    BackupIndex index(long number) {
        Path file = folder.resolve("index-" + number);
        try {
            BackupIndex index = BackupIndex.decode(Files.readAllBytes(file));
            if (!index.cluster().equals(cluster)) {
                throw CommandFailure.failed(file + " is of a backup of cluster " + index.cluster() + ", but " + folder
                        + " holds those of cluster " + cluster);
            }
            return index;
        } catch (Damaged damaged) {
            if (damaged instanceof UnknownFormat) {
                throw damaged;
            }
            throw CommandFailure.failed(file + " is damaged: " + damaged.getMessage());
        } catch (IOException failed) {
            throw failure(folder, failed);
        }
    }

    /** The number of the requested backup, by default the newest; ends the command if there is none. */
    long choose(@Nullable Long asked) {
        List<Long> numbers = numbers();
        if (numbers.isEmpty()) {
            throw CommandFailure.failed("there is no complete backup in " + folder
                    + "; if one was begun, 'cleave backup " + folder + "' completes it");
        }
        if (asked != null && !numbers.contains(asked)) {
            throw CommandFailure.usage("there is no backup " + asked + " in " + folder + "; there are " + numbers);
        }
        return asked != null ? asked : numbers.get(numbers.size() - 1);
    }

    /** Writes the index, with which the backup exists. */
    void write(BackupIndex index) throws IOException {
        for (Path each : foldersToSync()) {
            sync(each);
        }
        writeDurably(folder, "index-" + index.number(), index.encode());
    }

    /** The files that this class has written. Others may be unreadable, such as the {@code lost+found} of a mounted disk. */
    List<Path> foldersToSync() throws IOException {
        List<Path> folders = new ArrayList<>();
        folders.add(folder);
        try (Stream<Path> files = Files.walk(folder.resolve("data"))) {
            files.filter(Files::isDirectory).forEach(folders::add);
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
        return folders;
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
            Files.delete(folder.resolve("index-" + number));
        }
        sync(folder);
        Kept kept = new Kept(old.size(), unreadable);
        if (!unreadable.isEmpty()) {
            return kept;
        }
        for (Map.Entry<String, Integer> each : new ArrayList<>(stored.entrySet())) {
            if (!needed.contains(each.getKey())) {
                Files.deleteIfExists(
                        folder.resolve("data").resolve("%s.%08x".formatted(each.getKey(), each.getValue())));
                stored.remove(each.getKey());
            }
        }
        return kept;
    }

    private static void writeDurably(Path folder, String name, String text) throws IOException {
        writeDurably(folder, name, text.getBytes(StandardCharsets.UTF_8));
    }

    private static void writeDurably(Path folder, String name, byte[] bytes) throws IOException {
        Path partial = folder.resolve(name + PARTIAL);
        try (FileChannel channel = PrivateFiles.open(
                partial, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            ByteBuffer left = ByteBuffer.wrap(bytes);
            while (left.hasRemaining()) {
                channel.write(left);
            }
            channel.force(true);
        } catch (IOException failed) {
            try {
                Files.deleteIfExists(partial);
            } catch (IOException alsoFailed) {
                failed.addSuppressed(alsoFailed);
            }
            throw failed;
        }
        Files.move(partial, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        sync(folder);
    }

    private static void sync(Path folder) throws IOException {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** An I/O error as a failure of the command. */
    static CommandFailure failure(Path folder, IOException failed) {
        String text = FileProblem.text(failed);
        if (text.contains("No space left") || text.contains("quota")) {
            return CommandFailure.failed("the disk of " + folder + " is full (" + text
                    + "). What was copied stays: make room and run the same command again, which continues from there");
        }
        return CommandFailure.failed("the folder " + folder + " cannot be used: " + text);
    }

    @Override
    public void close() {
        if (lock != null) {
            lock.close();
        }
    }
}
