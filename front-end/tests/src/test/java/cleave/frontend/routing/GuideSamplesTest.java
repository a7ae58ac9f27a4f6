package cleave.frontend.routing;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.protocol.odata.AddressStyle;
import cleave.frontend.protocol.odata.FilterParser;
import cleave.frontend.protocol.odata.Refused;
import cleave.frontend.protocol.odata.Resource;
import cleave.frontend.protocol.odata.ResourceAddress;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.model.Key;
import cleave.model.KeyRange;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Samples of the design guides that are wrong, and what docs/differences.md says is right. */
class GuideSamplesTest {
    private static final long TABLE = 5;

    private static ResourceAddress address(String path) {
        return ResourceAddress.parse(path, "127.0.0.1", AddressStyle.PATH);
    }

    private static QueryPlan plan(String filter) {
        return QueryPlan.ofEntities(TABLE, FilterParser.parse(filter), null);
    }

    @Test
    void anAddressHasBothKeysOrNone() {
        Refused.with(ServiceCode.INVALID_INPUT, () -> address("/a/EmployeeExpense(PartitionKey='empid')"));

        assertThat(address("/a/EmployeeExpense()").resource()).isEqualTo(new Resource.EntitySet("EmployeeExpense"));
        assertThat(plan("PartitionKey eq 'empid'").queryClass()).isEqualTo(QueryClass.PARTITION_RANGE);
    }

    @Test
    void keysStandInStraightQuotes() {
        Refused.with(
                ServiceCode.INVALID_INPUT,
                () -> address("/a/registrations(PartitionKey=%E2%80%9Dp%E2%80%9D,RowKey=%E2%80%9Dr%E2%80%9D)"));

        assertThat(address("/a/registrations(PartitionKey='p',RowKey='r')").resource())
                .isEqualTo(new Resource.EntityAddress("registrations", "p", "r"));
    }

    /** A word without quotes is the name of a property, which has no {@code @}, and two properties cannot be compared. */
    @Test
    void constantsStandInStraightQuotes() {
        Refused.with(
                ServiceCode.INVALID_INPUT,
                () -> FilterParser.parse("(PartitionKey eq 'Sales') and (RowKey eq email_jonesj@contoso.com"));
        Refused.with(
                ServiceCode.NOT_IMPLEMENTED,
                () -> FilterParser.parse("(PartitionKey eq 'Sales') and (RowKey eq email_jonesj)"));
        Refused.with(
                ServiceCode.INVALID_INPUT,
                () -> FilterParser.parse(
                        "(PartitionKey eq \u2019Sales\u2019) and (RowKey eq \u2019empid_000223\u2019)"));
    }

    @Test
    void theRightFormIsAPointQuery() {
        assertThat(plan("(PartitionKey eq 'Sales') and (RowKey eq 'email_jonesj@contoso.com')")
                        .queryClass())
                .isEqualTo(QueryClass.POINT);
    }

    @Test
    void anIntervalThatEndsBeforeItBeginsIsEmpty() {
        assertThat(plan("(PartitionKey eq 'Sales') and (RowKey ge 'empid_000123') and (RowKey lt '000123_2012')")
                        .range())
                .isNull();

        KeyRange right = Objects.requireNonNull(
                plan("(PartitionKey eq 'Sales') and (RowKey ge '000123_') and (RowKey lt '000124')")
                        .range());
        assertThat(right.contains(Key.of(TABLE, "Sales", "000123_2012"))).isTrue();
        assertThat(right.contains(Key.of(TABLE, "Sales", "000124_2011"))).isFalse();
        assertThat(right.contains(Key.of(TABLE, "Sales", "empid_000123"))).isFalse();
    }

    @Test
    void keysThatAreJoinedByOrAreARowRange() {
        assertThat(plan("PartitionKey eq 'Sales' and (RowKey eq '121' or RowKey eq '322')")
                        .queryClass())
                .isEqualTo(QueryClass.ROW_RANGE);
    }
}
