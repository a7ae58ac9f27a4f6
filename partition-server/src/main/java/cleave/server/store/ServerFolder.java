package cleave.server.store;

import cleave.runtime.files.FileProblem;
import cleave.runtime.files.FolderLock;
import cleave.runtime.files.PrivateFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Random;
import java.util.regex.Pattern;

/**
 * The folder of one server, locked for this process until it is closed: a server wipes the remains of an earlier process, and must not wipe
 * files that another uses. Immutable.
 */
public final class ServerFolder implements AutoCloseable {
    private static final Pattern NAME = Pattern.compile("[a-z0-9]{1,20}");

    private final Path folder;
    private final FolderLock lock;
    private final String name;

    private ServerFolder(Path folder, FolderLock lock, String name) {
        this.folder = folder;
        this.lock = lock;
        this.name = name;
    }

    /** Makes the folder if need be; UncheckedIOException if it cannot be used, or another process uses it. */
    public static ServerFolder open(Path folder, Random random) {
        try {
            FolderLock lock = FolderLock.take(folder);
            ServerFolder opened = null;
            try {
                opened = new ServerFolder(folder, lock, readOrMakeName(folder, random));
                return opened;
            } finally {
                if (opened == null) {
                    lock.close();
                }
            }
        } catch (FolderLock.Taken taken) {
            throw new UncheckedIOException(
                    "server.dir: " + taken.getMessage() + "; give each server a server.dir of its own", taken);
        } catch (IOException failure) {
            throw new UncheckedIOException(
                    "server.dir " + folder + " cannot be used: " + FileProblem.text(failure), failure);
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

    /** The folder of the stores. */
    public Path stores() {
        return folder.resolve("stores");
    }

    /** The folder of the files that stores share, and that outlive them. */
    public Path cached() {
        return folder.resolve("cached");
    }

    /** The name that was drawn when the folder was made, and that stays the same. */
    public String name() {
        return name;
    }

    @Override
    public void close() {
        lock.close();
    }
}
