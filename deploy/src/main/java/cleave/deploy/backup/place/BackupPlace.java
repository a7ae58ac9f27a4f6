package cleave.deploy.backup.place;

import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Where the backups of one cluster lie: a folder, or a prefix in an object store. It holds files by name; a name is a path with slashes.
 * {@code toString} is what people call the place. Confined to one thread.
 *
 * <p>Invariant: a file appears under its name whole and durable, or not at all.
 *
 * <p>The message of an {@link IOException} says what is wrong. It is a {@link java.nio.file.NoSuchFileException} if there is no such file.
 */
public interface BackupPlace extends AutoCloseable {
    /** The bytes of a file to be added. They are written once or twice, and are the same each time. */
    interface Content {
        void copyTo(OutputStream out) throws IOException;
    }

    /** True if reading costs little, so that each backup compares what it uses again with its checksum. */
    boolean isReadFreely();

    /**
     * Makes the place if need be, and takes it for this process until it is closed. CommandFailure if another process has it, or if it cannot
     * be a place of backups.
     */
    void take() throws IOException;

    /** Does the same for a reader, as far as the place can be locked by one who may only read it. */
    void takeToRead() throws IOException;

    /** The names of files and folders directly in it, ascending; none if there is no such place. */
    List<String> top() throws IOException;

    /** The names of all files below a folder, with their lengths in bytes. */
    SortedMap<String, Long> below(String folder) throws IOException;

    /** Removes what interrupted runs have left half written. Only for one who has {@link #take taken} it. */
    void removeHalfWritten() throws IOException;

    /** The length of a file in bytes; -1 if there is none. */
    long length(String name) throws IOException;

    /** The bytes of a file, which the caller closes. */
    InputStream open(String name) throws IOException;

    /**
     * Adds a file, whose name will be {@code name.CHECKSUM}: its CRC32C in eight hexadecimal digits. Answers the checksum of the content.
     * Nothing is added if that is not the expected one.
     *
     * @param length of the content in bytes; IOException if it has another one
     * @param expected checksum; null if it is not known
     */
    int add(String name, long length, @Nullable Integer expected, Content content) throws IOException;

    /** Writes a small file, or replaces it. */
    void put(String name, byte[] bytes) throws IOException;

    /** Deletes a file, if it is there. */
    void delete(String name) throws IOException;

    /** Makes the names of all added files durable, where that is apart from their bytes. */
    void sync() throws IOException;

    /** A failure of one of its calls as one of the command, with what to do. */
    CommandFailure failure(IOException failed);

    /** Idempotent. */
    @Override
    void close();

    /** The name of a file with its checksum. */
    static String named(String name, int checksum) {
        return "%s.%08x".formatted(name, checksum);
    }
}
