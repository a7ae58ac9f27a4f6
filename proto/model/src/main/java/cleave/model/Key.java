package cleave.model;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A position in the one ordered key space: {@code tableId (8 bytes, big-endian) ‖ utf8(PartitionKey) ‖ 0x00 ‖ utf8(RowKey)}.
 * Immutable. Ordered as unsigned bytes, which is the order of (table, PartitionKey, RowKey), since keys hold no U+0000.
 *
 * <p>A key without the zero byte lies <em>between</em> partitions: such keys bound ranges (invariant I5: a partition is never
 * divided). {@link #MIN} is the beginning of the key space. The end of the key space is no key: see {@link KeyRange}.
 */
public final class Key implements Comparable<Key> {
    /** The beginning of the key space. */
    public static final Key MIN = new Key(new byte[0]);

    private static final int TABLE_BYTES = Long.BYTES;

    private final byte[] bytes;

    private Key(byte[] bytes) {
        this.bytes = bytes;
    }

    /** The key of one entity. */
    public static Key of(long table, String partitionKey, String rowKey) {
        byte[] partition = partitionKey.getBytes(StandardCharsets.UTF_8);
        byte[] row = rowKey.getBytes(StandardCharsets.UTF_8);
        return new Key(ByteBuffer.allocate(TABLE_BYTES + partition.length + 1 + row.length)
                .putLong(table)
                .put(partition)
                .put((byte) 0)
                .put(row)
                .array());
    }

    /** The bound before all entities of a partition; a legal bound of a range. */
    public static Key beforePartition(long table, String partitionKey) {
        byte[] partition = partitionKey.getBytes(StandardCharsets.UTF_8);
        return new Key(ByteBuffer.allocate(TABLE_BYTES + partition.length)
                .putLong(table)
                .put(partition)
                .array());
    }

    /** The bound after all entities of a partition (and before any that its PartitionKey is a prefix of); only for scans. */
    public static Key afterPartition(long table, String partitionKey) {
        byte[] partition = partitionKey.getBytes(StandardCharsets.UTF_8);
        return new Key(ByteBuffer.allocate(TABLE_BYTES + partition.length + 1)
                .putLong(table)
                .put(partition)
                .put((byte) 1)
                .array());
    }

    /** The bound before all entities of a table; a legal bound of a range. */
    public static Key beforeTable(long table) {
        return new Key(ByteBuffer.allocate(TABLE_BYTES).putLong(table).array());
    }

    /** The key with these bytes. The array is not copied, so the caller must not modify it afterwards. */
    public static Key wrap(byte[] bytes) {
        return bytes.length == 0 ? MIN : new Key(bytes);
    }

    public static Key fromWire(ByteString bytes) {
        return wrap(bytes.toByteArray());
    }

    public ByteString toWire() {
        return UnsafeByteOperations.unsafeWrap(bytes);
    }

    /** The bytes themselves, not a copy; they must not be modified. */
    public byte[] bytes() {
        return bytes;
    }

    /** The table of this key; keys shorter than a table id (such as {@link #MIN}) are padded with zeros. */
    public long table() {
        long table = 0;
        for (int i = 0; i < TABLE_BYTES; i++) {
            table = table << 8 | (i < bytes.length ? bytes[i] & 0xff : 0);
        }
        return table;
    }

    /** The bound before all entities of this key's partition; of a bound, itself. */
    public Key partition() {
        int separator = separator();
        return separator < 0 ? this : new Key(Arrays.copyOf(bytes, separator));
    }

    /** True if this key may bound a range: it lies between partitions. */
    public boolean isBound() {
        return separator() < 0;
    }

    /** True if this is the key of an entity. */
    public boolean isEntity() {
        return separator() >= 0;
    }

    /** The PartitionKey of an entity's key; of a bound, everything after the table id. */
    public String partitionKey() {
        int separator = separator();
        int end = separator < 0 ? bytes.length : separator;
        return end <= TABLE_BYTES ? "" : new String(bytes, TABLE_BYTES, end - TABLE_BYTES, StandardCharsets.UTF_8);
    }

    /** The RowKey of an entity's key; empty for a bound. */
    public String rowKey() {
        int separator = separator();
        return separator < 0
                ? ""
                : new String(bytes, separator + 1, bytes.length - separator - 1, StandardCharsets.UTF_8);
    }

    /** The least key above this one. */
    public Key next() {
        return new Key(Arrays.copyOf(bytes, bytes.length + 1));
    }

    /** True if both are keys of entities of one partition of one table. */
    public boolean isOfSamePartitionAs(Key other) {
        int separator = separator();
        return separator >= 0
                && other.separator() == separator
                && Arrays.equals(bytes, 0, separator, other.bytes, 0, separator);
    }

    /** The end of the PartitionKey's bytes: the separator, or in a bound the end. */
    public int partitionEnd() {
        int separator = separator();
        return separator < 0 ? bytes.length : separator;
    }

    private int separator() {
        for (int i = TABLE_BYTES; i < bytes.length; i++) {
            if (bytes[i] == 0) {
                return i;
            }
        }
        return -1;
    }

    @Override
    public int compareTo(Key other) {
        return Arrays.compareUnsigned(bytes, other.bytes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Key key && Arrays.equals(bytes, key.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** For people: {@code 5/de/0042}, a bound {@code 5/de}, a table's beginning {@code 5}, the beginning {@code -}. */
    @Override
    public String toString() {
        if (bytes.length == 0) {
            return "-";
        }
        String text = Long.toUnsignedString(table());
        if (isEntity()) {
            return text + "/" + partitionKey() + "/" + rowKey();
        }
        return bytes.length > TABLE_BYTES ? text + "/" + partitionKey() : text;
    }
}
