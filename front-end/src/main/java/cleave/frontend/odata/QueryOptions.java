package cleave.frontend.odata;

import cleave.model.Filter;
import org.jspecify.annotations.Nullable;

/**
 * What a read asks for in its query string, checked. Immutable.
 *
 * @param filter null: all
 * @param top entities or tables a page at most, 0..1000
 * @param continuation null: from the beginning
 */
public record QueryOptions(
        @Nullable Filter filter, Selection selection, int top, @Nullable ContinuationToken continuation) {
    public static final int TOP_MAX = 1000;
    public static final int TIMEOUT_SECONDS_MAX = 30;

    /** Those of a query of entities. */
    public static QueryOptions ofEntityQuery(QueryString query) {
        throw new UnsupportedOperationException();
    }

    /** Those of a query of tables. */
    public static QueryOptions ofTableQuery(QueryString query) {
        throw new UnsupportedOperationException();
    }

    /** Those of a point get: only {@code $select} counts. */
    public static QueryOptions ofPointGet(QueryString query) {
        throw new UnsupportedOperationException();
    }

    /** The seconds that the request may take: its {@code timeout}, at most 30, which is also the default. */
    public static int timeoutSeconds(QueryString query) {
        throw new UnsupportedOperationException();
    }
}
