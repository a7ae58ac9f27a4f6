package cleave.model;

import com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * A half-open interval {@code [start, end)} of the key space. Immutable.
 *
 * @param start inclusive
 * @param end exclusive; null is the end of the key space
 */
public record KeyRange(Key start, @Nullable Key end) {
    public static final KeyRange ALL = new KeyRange(Key.MIN, null);

    public KeyRange {
        Invariant.check(end == null || start.compareTo(end) < 0, "an interval needs start < end: [%s, %s)", start, end);
    }

    /** All keys of one table. */
    public static KeyRange ofTable(long table) {
        return new KeyRange(Key.beforeTable(table), table == -1 ? null : Key.beforeTable(table + 1));
    }

    /** The interval of these wire bounds; an empty end is the end of the key space. Null if start is not below end. */
    public static @Nullable KeyRange fromWire(ByteString start, ByteString end) {
        Key low = Key.fromWire(start);
        Key high = end.isEmpty() ? null : Key.fromWire(end);
        return high != null && low.compareTo(high) >= 0 ? null : new KeyRange(low, high);
    }

    public ByteString startToWire() {
        return start.toWire();
    }

    public ByteString endToWire() {
        return end == null ? ByteString.EMPTY : end.toWire();
    }

    public boolean contains(Key key) {
        return start.compareTo(key) <= 0 && (end == null || key.compareTo(end) < 0);
    }

    public boolean contains(KeyRange other) {
        return start.compareTo(other.start) <= 0
                && (end == null || (other.end != null && other.end.compareTo(end) <= 0));
    }

    public boolean overlaps(KeyRange other) {
        return intersection(other) != null;
    }

    /** The intersection; null if it is empty. */
    public @Nullable KeyRange intersection(KeyRange other) {
        Key low = start.compareTo(other.start) >= 0 ? start : other.start;
        Key high = end == null ? other.end : other.end == null || end.compareTo(other.end) <= 0 ? end : other.end;
        return high != null && low.compareTo(high) >= 0 ? null : new KeyRange(low, high);
    }

    /** The two as one, if this one begins no later and there is nothing between them; else null. */
    public @Nullable KeyRange joined(KeyRange next) {
        if (start.compareTo(next.start) > 0 || (end != null && end.compareTo(next.start) < 0)) {
            return null;
        }
        boolean isLonger = end == null || (next.end != null && next.end.compareTo(end) < 0);
        return new KeyRange(start, isLonger ? end : next.end);
    }

    /** True if both bounds lie between partitions, as those of a range must (invariant I5). */
    public boolean isOfWholePartitions() {
        return start.isBound() && (end == null || end.isBound());
    }

    @Override
    public String toString() {
        return "[" + start + ", " + (end == null ? "-" : end) + ")";
    }
}
