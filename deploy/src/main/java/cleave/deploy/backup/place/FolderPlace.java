package cleave.deploy.backup.place;

import cleave.deploy.CommandFailure;
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
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import java.util.zip.CheckedOutputStream;
import org.jspecify.annotations.Nullable;

/** A folder of this machine's file system. What is being written has a name of its own until it is durable. Confined to one thread. */
public final class FolderPlace implements BackupPlace {
    private static final String DATA = "data";
    private static final String PARTIAL = ".partial";

    private final Path folder;
    /** Null before it is taken, and on read-only media. */
    private @Nullable FolderLock lock;

    public FolderPlace(Path folder) {
        this.folder = folder;
    }

    @Override
    public boolean isReadFreely() {
        return true;
    }

    @Override
    public void take() throws IOException {
        if (Files.exists(folder) && !Files.isDirectory(folder)) {
            throw CommandFailure.usage(folder + " is not a folder; give an empty one, or one that does not exist");
        }
        try {
            lock = FolderLock.take(folder);
        } catch (FolderLock.Taken taken) {
            throw CommandFailure.taken(taken.getMessage() + "; wait until it has ended");
        }
    }

    @Override
    public void takeToRead() throws IOException {
        if (Files.isWritable(folder)) {
            take();
        }
    }

    /** Without what a mounted disk has, and what a run has left that was killed at once. */
    @Override
    public List<String> top() throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name ->
                            !name.equals("lost+found") && !name.equals(FolderLock.FILE) && !name.endsWith(PARTIAL))
                    .sorted()
                    .toList();
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
    }

    @Override
    public SortedMap<String, Long> below(String name) throws IOException {
        TreeMap<String, Long> found = new TreeMap<>();
        Path below = folder.resolve(name);
        if (!Files.isDirectory(below)) {
            return found;
        }
        try (Stream<Path> files = Files.walk(below)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                found.put(folder.relativize(file).toString(), Files.size(file));
            }
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
        return found;
    }

    @Override
    public void removeHalfWritten() throws IOException {
        PrivateFiles.make(folder.resolve(DATA));
        for (String name : below(DATA).keySet()) {
            if (name.endsWith(PARTIAL)) {
                Files.delete(folder.resolve(name));
            }
        }
    }

    @Override
    public long length(String name) throws IOException {
        Path file = folder.resolve(name);
        return Files.exists(file) ? Files.size(file) : -1;
    }

    @Override
    public InputStream open(String name) throws IOException {
        return Files.newInputStream(folder.resolve(name));
    }

    @Override
    public int add(String name, long length, @Nullable Integer expected, Content content) throws IOException {
        Path partial = folder.resolve(name + PARTIAL);
        PrivateFiles.make(Objects.requireNonNull(partial.getParent()));
        CRC32C crc = new CRC32C();
        boolean isAdded = false;
        try (FileChannel channel = PrivateFiles.open(
                partial, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            OutputStream out = new CheckedOutputStream(Channels.newOutputStream(channel), crc);
            content.copyTo(out);
            if (channel.size() != length) {
                throw new IOException(name + " has " + channel.size() + " bytes");
            }
            isAdded = expected == null || expected == (int) crc.getValue();
            if (isAdded) {
                channel.force(true);
            }
        } catch (IOException | RuntimeException failed) {
            discard(partial, failed);
            throw failed;
        }
        int checksum = (int) crc.getValue();
        if (isAdded) {
            Files.move(partial, folder.resolve(BackupPlace.named(name, checksum)), StandardCopyOption.ATOMIC_MOVE);
        } else {
            Files.delete(partial);
        }
        return checksum;
    }

    /** A failure to clean up says less than the failure before it. */
    private static void discard(Path partial, Exception failed) {
        try {
            Files.deleteIfExists(partial);
        } catch (IOException alsoFailed) {
            failed.addSuppressed(alsoFailed);
        }
    }

    @Override
    public void put(String name, byte[] bytes) throws IOException {
        Path partial = folder.resolve(name + PARTIAL);
        try (FileChannel channel = PrivateFiles.open(
                partial, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            ByteBuffer left = ByteBuffer.wrap(bytes);
            while (left.hasRemaining()) {
                channel.write(left);
            }
            channel.force(true);
        } catch (IOException failed) {
            discard(partial, failed);
            throw failed;
        }
        Files.move(partial, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        sync(folder);
    }

    @Override
    public void delete(String name) throws IOException {
        Files.deleteIfExists(folder.resolve(name));
    }

    @Override
    public void sync() throws IOException {
        for (Path each : foldersToSync()) {
            sync(each);
        }
    }

    /** Those whose files this class has written. Others may be unreadable, such as the {@code lost+found} of a mounted disk. */
    List<Path> foldersToSync() throws IOException {
        List<Path> folders = new ArrayList<>();
        folders.add(folder);
        try (Stream<Path> files = Files.walk(folder.resolve(DATA))) {
            files.filter(Files::isDirectory).forEach(folders::add);
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
        return folders;
    }

    private static void sync(Path folder) throws IOException {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    @Override
    public CommandFailure failure(IOException failed) {
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
            lock = null;
        }
    }

    @Override
    public String toString() {
        return folder.toString();
    }
}
