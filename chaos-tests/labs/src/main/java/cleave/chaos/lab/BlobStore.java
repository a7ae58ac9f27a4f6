package cleave.chaos.lab;

import java.io.IOException;
import java.util.List;

/**
 * A blob service: bytes under names, which may have slashes. It belongs to one run alone, and is confined to it. Methods fail with an
 * IOException that names the blob if the service refuses or does not answer.
 */
public interface BlobStore {
    /** Names the service, as a part of a sentence. */
    String kind();

    /** Writes a blob, or replaces it. */
    void put(String name, byte[] bytes) throws IOException;

    /** Fails if there is no such blob. */
    byte[] get(String name) throws IOException;

    /** Fails if there is no such blob. */
    void delete(String name) throws IOException;

    /** The names that begin so, in order; all of them if the prefix is empty. */
    List<String> names(String prefix) throws IOException;

    /** Deletes all blobs, and the place where they were. */
    void drop() throws IOException;
}
