package cleave.frontend.routing;

import cleave.frontend.protocol.odata.Keys;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.frontend.protocol.odata.TableName;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.entity.Filter;
import cleave.model.table.Registry;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Plans a list of an account's tables as a scan of the registry. Stateless. The registry is ordered by names in lower case, while the filter
 * compares names as created. So the bounds follow from the common prefix of all matching names, and from the lower-case part of the
 * lower bound.
 */
final class TableListing {
    private static final Filter LISTED = new Filter.Not(new Filter.Flag(Registry.DELETING));
    /** Above every character of a name. */
    private static final byte ABOVE = (byte) 0xff;

    private TableListing() {}

    /** The plan of the whole list; its filter is one on registry entities. */
    static QueryPlan of(String account, @Nullable Filter filter) {
        KeyRange whole = new KeyRange(Key.of(Registry.TABLE, account, ""), Key.afterPartition(Registry.TABLE, account));
        if (filter instanceof Filter.Constant constant && !constant.value()) {
            return new QueryPlan(QueryClass.POINT, null, LISTED);
        }
        if (filter == null || filter instanceof Filter.Constant) {
            return new QueryPlan(QueryClass.PARTITION_RANGE, whole, LISTED);
        }
        Filter onRegistry = new Filter.And(LISTED, renamed(filter, Registry.NAME));
        KeyBounds bounds = KeyBounds.of(renamed(filter, Keys.ROW_KEY), Registry.TABLE);
        if (bounds == null) {
            return new QueryPlan(QueryClass.POINT, null, onRegistry);
        }
        Interval names = inLowerCase(bounds.row());
        QueryClass queryClass =
                names.isPoint() ? QueryClass.POINT : names.isAll() ? QueryClass.PARTITION_RANGE : QueryClass.ROW_RANGE;
        Key start = key(account, names.low());
        Key end = names.high() == null ? whole.end() : key(account, names.high());
        return new QueryPlan(queryClass, new KeyRange(start, end), onRegistry);
    }

    private static Key key(String account, byte[] name) {
        byte[] partition = Key.of(Registry.TABLE, account, "").bytes();
        return Key.wrap(ByteBuffer.allocate(partition.length + name.length)
                .put(partition)
                .put(name)
                .array());
    }

    private static Filter renamed(Filter filter, String property) {
        if (filter instanceof Filter.And and) {
            return new Filter.And(renamed(and.left(), property), renamed(and.right(), property));
        }
        if (filter instanceof Filter.Or or) {
            return new Filter.Or(renamed(or.left(), property), renamed(or.right(), property));
        }
        if (filter instanceof Filter.Not not) {
            return new Filter.Not(renamed(not.operand(), property));
        }
        if (filter instanceof Filter.Compare compare && compare.property().equals(TableName.PROPERTY)) {
            return new Filter.Compare(property, compare.operator(), compare.literal());
        }
        throw ServiceError.of(
                ServiceCode.INVALID_INPUT, "A list of tables is filtered by '" + TableName.PROPERTY + "' only.");
    }

    private static Interval inLowerCase(Interval names) {
        byte[] low = names.low();
        if (names.isPoint()) {
            byte[] name = lower(low, low.length);
            return new Interval(name, Arrays.copyOf(name, name.length + 1));
        }
        int plain = 0;
        while (plain < low.length && !isUpper(low[plain])) {
            plain++;
        }
        Interval above = new Interval(Arrays.copyOf(low, plain), null);
        byte[] high = names.high();
        int common = high == null ? 0 : Math.max(0, Arrays.mismatch(low, high));
        if (high == null || common == 0) {
            return above;
        }
        byte[] prefix = lower(low, common);
        byte[] behind = Arrays.copyOf(prefix, common + 1);
        behind[common] = ABOVE;
        Interval within = above.intersection(new Interval(prefix, behind));
        return within == null ? new Interval(prefix, behind) : within;
    }

    private static boolean isUpper(byte b) {
        return b >= 'A' && b <= 'Z';
    }

    private static byte[] lower(byte[] bytes, int length) {
        byte[] lower = Arrays.copyOf(bytes, length);
        for (int i = 0; i < length; i++) {
            lower[i] = (byte) (isUpper(lower[i]) ? lower[i] + ('a' - 'A') : lower[i]);
        }
        return lower;
    }
}
