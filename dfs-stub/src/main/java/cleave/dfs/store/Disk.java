package cleave.dfs.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A folder on a disk. Thread-safe, but one thread at a time writes a file.
 *
 * <p>Written bytes are on stable storage after {@link File#sync}; the creation, renaming or deletion of a file is after
 * {@link #syncFolder}. Before that, a crash may lose all or any part. A failed sync throws {@link
 * java.io.SyncFailedException}: it is then unknown what is stable, and the process must end.
 *
 * <p>Names are {@code folder/file}, or {@code file} at the top.
 */
public interface Disk extends AutoCloseable {
    /** Opens for writing and reading; creates the file if it does not exist. */
    File open(String name) throws IOException;

    boolean exists(String name) throws IOException;

    /** The names of a folder's files, without the folder, in order. The empty name is the top. */
    List<String> list(String folder) throws IOException;

    /** Replaces the target; both are in one folder. */
    void rename(String from, String to) throws IOException;

    /** Does nothing if it does not exist. */
    void delete(String name) throws IOException;

    void syncFolder(String folder) throws IOException;

    /** The free bytes for all processes. */
    long freeBytes() throws IOException;

    /** The size of the disk in bytes. */
    long totalBytes() throws IOException;

    /** Unlocks the folder for another process. */
    @Override
    void close() throws IOException;

    /** An open file. */
    interface File extends AutoCloseable {
        long size() throws IOException;

        /** Writes all remaining bytes. */
        void write(long position, ByteBuffer bytes) throws IOException;

        /** Reads until the buffer is full or the file ends; returns the number of bytes. */
        int read(long position, ByteBuffer target) throws IOException;

        /** Truncates the file. */
        void truncate(long size) throws IOException;

        void sync() throws IOException;

        @Override
        void close() throws IOException;
    }
}
