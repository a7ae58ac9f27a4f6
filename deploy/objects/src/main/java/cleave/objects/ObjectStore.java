package cleave.objects;

import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * One bucket or container. Each call is one request, which is not repeated here; it blocks its caller, for a bounded time. All failures are
 * {@link StoreFailure}s. An object appears whole, when its put or the completion of its parts has succeeded. Thread-safe.
 */
interface ObjectStore extends AutoCloseable {
    /**
     * A page of a list. Immutable.
     *
     * @param objects names and lengths in bytes
     * @param folders what names with a further slash begin with, up to and without it
     * @param next where the next page begins; null if this is the last one
     */
    record Page(
            SortedMap<String, Long> objects,
            SortedSet<String> folders,
            @Nullable String next) {}

    /** Parts of an object that nobody completed. Immutable. */
    record Unfinished(String name, String upload) {}

    /** Names that begin with the prefix and have no further slash, and the folders. */
    Page top(String prefix, @Nullable String from) throws StoreFailure;

    /** All names that begin with the prefix. */
    Page below(String prefix, @Nullable String from) throws StoreFailure;

    /** -1 if there is no such object. */
    long length(String name) throws StoreFailure;

    /** These bytes, which lie within the object. */
    byte[] read(String name, long from, int length) throws StoreFailure;

    /** Writes or replaces an object. The store compares what it received with a checksum. */
    void put(String name, byte[] bytes) throws StoreFailure;

    /** Writes an object unless there is one; false if there is. */
    boolean create(String name, byte[] bytes) throws StoreFailure;

    /** Begins an object of parts; answers the id of the upload. */
    String begin(String name) throws StoreFailure;

    /**
     * Uploads a part, again if need be. The store compares what it received with a checksum.
     *
     * @param number from 1
     * @return the id of the part
     */
    String part(String name, String upload, int number, byte[] bytes, int length) throws StoreFailure;

    /** Makes the object of its parts, in this order. */
    void complete(String name, String upload, List<String> parts) throws StoreFailure;

    /** Forgets the parts. */
    void abort(String name, String upload) throws StoreFailure;

    /** Parts of objects with this prefix that were left by others, at most a page of them. */
    List<Unfinished> unfinished(String prefix) throws StoreFailure;

    /** Deletes an object, if it is there. */
    void delete(String name) throws StoreFailure;

    @Override
    void close();
}
