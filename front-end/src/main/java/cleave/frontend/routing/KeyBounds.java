package cleave.frontend.routing;

import cleave.frontend.protocol.odata.Keys;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.entity.EdmType;
import cleave.model.entity.Filter;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The bounds of a filter's matches in a table. Immutable. There are three bounds, because no single form is exact for all
 * filters: {@code PartitionKey eq 'a' and RowKey ge 'x'} is exact only as intervals of both keys, the union of
 * two such only as an interval of the key space.
 *
 * @param range inside the table; also cut to what the two intervals allow
 */
record KeyBounds(Interval partition, Interval row, KeyRange range) {
    /** The bounds of a filter; null if nothing can match it. */
    static @Nullable KeyBounds of(Filter filter, long table) {
        return new Evaluation(table).bounds(filter, false);
    }

    static KeyBounds all(long table) {
        return new KeyBounds(Interval.ALL, Interval.ALL, KeyRange.ofTable(table));
    }

    QueryClass queryClass() {
        if (partition.isPoint()) {
            return row.isPoint() ? QueryClass.POINT : row.isAll() ? QueryClass.PARTITION_RANGE : QueryClass.ROW_RANGE;
        }
        boolean isWhole = range.equals(KeyRange.ofTable(range.start().table()));
        return isWhole ? QueryClass.TABLE_SCAN : QueryClass.PARTITION_RANGE;
    }

    /** True if every key in the range matches the filter whose bounds these are; false if that is not known. */
    boolean areExactFor(Filter filter) {
        return partition.isPoint() && areIntervals(filter);
    }

    /** Comparisons of keys that all must hold: each is as good as its interval. */
    private static boolean areIntervals(Filter filter) {
        if (filter instanceof Filter.And and) {
            return areIntervals(and.left()) && areIntervals(and.right());
        }
        return filter instanceof Filter.Compare compare
                && (compare.property().equals(Keys.PARTITION_KEY)
                        || compare.property().equals(Keys.ROW_KEY))
                && compare.operator() != Filter.Operator.NE
                && compare.literal().value() instanceof String text
                && text.indexOf('\0') < 0; // Bounds stand for "after" by a zero.
    }

    /** Evaluates a filter recursively, pushing negations down to the comparisons. */
    private record Evaluation(long table) {
        @Nullable
        KeyBounds bounds(Filter filter, boolean negated) {
            if (filter instanceof Filter.And and) {
                return negated
                        ? either(bounds(and.left(), true), bounds(and.right(), true))
                        : both(bounds(and.left(), false), bounds(and.right(), false));
            }
            if (filter instanceof Filter.Or or) {
                return negated
                        ? both(bounds(or.left(), true), bounds(or.right(), true))
                        : either(bounds(or.left(), false), bounds(or.right(), false));
            }
            if (filter instanceof Filter.Not not) {
                return bounds(not.operand(), !negated);
            }
            if (filter instanceof Filter.Constant constant) {
                return constant.value() == negated ? null : all(table);
            }
            return filter instanceof Filter.Compare compare ? ofCompare(compare, negated) : all(table);
        }

        /** A literal that is not a String gives no bounds. */
        private @Nullable KeyBounds ofCompare(Filter.Compare compare, boolean negated) {
            boolean isPartitionKey = compare.property().equals(Keys.PARTITION_KEY);
            boolean isKey = isPartitionKey || compare.property().equals(Keys.ROW_KEY);
            if (!isKey || compare.literal().type() != EdmType.STRING) {
                return all(table);
            }
            Interval interval =
                    interval(compare.operator(), (String) compare.literal().value(), negated);
            if (interval.isEmpty()) {
                return null;
            }
            return isPartitionKey
                    ? cut(interval, Interval.ALL, KeyRange.ofTable(table))
                    : cut(Interval.ALL, interval, KeyRange.ofTable(table));
        }

        private static Interval interval(Filter.Operator operator, String text, boolean negated) {
            return switch (operator) {
                case EQ -> negated ? Interval.ALL : Interval.point(text);
                case NE -> negated ? Interval.point(text) : Interval.ALL;
                case GT -> negated ? Interval.upTo(text) : Interval.above(text);
                case GE -> negated ? Interval.below(text) : Interval.from(text);
                case LT -> negated ? Interval.from(text) : Interval.below(text);
                case LE -> negated ? Interval.above(text) : Interval.upTo(text);
            };
        }

        private @Nullable KeyBounds both(@Nullable KeyBounds left, @Nullable KeyBounds right) {
            if (left == null || right == null) {
                return null;
            }
            Interval partition = left.partition.intersection(right.partition);
            Interval row = left.row.intersection(right.row);
            KeyRange range = left.range.intersection(right.range);
            return partition == null || row == null || range == null ? null : cut(partition, row, range);
        }

        private static @Nullable KeyBounds either(@Nullable KeyBounds left, @Nullable KeyBounds right) {
            if (left == null || right == null) {
                return left == null ? right : left;
            }
            Key start = min(left.range.start(), right.range.start());
            Key leftEnd = left.range.end();
            Key rightEnd = right.range.end();
            Key end =
                    leftEnd == null || rightEnd == null ? null : leftEnd.compareTo(rightEnd) >= 0 ? leftEnd : rightEnd;
            return new KeyBounds(
                    left.partition.hull(right.partition), left.row.hull(right.row), new KeyRange(start, end));
        }

        private static Key min(Key a, Key b) {
            return a.compareTo(b) <= 0 ? a : b;
        }

        private @Nullable KeyBounds cut(Interval partition, Interval row, KeyRange range) {
            Key start = start(partition, row.low());
            Key end = end(partition.high(), row.high());
            if (end != null && start.compareTo(end) >= 0) {
                return null;
            }
            KeyRange cut = range.intersection(new KeyRange(start, end));
            return cut == null ? null : new KeyBounds(partition, row, cut);
        }

        private Key start(Interval bounds, byte[] row) {
            byte[] partition = bounds.low();
            if (partition.length == 0 && !bounds.isPoint()) {
                return Key.beforeTable(
                        table); // Exact but for the empty PartitionKey, for which a scan is no less a scan.
            }
            int zero = zero(partition);
            if (zero < partition.length) {
                return key(Arrays.copyOf(partition, zero), 1);
            }
            return row.length == 0 ? key(partition) : key(partition, 0, row);
        }

        private @Nullable Key end(byte @Nullable [] partition, byte @Nullable [] row) {
            if (partition == null) {
                return KeyRange.ofTable(table).end();
            }
            int zero = zero(partition);
            if (zero == partition.length) {
                return key(partition);
            }
            byte[] last = Arrays.copyOf(partition, zero);
            return row == null ? key(last, 1) : key(last, 0, row);
        }

        /** The index of the first zero byte of a bound, which means "after the text before it". */
        private static int zero(byte[] bytes) {
            int at = 0;
            while (at < bytes.length && bytes[at] != 0) {
                at++;
            }
            return at;
        }

        private Key key(byte[] partition) {
            return Key.wrap(ByteBuffer.allocate(Long.BYTES + partition.length)
                    .putLong(table)
                    .put(partition)
                    .array());
        }

        private Key key(byte[] partition, int separator, byte... row) {
            return Key.wrap(ByteBuffer.allocate(Long.BYTES + partition.length + 1 + row.length)
                    .putLong(table)
                    .put(partition)
                    .put((byte) separator)
                    .put(row)
                    .array());
        }
    }
}
