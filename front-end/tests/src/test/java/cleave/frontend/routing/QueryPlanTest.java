package cleave.frontend.routing;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.protocol.odata.ContinuationToken;
import cleave.frontend.protocol.odata.FilterParser;
import cleave.frontend.protocol.odata.Refused;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.entity.EntityCodec;
import cleave.model.entity.FilterEvaluator;
import cleave.model.table.Registry;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QueryPlanTest {
    private static final long TABLE = 5;

    private static QueryPlan plan(String filter) {
        return QueryPlan.ofEntities(TABLE, FilterParser.parse(filter), null);
    }

    private static KeyRange range(QueryPlan plan) {
        KeyRange range = Objects.requireNonNull(plan.range());
        return range;
    }

    @Test
    void withoutFilterTheTableIsScanned() {
        QueryPlan plan = QueryPlan.ofEntities(TABLE, null, null);
        assertThat(plan.queryClass()).isEqualTo(QueryClass.TABLE_SCAN);
        assertThat(plan.range()).isEqualTo(KeyRange.ofTable(TABLE));
        assertThat(plan.filter()).isNull();
    }

    @Test
    void aConstantDecidesThePlanAndIsNotPushedDown() {
        assertThat(plan("true")).isEqualTo(QueryPlan.ofEntities(TABLE, null, null));
        assertThat(plan("false").range()).isNull();
        assertThat(plan("PartitionKey eq 'a' and false").range()).isNull();
        assertThat(plan("PartitionKey eq 'a' and true")).isEqualTo(plan("PartitionKey eq 'a'"));
        assertThat(QueryPlan.ofTables("acct", FilterParser.parse("true"), null))
                .isEqualTo(QueryPlan.ofTables("acct", null, null));
        assertThat(QueryPlan.ofTables("acct", FilterParser.parse("false"), null).range())
                .isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "A eq 1",
                "RowKey eq 'r'",
                "PartitionKey ne 'a'",
                "PartitionKey eq 5",
                "PartitionKey lt 5",
                "not (PartitionKey eq guid'a455c695-df98-5678-aaaa-81d3367e5a34')",
                "not (PartitionKey eq 'a')",
                "PartitionKey eq 'a' or A eq 1",
                "PartitionKey ge ''",
                "PartitionKey lt 'm' or PartitionKey ge 'm'",
                "not Flag",
                "Timestamp ge datetime'2024-01-01'"
            })
    void whatBoundsNoPartitionKeyIsATableScan(String filter) {
        assertThat(plan(filter).queryClass()).isEqualTo(QueryClass.TABLE_SCAN);
        assertThat(plan(filter).range()).isEqualTo(KeyRange.ofTable(TABLE));
    }

    @Test
    void bothKeysGivenIsAPoint() {
        Key key = Key.of(TABLE, "a", "x");
        for (String filter : new String[] {
            "PartitionKey eq 'a' and RowKey eq 'x'",
            "'x' eq RowKey and 'a' eq PartitionKey and A gt 5",
            "not (PartitionKey ne 'a' or RowKey ne 'x')",
            "PartitionKey ge 'a' and PartitionKey le 'a' and RowKey ge 'x' and RowKey le 'x'",
            "(PartitionKey eq 'a' and RowKey eq 'x') or (PartitionKey eq 'a' and RowKey eq 'x' and B)"
        }) {
            assertThat(plan(filter).queryClass()).as(filter).isEqualTo(QueryClass.POINT);
            assertThat(plan(filter).range()).as(filter).isEqualTo(new KeyRange(key, key.next()));
        }
    }

    @Test
    void boundedRowKeyIsARowRange() {
        QueryPlan plan = plan("PartitionKey eq 'a' and RowKey ge 'x' and RowKey lt 'y'");
        assertThat(plan.queryClass()).isEqualTo(QueryClass.ROW_RANGE);
        assertThat(plan.range()).isEqualTo(new KeyRange(Key.of(TABLE, "a", "x"), Key.of(TABLE, "a", "y")));
        KeyRange open = range(plan("PartitionKey eq 'a' and RowKey gt 'x'"));
        assertThat(open).isEqualTo(new KeyRange(Key.of(TABLE, "a", "x").next(), Key.afterPartition(TABLE, "a")));
        KeyRange upTo = range(plan("PartitionKey eq 'a' and not (RowKey gt 'x')"));
        assertThat(upTo.contains(Key.of(TABLE, "a", ""))).isTrue();
        assertThat(upTo.contains(Key.of(TABLE, "a", "x"))).isTrue();
        assertThat(upTo.contains(Key.of(TABLE, "a", "x "))).isFalse();
    }

    @Test
    void pointsOfOnePartitionHaveTheirHull() {
        QueryPlan plan = plan("PartitionKey eq 'a' and (RowKey eq 'x' or RowKey eq 'z' or RowKey eq 'y')");
        assertThat(plan.queryClass()).isEqualTo(QueryClass.ROW_RANGE);
        assertThat(plan.range())
                .isEqualTo(new KeyRange(
                        Key.of(TABLE, "a", "x"), Key.of(TABLE, "a", "z").next()));
    }

    @Test
    void pointsOfSeveralPartitionsHaveTheirHull() {
        QueryPlan plan = plan("(PartitionKey eq 'b' and RowKey eq 'x') or (PartitionKey eq 'a' and RowKey eq 'z')");
        assertThat(plan.queryClass()).isEqualTo(QueryClass.PARTITION_RANGE);
        assertThat(plan.range())
                .isEqualTo(new KeyRange(
                        Key.of(TABLE, "a", "z"), Key.of(TABLE, "b", "x").next()));
    }

    @Test
    void onePartitionOrSeveralAreAPartitionRange() {
        QueryPlan one = plan("PartitionKey eq 'a' and A eq 1");
        assertThat(one.queryClass()).isEqualTo(QueryClass.PARTITION_RANGE);
        assertThat(one.range())
                .isEqualTo(new KeyRange(Key.beforePartition(TABLE, "a"), Key.afterPartition(TABLE, "a")));
        QueryPlan several = plan("PartitionKey ge 'a' and PartitionKey lt 'c'");
        assertThat(several.queryClass()).isEqualTo(QueryClass.PARTITION_RANGE);
        assertThat(several.range())
                .isEqualTo(new KeyRange(Key.beforePartition(TABLE, "a"), Key.beforePartition(TABLE, "c")));
        assertThat(range(plan("PartitionKey gt 'a'")).start()).isEqualTo(Key.afterPartition(TABLE, "a"));
        assertThat(range(plan("PartitionKey le 'a'")).end()).isEqualTo(Key.afterPartition(TABLE, "a"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "PartitionKey eq 'a' and PartitionKey eq 'b'",
                "PartitionKey eq 'a' and RowKey lt 'x' and RowKey gt 'y'",
                "PartitionKey lt ''",
                "RowKey lt ''",
                "PartitionKey gt 'b' and PartitionKey lt 'b'"
            })
    void contradictionsExamineNothing(String filter) {
        assertThat(plan(filter).range()).isNull();
    }

    @Test
    void zeroBytesInConstantsCutNoRowsOff() {
        KeyRange range = range(plan("PartitionKey le 'a\0b'"));
        assertThat(range.contains(Key.of(TABLE, "a", "zzz"))).isTrue();
        assertThat(range.contains(Key.of(TABLE, "a ", ""))).isFalse();
        assertThat(range(plan("PartitionKey ge 'a\0b'")).contains(Key.of(TABLE, "a", "zzz")))
                .isFalse();
    }

    /** What the bounds of one partition say is not evaluated for each entity again. */
    @ParameterizedTest
    @CsvSource(quoteCharacter = '"', delimiter = '|', textBlock = """
            PartitionKey eq 'a'                                             | true
            PartitionKey eq 'a' and RowKey eq 'r'                           | true
            RowKey ge 'r' and PartitionKey eq 'a' and RowKey lt 's'         | true
            PartitionKey eq 'a' and RowKey ne 'r'                           | false
            PartitionKey eq 'a' and A eq 1                                  | false
            PartitionKey eq 'a' and RowKey ge 5                             | false
            PartitionKey eq 'a' and (RowKey eq 'r' or RowKey eq 's')        | false
            PartitionKey eq 'a' and not (RowKey lt 'r')                     | false
            PartitionKey ge 'a' and RowKey ge 'r'                           | false
            """)
    void aFilterOfTheKeysOfOnePartitionIsLeftOut(String filter, boolean isLeftOut) {
        assertThat(plan(filter).filter() == null).isEqualTo(isLeftOut);
    }

    /** In bounds a zero stands for what comes after a key, so they say nothing exact of a key that has one. */
    @ParameterizedTest
    @ValueSource(strings = {"PartitionKey eq 'a\0b'", "PartitionKey eq 'a' and RowKey ge 'r\0s'"})
    void aFilterWithAZeroStays(String filter) {
        assertThat(plan(filter).filter()).isNotNull();
    }

    @Test
    void continuationMovesTheStartAndNeverBack() {
        ContinuationToken inside = ContinuationToken.ofEntities(Key.of(1, "b", "r"));
        QueryPlan plan =
                QueryPlan.ofEntities(TABLE, FilterParser.parse("PartitionKey ge 'a' and PartitionKey lt 'c'"), inside);
        assertThat(plan.range()).isEqualTo(new KeyRange(Key.of(TABLE, "b", "r"), Key.beforePartition(TABLE, "c")));
        QueryPlan later = QueryPlan.ofEntities(TABLE, FilterParser.parse("PartitionKey ge 'x'"), inside);
        assertThat(range(later).start()).isEqualTo(Key.beforePartition(TABLE, "x"));
        QueryPlan behind = QueryPlan.ofEntities(TABLE, FilterParser.parse("PartitionKey lt 'a'"), inside);
        assertThat(behind.range()).isNull();
        assertThat(behind.queryClass()).isEqualTo(QueryClass.PARTITION_RANGE);
    }

    private static boolean lists(QueryPlan plan, String name, boolean deleting) {
        Key key = Registry.key("acct", name);
        byte[] entry = EntityCodec.encode(new Registry(9, name, deleting).toEntity());
        return plan.range() != null
                && plan.range().contains(key)
                && plan.filter() != null
                && FilterEvaluator.matches(plan.filter(), key, entry);
    }

    @Test
    void tablesAreTheAccountsPartitionOfTheRegistry() {
        QueryPlan plan = QueryPlan.ofTables("acct", null, null);
        assertThat(plan.range()).isEqualTo(new KeyRange(Key.of(0, "acct", ""), Key.afterPartition(0, "acct")));
        assertThat(lists(plan, "Orders", false)).isTrue();
        assertThat(lists(plan, "Orders", true)).isFalse();
        assertThat(range(plan).contains(Registry.key("acct2", "Orders"))).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "TableName eq 'Orders',Orders,true",
                "TableName eq 'Orders',orders,false",
                "TableName ge 'log' and TableName lt 'loh',log,true",
                "TableName ge 'log' and TableName lt 'loh',logZ9,true",
                "TableName ge 'log' and TableName lt 'loh',loh,false",
                "TableName ge 'log' and TableName lt 'loh',Log,false",
                "TableName ge 'Log' and TableName lt 'Loh',LogZ,true",
                "TableName lt 'b',Zebra,true",
                "TableName gt 'Zebra',apple,true",
                "not (TableName eq 'Orders'),Other,true",
                "TableName eq 'Aa' or TableName eq 'Zz',Zz,true",
            })
    void filtersMeanNamesAsTheyWereCreated(String filter, String name, boolean listed) {
        QueryPlan plan = QueryPlan.ofTables("acct", FilterParser.parse(filter), null);
        assertThat(lists(plan, name, false)).isEqualTo(listed);
    }

    @Test
    void namesBoundTheScanOfTheRegistry() {
        QueryPlan point = QueryPlan.ofTables("acct", FilterParser.parse("TableName eq 'Orders'"), null);
        Key key = Registry.key("acct", "Orders");
        assertThat(point.queryClass()).isEqualTo(QueryClass.POINT);
        assertThat(point.range()).isEqualTo(new KeyRange(key, key.next()));
        QueryPlan prefix =
                QueryPlan.ofTables("acct", FilterParser.parse("TableName ge 'log' and TableName lt 'loh'"), null);
        assertThat(prefix.queryClass()).isEqualTo(QueryClass.ROW_RANGE);
        assertThat(range(prefix).start()).isEqualTo(Registry.key("acct", "log"));
        assertThat(range(prefix).contains(Registry.key("acct", "lpx"))).isFalse();
    }

    @Test
    void tablesGoOnAtTheirToken() {
        ContinuationToken token = ContinuationToken.ofTables(Registry.key("acct", "M"));
        assertThat(range(QueryPlan.ofTables("acct", null, token)).start()).isEqualTo(Registry.key("acct", "m"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"Name eq 'x'", "Flag", "TableName eq 'a' or A eq 1", "not PartitionKey eq 'a'"})
    void filtersOnAnythingElseAreRefused(String filter) {
        Refused.with(ServiceCode.INVALID_INPUT, () -> QueryPlan.ofTables("acct", FilterParser.parse(filter), null));
    }
}
