package cleave.dfs.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A folder on a disk, as far as a node needs it. Thread-safe, but one file is written by one thread at a time.
 *
 * <p>What was written is on stable storage after {@link File#sync}; that a file was made, renamed or deleted, after
 * {@link #syncFolder}. Before, a crash may forget all of it or any part. A failed sync throws
 * {@link java.io.SyncFailedException}: what is stable is unknown then, and the process must end.
 *
 * <p>Names are {@code folder/file}, or {@code file} at the top.
 */
public interface Disk extends AutoCloseable {
    /** Opens for writing and reading; makes the file if it is not there. */
    File open(String name) throws IOException;

    boolean exists(String name) throws IOException;

    /** The names of a folder's files, without the folder, in order. The empty name is the top. */
    List<String> list(String folder) throws IOException;

    /** Replaces what is there; both in one folder. */
    void rename(String from, String to) throws IOException;

    /** Does nothing if it is not there. */
    void delete(String name) throws IOException;

    void syncFolder(String folder) throws IOException;

    /** How many bytes can still be written, by anybody. */
    long freeBytes() throws IOException;

    /** How many bytes the disk has in all. */
    long totalBytes() throws IOException;

    /** Lets another process have the folder. */
    @Override
    void close() throws IOException;

    /** An open file. */
    interface File extends AutoCloseable {
        long size() throws IOException;

        /** Writes all remaining bytes. */
        void write(long position, ByteBuffer bytes) throws IOException;

        /** Reads until the buffer is full or the file ends; answers how many bytes. */
        int read(long position, ByteBuffer target) throws IOException;

        /** Cuts the file. */
        void truncate(long size) throws IOException;

        void sync() throws IOException;

        @Override
        void close() throws IOException;
    }
}
