package cleave.frontend.policy;

import cleave.frontend.odata.ContinuationToken;
import cleave.model.Filter;
import cleave.model.KeyRange;
import org.jspecify.annotations.Nullable;

/**
 * Which keys a query must examine. Immutable.
 *
 * @param queryClass of the filter alone; a continuation does not change it
 * @param range every key that the filter can match and that is not before the continuation; null: there is none
 * @param filter to be evaluated on what lies in the range; null: everything matches
 */
public record QueryPlan(QueryClass queryClass, @Nullable KeyRange range, @Nullable Filter filter) {
    /** The plan of a query of a table's entities. */
    public static QueryPlan ofEntities(long table, @Nullable Filter filter, @Nullable ContinuationToken continuation) {
        throw new UnsupportedOperationException();
    }

    /**
     * The plan of a list of an account's tables: a scan of its partition of the registry, the filter on TableName rewritten to
     * one on registry entities, tables that are being deleted left out. Refuses filters on anything else.
     */
    public static QueryPlan ofTables(
            String account, @Nullable Filter filter, @Nullable ContinuationToken continuation) {
        throw new UnsupportedOperationException();
    }
}
