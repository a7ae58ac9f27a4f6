package cleave.frontend.protocol.odata;

import cleave.model.Limits;
import cleave.model.entity.Filter;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The query options of a read, checked. Immutable.
 *
 * @param filter null: everything matches
 * @param top maximum entities or tables per page, 0..1000
 * @param continuation null: begin with the first
 */
public record QueryOptions(
        @Nullable Filter filter,
        Selection selection,
        int top,
        @Nullable ContinuationToken continuation) {
    public static final int TOP_MAX = Limits.PAGE_ENTITIES_MAX;
    public static final int TIMEOUT_SECONDS_MAX = 30;

    private static final Set<String> KNOWN = Set.of("$filter", "$select", "$top", "$format");
    private static final Set<String> NOT_IMPLEMENTED =
            Set.of("$skip", "$skiptoken", "$orderby", "$expand", "$inlinecount", "$count", "$search", "$apply");

    /** The options of a query of entities. */
    public static QueryOptions ofEntityQuery(QueryString query) {
        checkSystemOptions(query);
        return new QueryOptions(
                filter(query),
                Selection.parse(query.value("$select")),
                top(query),
                ContinuationToken.parseEntities(query.value("NextPartitionKey"), query.value("NextRowKey")));
    }

    /** The options of a query of tables. */
    public static QueryOptions ofTableQuery(QueryString query) {
        checkSystemOptions(query);
        return new QueryOptions(
                filter(query),
                Selection.parse(query.value("$select")),
                top(query),
                ContinuationToken.parseTables(query.value("NextTableName")));
    }

    /** The options of a point get: only {@code $select} and {@code $filter} have an effect. */
    public static QueryOptions ofPointGet(QueryString query) {
        checkSystemOptions(query);
        return new QueryOptions(filter(query), Selection.parse(query.value("$select")), 1, null);
    }

    /** The time limit of the request in seconds: its {@code timeout}; 30 is the maximum and the default. */
    public static int timeoutSeconds(QueryString query) {
        String text = query.value("timeout");
        if (text == null) {
            return TIMEOUT_SECONDS_MAX;
        }
        if (!isNumber(text.startsWith("-") ? text.substring(1) : text)) {
            throw ServiceError.of(ServiceCode.INVALID_QUERY_PARAMETER_VALUE);
        }
        int seconds = text.startsWith("-") ? 0 : bounded(text, TIMEOUT_SECONDS_MAX);
        if (seconds == 0) {
            throw ServiceError.of(ServiceCode.OUT_OF_RANGE_QUERY_PARAMETER_VALUE);
        }
        return seconds;
    }

    private static void checkSystemOptions(QueryString query) {
        query.forEachName(QueryOptions::checkSystemOption);
    }

    private static void checkSystemOption(String name) {
        if (name.startsWith("$") && !KNOWN.contains(name)) {
            throw ServiceError.of(
                    NOT_IMPLEMENTED.contains(name) ? ServiceCode.NOT_IMPLEMENTED : ServiceCode.INVALID_INPUT);
        }
    }

    private static @Nullable Filter filter(QueryString query) {
        String text = query.value("$filter");
        return text == null || text.isBlank() ? null : FilterParser.parse(text);
    }

    private static int top(QueryString query) {
        String text = query.value("$top");
        if (text == null) {
            return TOP_MAX;
        }
        int top = isNumber(text) ? bounded(text, TOP_MAX + 1) : -1;
        if (top < 0 || top > TOP_MAX) {
            throw ServiceError.of(ServiceCode.INVALID_INPUT);
        }
        return top;
    }

    private static boolean isNumber(String text) {
        return !text.isEmpty() && text.chars().allMatch(c -> Text.isDigit((char) c));
    }

    /** The value of these digits, limited to the bound. */
    private static int bounded(String digits, int bound) {
        int value = 0;
        for (int i = 0; i < digits.length(); i++) {
            value = Math.min(value * 10 + (digits.charAt(i) - '0'), bound);
        }
        return value;
    }
}
