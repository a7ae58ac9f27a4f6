package cleave.frontend.protocol.auth;

import cleave.model.Key;
import cleave.model.KeyRange;
import org.jspecify.annotations.Nullable;

/**
 * The keys that a table's shared access signature is for. Immutable. Both ends belong to it, and are compared as keys of the key
 * space are. An end without a RowKey takes in its whole partition.
 *
 * @param startPartition null: from the beginning
 * @param endPartition null: to the end
 */
record KeySpan(
        @Nullable String startPartition,
        @Nullable String startRow,
        @Nullable String endPartition,
        @Nullable String endRow) {
    static final KeySpan ALL = new KeySpan(null, null, null, null);

    /** The span in a table; null if nothing can lie in it. */
    @Nullable
    KeyRange in(long table) {
        Key start = startPartition == null
                ? Key.beforeTable(table)
                : Key.of(table, startPartition, startRow == null ? "" : startRow);
        Key end = end(table);
        return end != null && start.compareTo(end) >= 0 ? null : new KeyRange(start, end);
    }

    private @Nullable Key end(long table) {
        if (endPartition == null) {
            return KeyRange.ofTable(table).end();
        }
        return endRow == null
                ? Key.afterPartition(table, endPartition)
                : Key.of(table, endPartition, endRow).next();
    }

    boolean contains(String partitionKey, String rowKey) {
        if (startPartition == null && endPartition == null) {
            return true;
        }
        KeyRange range = in(1);
        return range != null && range.contains(Key.of(1, partitionKey, rowKey));
    }
}
