package cleave.deploy.standalone;

import cleave.deploy.CommandFailure;
import cleave.runtime.files.PrivateFiles;
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

/** Holds a folder for this process; the system lets go of it when the process ends, however it ends. Thread-safe. */
public final class FolderLock implements AutoCloseable {
    private final FileChannel channel;

    private FolderLock(FileChannel channel) {
        this.channel = channel;
    }

    /** Of the data of a process. */
    static FolderLock take(Path folder) {
        try {
            return take(folder, "end it, or give another folder by --data");
        } catch (IOException failed) {
            throw new UncheckedIOException("the folder " + folder + " cannot be used: " + failed, failed);
        }
    }

    /**
     * Makes the folder if need be, and locks it or says who has it.
     *
     * @param remedy what the operator can do about another holder
     */
    public static FolderLock take(Path folder, String remedy) throws IOException {
        PrivateFiles.makeNamed(folder);
        Path file = folder.resolve("lock");
        FileChannel channel =
                PrivateFiles.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        boolean taken = false;
        try {
            if (tryLock(channel) == null) {
                String holder = Files.readString(file).strip();
                throw CommandFailure.taken("the folder " + folder + " is in use by another process"
                        + (holder.isEmpty() ? "" : " (pid " + holder + ")")
                        + "; " + remedy);
            }
            channel.truncate(0);
            channel.write(StandardCharsets.UTF_8.encode(ProcessHandle.current().pid() + "\n"), 0);
            taken = true;
            return new FolderLock(channel);
        } finally {
            if (!taken) {
                channel.close();
            }
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
        try {
            channel.truncate(0);
            channel.close();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
