package cleave.chaos.ycsb;

import java.util.Locale;

/**
 * The partitions of records. Immutable. Either there is a fixed number of them, chosen by a hash of the record's key, which is the RowKey
 * there; or each record has its own, whose PartitionKey is the record's key.
 *
 * @param count 0: each record has its own partition
 */
record Partitions(int count) {
    /** PartitionKeys have six digits, as those of {@code cleave load}. */
    private static final int COUNT_MAX = 1_000_000;

    Partitions {
        if (count < 0 || count > COUNT_MAX) {
            throw new IllegalArgumentException(count + " partitions; it must be 0 to " + COUNT_MAX);
        }
    }

    String partitionKey(String record) {
        return count == 0 ? record : String.format(Locale.ROOT, "p%06d", Math.floorMod(record.hashCode(), count));
    }

    String rowKey(String record) {
        return count == 0 ? "" : record;
    }

    /** Matches this record and those after it in key order; with a fixed number of partitions, those after it in its partition. */
    String filterFrom(String record) {
        return count == 0
                ? "PartitionKey ge " + literal(record)
                : "PartitionKey eq " + literal(partitionKey(record)) + " and RowKey ge " + literal(record);
    }

    private static String literal(String text) {
        return "'" + text.replace("'", "''") + "'";
    }
}
