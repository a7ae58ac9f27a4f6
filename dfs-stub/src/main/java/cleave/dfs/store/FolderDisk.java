package cleave.dfs.store;

import cleave.runtime.files.FolderLock;
import cleave.runtime.files.PrivateFiles;
import java.io.IOException;
import java.io.SyncFailedException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** A real folder, locked for this process. */
public final class FolderDisk implements Disk {
    private static final String LOCK = "LOCK";
    private static final List<String> FOLDERS = List.of("journal", "extents");

    private final Path folder;
    private final long syncDelayNanos;
    private final FileStore store;
    private final FolderLock lock;

    private FolderDisk(Path folder, long syncDelayNanos, FolderLock lock) throws IOException {
        this.store = Files.getFileStore(folder);
        this.folder = folder;
        this.syncDelayNanos = syncDelayNanos;
        this.lock = lock;
    }

    /**
     * Creates the folder if needed and locks it.
     *
     * @param syncDelayNanos delays every sync, to imitate a slower disk
     */
    public static FolderDisk open(Path folder, long syncDelayNanos) throws IOException {
        FolderLock lock = FolderLock.take(folder, LOCK);
        boolean opened = false;
        try {
            for (String inner : FOLDERS) {
                PrivateFiles.make(folder.resolve(inner));
            }
            FolderDisk disk = new FolderDisk(folder, syncDelayNanos, lock);
            Path parent = folder.toAbsolutePath().getParent();
            if (parent != null) {
                sync(parent);
            }
            disk.syncFolder("");
            opened = true;
            return disk;
        } finally {
            if (!opened) {
                lock.close();
            }
        }
    }

    @Override
    public File open(String name) throws IOException {
        return new RealFile(PrivateFiles.open(
                folder.resolve(name), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE));
    }

    @Override
    public boolean exists(String name) {
        return Files.exists(folder.resolve(name));
    }

    @Override
    public List<String> list(String name) throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve(name))) {
            return files.filter(Files::isRegularFile)
                    .map(file -> file.getFileName().toString())
                    .filter(file -> !file.equals(LOCK))
                    .sorted()
                    .toList();
        }
    }

    @Override
    public void rename(String from, String to) throws IOException {
        Files.move(folder.resolve(from), folder.resolve(to), StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void delete(String name) throws IOException {
        Files.deleteIfExists(folder.resolve(name));
    }

    @Override
    public void syncFolder(String name) throws IOException {
        sync(folder.resolve(name));
    }

    @Override
    public long freeBytes() throws IOException {
        return store.getUsableSpace();
    }

    @Override
    public long totalBytes() throws IOException {
        return store.getTotalSpace();
    }

    private static void sync(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            force(channel);
        }
    }

    private static void force(FileChannel channel) throws IOException {
        try {
            channel.force(false); // This syncs the size and the location of the bytes too, but not the times.
        } catch (IOException failed) {
            SyncFailedException syncFailed = new SyncFailedException(failed.toString());
            syncFailed.initCause(failed);
            throw syncFailed;
        }
    }

    @Override
    public void close() {
        lock.close();
    }

    private final class RealFile implements File {
        private final FileChannel channel;

        RealFile(FileChannel channel) {
            this.channel = channel;
        }

        @Override
        public long size() throws IOException {
            return channel.size();
        }

        @Override
        public void write(long position, ByteBuffer bytes) throws IOException {
            long at = position;
            while (bytes.hasRemaining()) {
                at += channel.write(bytes, at);
            }
        }

        @Override
        public int read(long position, ByteBuffer target) throws IOException {
            int total = 0;
            while (target.hasRemaining()) {
                int count = channel.read(target, position + total);
                if (count < 0) {
                    break;
                }
                total += count;
            }
            return total;
        }

        @Override
        public void truncate(long size) throws IOException {
            channel.truncate(size);
        }

        @Override
        public void sync() throws IOException {
            force(channel);
            if (syncDelayNanos > 0) {
                LockSupport.parkNanos(syncDelayNanos);
            }
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
