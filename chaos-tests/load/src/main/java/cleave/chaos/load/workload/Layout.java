package cleave.chaos.load.workload;

import java.util.Locale;

/**
 * How the numbers of items become keys, and so where inserts go: items are numbered from 0, the loaded ones first, then the inserted ones.
 */
public enum Layout {
    /** Neighbouring numbers lie in different partitions, so inserts go to all of them. */
    SPREAD,
    /** Keys ascend with the numbers: all inserts go behind the last entity. */
    APPEND,
    /** Keys descend: all inserts go before the first entity, as with reversed times. */
    PREPEND,
    /** PartitionKeys are hashes of the numbers: inserts go anywhere. */
    HASHED,
    /** PartitionKeys are a bucket and a period of time: inserts go to the ends of all buckets. */
    TIME_BUCKETS;

    private static final long LAST = 999_999_999_999L;

    /** The name in files, such as {@code time-buckets}. */
    public String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The number of the item in a row of a partition; the inverse of {@link #partition} and {@link #row}. */
    long item(Shape shape, long partition, long row) {
        return switch (this) {
            case SPREAD -> row * shape.partitions() + partition;
            case APPEND, PREPEND, HASHED -> partition * shape.rows() + row;
            case TIME_BUCKETS ->
                (partition / shape.buckets() * shape.rows() + row) * shape.buckets() + partition % shape.buckets();
        };
    }

    /** The number of the partition in which an item lies. */
    long partition(Shape shape, long item) {
        return switch (this) {
            case SPREAD -> item % shape.partitions();
            case APPEND, PREPEND, HASHED -> item / shape.rows();
            case TIME_BUCKETS -> item / shape.buckets() / shape.rows() * shape.buckets() + item % shape.buckets();
        };
    }

    /** The number of its row there. */
    long row(Shape shape, long item) {
        return switch (this) {
            case SPREAD -> item / shape.partitions();
            case APPEND, PREPEND, HASHED -> item % shape.rows();
            case TIME_BUCKETS -> item / shape.buckets() % shape.rows();
        };
    }

    /** The PartitionKey of a partition. */
    String partitionKey(Shape shape, long partition, String prefix) {
        return switch (this) {
            case SPREAD -> padded(prefix, 6, partition);
            case APPEND -> padded(prefix, 12, partition);
            case PREPEND -> padded(prefix, 12, LAST - partition);
            case HASHED -> prefix + String.format(Locale.ROOT, "%016x", Zipfian.hash(partition));
            case TIME_BUCKETS ->
                padded(prefix, 3, partition % shape.buckets()) + padded("-", 9, partition / shape.buckets());
        };
    }

    /** A number that sorts as text. */
    static String padded(String prefix, int digits, long number) {
        String text = Long.toString(number);
        return prefix + "0".repeat(Math.max(0, digits - text.length())) + text;
    }
}
