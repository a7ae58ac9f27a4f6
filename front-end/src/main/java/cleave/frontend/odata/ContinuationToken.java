package cleave.frontend.odata;

import cleave.model.Key;
import org.jspecify.annotations.Nullable;

/**
 * Where the next page of a query begins: an opaque text for clients, the bytes of the next key to examine for us. It says
 * nothing about ranges or servers, so it survives whatever happens to them. Immutable.
 *
 * @param partition bytes of a PartitionKey, or for a list of tables of a table's name; may be empty
 * @param row bytes of a RowKey; empty for a list of tables
 */
@SuppressWarnings("ArrayRecordComponent")
public record ContinuationToken(byte[] partition, byte[] row) {
    /** The token of a place among entities. */
    public static ContinuationToken ofEntities(Key next) {
        throw new UnsupportedOperationException();
    }

    /** The token of a place in an account's partition of the registry of tables. */
    public static ContinuationToken ofTables(Key next) {
        throw new UnsupportedOperationException();
    }

    /** Null if no token was sent. */
    public static @Nullable ContinuationToken parseEntities(
            @Nullable String nextPartitionKey, @Nullable String nextRowKey) {
        throw new UnsupportedOperationException();
    }

    /** Null if no token was sent. */
    public static @Nullable ContinuationToken parseTables(@Nullable String nextTableName) {
        throw new UnsupportedOperationException();
    }

    /** The first key to examine in a table of entities. */
    public Key key(long table) {
        throw new UnsupportedOperationException();
    }

    /** The first key to examine in an account's partition of the registry. */
    public Key registryKey(String account) {
        throw new UnsupportedOperationException();
    }

    /** Value of {@code x-ms-continuation-NextPartitionKey}. */
    public String nextPartitionKey() {
        throw new UnsupportedOperationException();
    }

    /** Value of {@code x-ms-continuation-NextRowKey}. */
    public String nextRowKey() {
        throw new UnsupportedOperationException();
    }

    /** Value of {@code x-ms-continuation-NextTableName}. */
    public String nextTableName() {
        throw new UnsupportedOperationException();
    }
}
