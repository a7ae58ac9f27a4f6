package cleave.frontend.core;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.request.Answer;
import cleave.frontend.request.Request;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GateTest {
    private final CoreClient client = new CoreClient();

    private static SignedHeaders local() {
        return new SignedHeaders().with("Host", "127.0.0.1:10002").with("Accept", "application/json");
    }

    private Answer refusal(String verb, String rawPath, SignedHeaders headers) {
        Request request = Request.of("id", verb, rawPath, "http", "127.0.0.1", headers);
        try {
            throw new AssertionError("let in: " + client.admit(request));
        } catch (cleave.frontend.protocol.odata.ServiceError error) {
            return client.refuse(request, error);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "PUT, /Tables, 405",
        "DELETE, /Tables, 405",
        "POST, /Tables('a'), 405",
        "PUT, /Orders, 405",
        "DELETE, /Orders(), 405",
        "'POST', '/Orders(PartitionKey=''p'',RowKey=''r'')', 405",
        "GET, /$batch, 405",
        "TRACE, /Orders, 405",
        "BREW, /Orders, 405",
        "POST, /Orders?comp=acl, 405",
        "DELETE, /Orders?comp=acl, 405",
        "GET, /Orders?restype=service&comp=acl, 400",
        "GET, /Orders?restype=table, 400",
        "GET, /Tables?comp=acl, 400",
        "'GET', '/Orders(PartitionKey=''p'',RowKey=''r'')?comp=acl', 400",
        "DELETE, /?restype=service&comp=properties, 405",
        "PUT, /?restype=service&comp=stats, 405",
        "GET, /?restype=service&comp=stats, 400",
        "GET, /?comp=properties, 400",
        "GET, /?restype=service, 400",
        "GET, /Orders?comp=nonsense, 400",
        "GET, /?restype=account&comp=properties, 400",
        "GET, /, 400",
        "GET, /Orders/Orders, 501",
        "GET, /Orders/Tables, 501",
        "GET, /Orders/$batch, 501",
        "PUT, /Orders/Orders, 501",
        "'GET', '/Orders/Orders(PartitionKey=''p'',RowKey=''r'')', 501",
        "'PUT', '/Orders/Orders(PartitionKey=''p'',RowKey=''r'')', 501",
        "'MERGE', '/Orders/Orders(PartitionKey=''p'',RowKey=''r'')', 501",
        "'DELETE', '/Orders/Orders(PartitionKey=''p'',RowKey=''r'')', 501",
        "DELETE, /Orders/Tables('Orders'), 400",
        "GET, /Orders/Orders?comp=acl, 400",
        "GET, /Orders/x/y, 400"
    })
    void whatThereIsNotIsRefused(String verb, String target, int status) {
        assertThat(client.ask(verb, target).status()).isEqualTo(status);
        assertThat(client.cluster.calls()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "*",
                "Orders",
                "//",
                "/devstoreaccount1/%",
                "/devstoreaccount1/%zz",
                "/devstoreaccount1/Orders(PartitionKey='a'",
                "/devstoreaccount1/../../etc/passwd",
                "/devstoreaccount1/Orders(PartitionKey='%00',RowKey='')",
                "/devstoreaccount1/a/b/c/d"
            })
    void hostilePathsAreTheClientsMistake(String rawPath) {
        SignedHeaders headers = local().signed(rawPath.isEmpty() ? "/" : rawPath, client.loop.ticks());

        assertThat(refusal("GET", rawPath, headers).status()).isBetween(400, 499);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/nobody/Tables", "/Tables", "/devstoreaccount/Tables"})
    void unknownAccountsAreForbidden(String path) {
        assertThat(refusal("GET", path, local().signed(path, client.loop.ticks()))
                        .status())
                .isEqualTo(403);
    }

    @Test
    void hostsThatAreNoneAreRefused() {
        for (String host : List.of("", "a b", "evil\"host", "x/../y", "h".repeat(300))) {
            SignedHeaders headers = new SignedHeaders().with("Host", host).with("Accept", "application/json");

            assertThat(refusal("GET", "/devstoreaccount1/Tables", headers).status())
                    .isEqualTo(400);
        }
        assertThat(refusal("GET", "/devstoreaccount1/Tables", new SignedHeaders())
                        .status())
                .isEqualTo(400);
    }

    @ParameterizedTest
    @CsvSource({"2019-02-02,200", "2099-12-31,200", "2009-09-19,200", "2009-09-18,400", "2019-13-01,400", "latest,400"})
    void versionsFromTheFirstOfOldClientsOnAreAccepted(String version, int status) {
        SignedHeaders headers = local().with("x-ms-version", version);

        assertThat(client.ask("GET", "/Tables", headers, "").status()).isEqualTo(status);
    }

    @Test
    void aTargetMayBeAbsolute() {
        Request request = Request.of("id", "GET", "http://other:99/a/b?c=d", "http", "127.0.0.1", local());
        Request bare = Request.of("id", "GET", "http://other?c", "http", "127.0.0.1", local());

        assertThat(request.rawPath()).isEqualTo("/a/b");
        assertThat(request.rawQuery()).isEqualTo("c=d");
        assertThat(bare.rawPath()).isEqualTo("/");
        assertThat(bare.rawQuery()).isEqualTo("c");
    }

    /** The refusal of a request whose query is wrong is made of that query, too. */
    @ParameterizedTest
    @ValueSource(strings = {"/Tables", "/Nothing()", "/Orders()", "/Orders(PartitionKey='p',RowKey='r')"})
    void anOptionThatStandsTwiceIsTheClientsMistakeWhicheverItIs(String target) {
        client.table("Orders");
        for (String name : List.of("$format", "comp", "restype", "timeout", "api-version")) {
            assertThat(client.ask("GET", target + "?" + name + "=1&" + name + "=2")
                            .status())
                    .as(name)
                    .isEqualTo(400);
        }
        for (String name : List.of("$format", "comp", "sig", "sv", "tn")) {
            String twice = "/devstoreaccount1" + target + "?" + name + "=1&" + name + "=2";
            assertThat(refusal("GET", twice, local()).status()).as(name).isBetween(400, 403);
        }
        assertThat(client.metric("cleave_front_end_faults_total")).isZero();
    }
}
