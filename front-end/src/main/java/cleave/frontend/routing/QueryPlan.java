package cleave.frontend.routing;

import cleave.frontend.protocol.odata.ContinuationToken;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.entity.Filter;
import org.jspecify.annotations.Nullable;

/**
 * The keys that a query must examine. Immutable.
 *
 * @param queryClass by the filter alone, not by the continuation. A filter that nothing can match makes a point query
 * @param range the keys that the filter can match, from the continuation on; null: none
 * @param filter to be evaluated on the entities in the range; null: all match
 */
public record QueryPlan(
        QueryClass queryClass,
        @Nullable KeyRange range,
        @Nullable Filter filter) {
    /** The plan of a query of a table's entities. */
    public static QueryPlan ofEntities(long table, @Nullable Filter filter, @Nullable ContinuationToken continuation) {
        KeyBounds bounds = filter == null ? KeyBounds.all(table) : KeyBounds.of(filter, table);
        if (bounds == null) {
            return new QueryPlan(QueryClass.POINT, null, filter);
        }
        Key from = continuation == null ? null : continuation.key(table);
        boolean allMatch = filter instanceof Filter.Constant || (filter != null && bounds.areExactFor(filter));
        Filter examined = allMatch ? null : filter;
        return new QueryPlan(bounds.queryClass(), beginningAt(from, bounds.range()), examined);
    }

    /**
     * The plan of a list of an account's tables: a scan of its partition of the registry, the filter on TableName rewritten to
     * one on registry entities, tables that are being deleted left out. Refuses filters on anything else.
     */
    public static QueryPlan ofTables(
            String account, @Nullable Filter filter, @Nullable ContinuationToken continuation) {
        QueryPlan whole = TableListing.of(account, filter);
        Key from = continuation == null ? null : continuation.registryKey(account);
        return whole.range == null ? whole : whole.on(beginningAt(from, whole.range));
    }

    /** This plan on a part of its range; null: none of it is left. */
    QueryPlan on(@Nullable KeyRange part) {
        return new QueryPlan(queryClass, part, filter);
    }

    private static @Nullable KeyRange beginningAt(@Nullable Key from, KeyRange range) {
        if (from == null || from.compareTo(range.start()) <= 0) {
            return range;
        }
        return range.end() != null && from.compareTo(range.end()) >= 0 ? null : new KeyRange(from, range.end());
    }
}
