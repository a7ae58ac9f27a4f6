package cleave.frontend.protocol.odata;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ResourceAddressTest {
    private static final String LOCAL = "127.0.0.1:10002";

    private static Resource resource(String path) {
        return ResourceAddress.parse("/acct" + path, LOCAL, AddressStyle.PATH).resource();
    }

    private static Resource entity(String partitionKey, String rowKey) {
        return new Resource.EntityAddress("Orders", partitionKey, rowKey);
    }

    static Stream<Arguments> addresses() {
        return Stream.of(
                Arguments.of("", new Resource.ServiceRoot()),
                Arguments.of("/", new Resource.ServiceRoot()),
                Arguments.of("/$batch/", new Resource.Batch()),
                Arguments.of("/Orders/x", new Resource.BelowTable("Orders")),
                Arguments.of("/Orders/Orders/", new Resource.BelowTable("Orders")),
                Arguments.of("/Orders%2FTables", new Resource.BelowTable("Orders")),
                Arguments.of("/Orders/$batch", new Resource.BelowTable("Orders")),
                Arguments.of("/Orders/Others()", new Resource.BelowTable("Orders")),
                Arguments.of("/Orders/Orders(PartitionKey='p',RowKey='r')", new Resource.BelowTable("Orders")),
                Arguments.of("/Tables(%27Orders%27)", new Resource.Table("Orders")),
                Arguments.of("/Tables('no+name!')", new Resource.Table("no+name!")),
                Arguments.of("/Orders(RowKey='r',PartitionKey='p')", entity("p", "r")),
                Arguments.of("/Orders(PartitionKey='p', RowKey='r')", entity("p", "r")),
                Arguments.of("/Orders(PartitionKey='a%27%27b',RowKey='%27%27')", entity("a'b", "'")),
                Arguments.of("/Orders(PartitionKey='a+b',RowKey='c%2Bd')", entity("a+b", "c+d")),
                Arguments.of(
                        "/Orders(PartitionKey='a,(b)=c',RowKey='PartitionKey=')", entity("a,(b)=c", "PartitionKey=")),
                Arguments.of("/Orders(PartitionKey='z%C3%BCrich',RowKey='%F0%9F%98%80')", entity("zürich", "😀")),
                Arguments.of(
                        "/Orders(PartitionKey='z\u00c3\u00bcrich',RowKey='raw%20bytes')",
                        entity("zürich", "raw bytes")));
    }

    @ParameterizedTest
    @MethodSource("addresses")
    void readsWhatAPathNames(String path, Resource named) {
        assertThat(resource(path)).isEqualTo(named);
    }

    static Stream<Arguments> refusals() {
        return Stream.of(
                Arguments.of("/Orders(PartitionKey='a/b',RowKey='r')", ServiceCode.INVALID_INPUT),
                Arguments.of("/Orders(PartitionKey='%01',RowKey='r')", ServiceCode.INVALID_URI),
                Arguments.of("/Orders(PartitionKey='%7F',RowKey='r')", ServiceCode.INVALID_URI),
                Arguments.of("/Orders(PartitionKey='%C2%80',RowKey='r')", ServiceCode.OUT_OF_RANGE_INPUT),
                Arguments.of("/Orders(PartitionKey='%C2%9F',RowKey='r')", ServiceCode.OUT_OF_RANGE_INPUT),
                Arguments.of("/Orders(PartitionKey='a%23',RowKey='r')", ServiceCode.OUT_OF_RANGE_INPUT),
                Arguments.of("/Orders(PartitionKey='%ED%A0%80',RowKey='r')", ServiceCode.OUT_OF_RANGE_INPUT),
                Arguments.of("/Orders(PartitionKey='a'", ServiceCode.INVALID_INPUT),
                Arguments.of("/Orders(PartitionKey='a')", ServiceCode.INVALID_INPUT),
                Arguments.of("/Orders(PartitionKey='a',PartitionKey='b')", ServiceCode.INVALID_INPUT),
                Arguments.of("/Orders(PartitionKey='a',RowKey='b'", ServiceCode.INVALID_INPUT),
                Arguments.of("/Orders(PartitionKey='a',RowKey='b", ServiceCode.INVALID_INPUT),
                Arguments.of("/Orders(PartitionKey='a',RowKey='b')x", ServiceCode.INVALID_INPUT),
                Arguments.of("/Orders(PartitionKey=a,RowKey=b)", ServiceCode.INVALID_INPUT),
                Arguments.of("/Tables(x)", ServiceCode.INVALID_INPUT),
                Arguments.of("/Orders/x/y", ServiceCode.INVALID_URI),
                Arguments.of("/Orders/x'y", ServiceCode.INVALID_URI),
                Arguments.of("/Orders/(PartitionKey='p',RowKey='r')", ServiceCode.INVALID_URI),
                Arguments.of("/Orders()/x", ServiceCode.INVALID_INPUT),
                Arguments.of("/Orders/x(PartitionKey='a%23',RowKey='r')", ServiceCode.OUT_OF_RANGE_INPUT),
                Arguments.of("/Tables/x", ServiceCode.INVALID_URI),
                Arguments.of("/$batch/x", ServiceCode.INVALID_URI),
                Arguments.of("/no-table/x", ServiceCode.INVALID_URI),
                Arguments.of("/../etc/passwd", ServiceCode.INVALID_URI),
                Arguments.of("/%2e%2e%2fetc", ServiceCode.INVALID_URI),
                Arguments.of("/%", ServiceCode.INVALID_URI),
                Arguments.of("/Orders//", ServiceCode.INVALID_URI),
                Arguments.of("//", ServiceCode.INVALID_URI),
                Arguments.of("/Orders%2F", ServiceCode.INVALID_URI),
                Arguments.of("/%4", ServiceCode.INVALID_URI),
                Arguments.of("/%zz", ServiceCode.INVALID_URI),
                Arguments.of("/a%00b", ServiceCode.INVALID_URI),
                Arguments.of("/Tables('a%0Ab')", ServiceCode.INVALID_URI),
                Arguments.of("/()", ServiceCode.INVALID_URI),
                Arguments.of("/\u20ac", ServiceCode.INVALID_URI));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void refusesHostilePathsWithTheContractsError(String path, ServiceCode code) {
        Refused.with(code, () -> resource(path));
    }

    static Stream<Arguments> syntaxErrors() {
        String syntax = "Bad Request - Error in query syntax.";
        String count =
                "The number of keys specified in the URI does not match number of key properties for the resource ";
        return Stream.of(
                Arguments.of(
                        "/Orders(PartitionKey='\"A'aaa\"_bbbb3',RowKey='r')",
                        "Syntax error: character '\"' is not valid at position 20 in"
                                + " 'PartitionKey='\"A'aaa\"_bbbb3',RowKey='r''."),
                Arguments.of(
                        "/Orders(PartitionKey='p',RowKey='r'%F0%9F%98%80')",
                        "Syntax error: character '\ud83d\ude00' is not valid at position 27 in"
                                + " 'PartitionKey='p',RowKey='r'\ud83d\ude00''."),
                Arguments.of(
                        "/Orders(PartitionKey='a',RowKey='b)",
                        "There is an unterminated string literal at position 26 in 'PartitionKey='a',RowKey='b'."),
                Arguments.of("/Tables('x)", "There is an unterminated string literal at position 2 in ''x'."),
                Arguments.of("/Tables(x!)", "Syntax error: character '!' is not valid at position 1 in 'x!'."),
                Arguments.of("/Orders(PartitionKey='a'RowKey='b')", syntax),
                Arguments.of("/Orders(PartitionKey='a',RowKey='b',)", syntax),
                Arguments.of("/Orders(PartitionKey='a',,RowKey='b')", syntax),
                Arguments.of("/Orders(PartitionKey,RowKey='b')", syntax),
                Arguments.of("/Orders(PartitionKey=1,RowKey='b')", syntax),
                Arguments.of("/Orders(PartitionKey='a',RowKey='b'", syntax),
                Arguments.of("/Orders(PartitionKey='a',RowKey='b')x", syntax),
                Arguments.of("/Orders(PartitionKey='a/b',RowKey='b')", syntax),
                Arguments.of("/Orders(PartitionKey='a',PartitionKey='b')", syntax),
                Arguments.of("/Orders(PartitionKey='a',rowkey='b')", syntax),
                Arguments.of("/Orders('a','b')", syntax),
                Arguments.of("/Tables(TableName='x')", syntax),
                Arguments.of("/Orders/Tables('x')", count + "'acct.Orders'."),
                Arguments.of("/Tables('x','y')", count + "'acct.Tables'."));
    }

    @ParameterizedTest
    @MethodSource("syntaxErrors")
    void aMistakeInTheKeysIsNamedAndWhereItStands(String path, String text) {
        assertThat(Refused.with(ServiceCode.INVALID_INPUT, () -> resource(path)).text())
                .isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "acct.table.core.windows.net,     HOST, acct,  false",
        "ACCT.table.example.net:443,      HOST, acct,  false",
        "[::1]:10002,                     PATH, first, false",
        "localhost,                       PATH, first, false",
        "cleave,                          PATH, first, false",
        "host.docker.internal:10002,      PATH, first, false",
        "'',                              PATH, first, false",
    })
    void hostDecidesWhereTheAccountIs(String host, AddressStyle style, String account, boolean secondary) {
        ResourceAddress address = ResourceAddress.parse(
                style == AddressStyle.HOST ? "/Orders" : "/first/Orders", host, AddressStyle.BY_HOST);
        assertThat(address).isEqualTo(new ResourceAddress(account, secondary, style, new Resource.EntitySet("Orders")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "//Orders", "*", "Orders"})
    void pathStyleNeedsAnAccount(String path) {
        Refused.with(ServiceCode.INVALID_URI, () -> ResourceAddress.parse(path, LOCAL, AddressStyle.PATH));
    }

    @Test
    void hostStyleNeedsAHost() {
        Refused.with(
                ServiceCode.HOST_INFORMATION_NOT_PRESENT,
                () -> ResourceAddress.parse("/Orders", "", AddressStyle.HOST));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://127.0.0.1:10002/acct/Orders",
                "https://elsewhere.example.net/acct/Orders",
                "/acct/Orders",
                "/acct/Orders/",
                "/acct-secondary/Orders",
                "http://127.0.0.1:10002/Orders",
                "/Orders",
                "/Orders()/"
            })
    void innerAddressesAreAbsoluteUrisOrPaths(String uri) {
        ResourceAddress outer = ResourceAddress.parse("/acct/$batch", LOCAL, AddressStyle.PATH);
        assertThat(ResourceAddress.parseInner(uri, outer).resource()).isEqualTo(new Resource.EntitySet("Orders"));
    }

    @Test
    void anInnerAddressThatIsTheAccountNamesNoTable() {
        ResourceAddress outer = ResourceAddress.parse("/acct/$batch", LOCAL, AddressStyle.PATH);
        assertThat(ResourceAddress.parseInner("/acct", outer).resource()).isEqualTo(new Resource.ServiceRoot());
        assertThat(ResourceAddress.parseInner("/acct/", outer).resource()).isEqualTo(new Resource.ServiceRoot());
        assertThat(ResourceAddress.parseInner("/acct()", outer).resource()).isEqualTo(new Resource.EntitySet("acct"));
    }

    @Test
    void innerAddressesInHostStyleHaveNoAccountInTheirPath() {
        ResourceAddress outer = ResourceAddress.parse("/$batch", "acct.table.example.net", AddressStyle.HOST);
        assertThat(ResourceAddress.parseInner("https://other.table.example.net/Orders()", outer))
                .isEqualTo(new ResourceAddress("acct", false, AddressStyle.HOST, new Resource.EntitySet("Orders")));
    }

    @Test
    void innerAddressesStayInTheAccount() {
        ResourceAddress outer = ResourceAddress.parse("/acct/$batch", LOCAL, AddressStyle.PATH);
        Refused.with(
                ServiceCode.INVALID_INPUT,
                () -> ResourceAddress.parseInner("http://127.0.0.1:10002/other/Orders", outer));
        Refused.with(ServiceCode.INVALID_INPUT, () -> ResourceAddress.parseInner("/other/Orders", outer));
        Refused.with(ServiceCode.INVALID_URI, () -> ResourceAddress.parseInner("Orders", outer));
    }
}
