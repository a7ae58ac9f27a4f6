package cleave.runtime.files;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Holds a folder for this process; the system lets go of it when the process ends, however it ends. Thread-safe. */
public final class FolderLock implements AutoCloseable {
    /** The file that is locked in every folder but a DFS's, and names the process. */
    public static final String FILE = "lock";

    private static final Logger LOG = LoggerFactory.getLogger(FolderLock.class);

    private final FileChannel channel;

    private FolderLock(FileChannel channel) {
        this.channel = channel;
    }

    /** Another process holds the folder, or this one does for another purpose. */
    public static final class Taken extends IOException {
        private static final long serialVersionUID = 1;

        Taken(Path folder, String holder) {
            super("the folder " + folder + " is in use by another process"
                    + (holder.isEmpty() ? "" : " (pid " + holder + ")"));
        }
    }

    /** Makes the folder if need be, and locks it. */
    public static FolderLock take(Path folder) throws IOException {
        return take(folder, FILE);
    }

    /** The same by a file of another name. */
    public static FolderLock take(Path folder, String name) throws IOException {
        PrivateFiles.makeNamed(folder);
        Path file = folder.resolve(name);
        FileChannel channel =
                PrivateFiles.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        boolean taken = false;
        try {
            if (tryLock(channel) == null) {
                throw new Taken(folder, Files.readString(file).strip());
            }
            taken = true;
            FolderLock lock = new FolderLock(channel);
            lock.name(ProcessHandle.current().pid() + "\n");
            return lock;
        } finally {
            if (!taken) {
                channel.close();
            }
        }
    }

    /** The lock holds without a name, too, as on a full disk. */
    private void name(String holder) {
        try {
            channel.truncate(0);
            channel.write(StandardCharsets.UTF_8.encode(holder), 0);
        } catch (IOException failed) {
            LOG.warn("the file of a lock does not name its holder", failed);
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException ofThisProcess) {
            return null;
        }
    }

    @Override
    public void close() {
        name("");
        try {
            channel.close();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
