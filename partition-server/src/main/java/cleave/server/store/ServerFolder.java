package cleave.server.store;

import cleave.runtime.files.PrivateFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The folder of one server, locked for this process until it is closed: a server wipes what an earlier process left in it, and must
 * not wipe what another uses. Immutable.
 */
public final class ServerFolder implements AutoCloseable {
    private static final Pattern NAME = Pattern.compile("[a-z0-9]{1,20}");

    private final Path folder;
    private final FileChannel lock;
    private final String name;

    private ServerFolder(Path folder, FileChannel lock, String name) {
        this.folder = folder;
        this.lock = lock;
        this.name = name;
    }

    /** Makes the folder if need be; UncheckedIOException if it cannot be used, or another process uses it. */
    public static ServerFolder open(Path folder, Random random) {
        try {
            PrivateFiles.makeNamed(folder);
            FileChannel lock =
                    PrivateFiles.open(folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            ServerFolder opened = null;
            try {
                if (tryLock(lock) == null) {
                    throw new IOException("it is in use by another server; give each server a server.dir of its own");
                }
                opened = new ServerFolder(folder, lock, readOrMakeName(folder, random));
                return opened;
            } finally {
                if (opened == null) {
                    lock.close();
                }
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(
                    "server.dir " + folder + " cannot be used: " + failure.getMessage(), failure);
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException ofThisProcess) {
            return null;
        }
    }

    private static String readOrMakeName(Path folder, Random random) throws IOException {
        Path file = folder.resolve("name");
        try {
            String found = Files.readString(file, StandardCharsets.ISO_8859_1).strip();
            if (NAME.matcher(found).matches()) {
                return found;
            }
        } catch (NoSuchFileException first) {
            // It is made now.
        }
        String made = Long.toString(random.nextLong(Long.MAX_VALUE), Character.MAX_RADIX);
        Path written = PrivateFiles.write(folder.resolve("name.new"), made + "\n");
        Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
        return made;
    }

    /** Of the stores. */
    public Path stores() {
        return folder.resolve("stores");
    }

    /** By chance when the folder was made, and the same ever after. */
    public String name() {
        return name;
    }

    @Override
    public void close() {
        try {
            lock.close();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
