package cleave.frontend.protocol.auth;

import cleave.model.Key;
import cleave.model.KeyRange;
import org.jspecify.annotations.Nullable;

/**
 * The keys that a table's shared access signature covers. Immutable. Both ends are inclusive, and compare like keys of the key space. An
 * end without a RowKey includes its whole partition.
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

    /** The span as an interval of a table's keys; null if it is empty. */
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
