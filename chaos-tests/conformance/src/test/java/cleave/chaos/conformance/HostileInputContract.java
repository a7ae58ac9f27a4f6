package cleave.chaos.conformance;

import static cleave.chaos.conformance.RawTable.assertRefused;
import static cleave.chaos.conformance.RawTable.json;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.client.Answer;
import cleave.client.Connection;
import cleave.client.Endpoint;
import cleave.client.Request;
import cleave.client.Requests;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Bad input costs the sender an error and nobody else anything (invariant I10). A client's mistake never gets a 5xx but the 501 of the
 * contract, and after each of these the service still serves.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class HostileInputContract {
    private static final int NESTING = 100_000;
    private static final int FUZZED = 150;

    private final Endpoint endpoint;
    private RawTable table;

    HostileInputContract(Endpoint endpoint) {
        this.endpoint = endpoint;
    }

    @BeforeAll
    void createTable() throws IOException {
        table = RawTable.create(endpoint);
        assertThat(table.insert("p", "r").status()).isEqualTo(204);
    }

    @AfterEach
    void theServiceStillServes() throws IOException {
        assertThat(table.get("p", "r").status()).isEqualTo(200);
    }

    // Entities.

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "}",
                "[]",
                "null",
                "42",
                "\"text\"",
                "{nonsense",
                "{\"PartitionKey\"",
                "{\"PartitionKey\":}",
                "{\"PartitionKey\":\"p\",}",
                "{\"PartitionKey\":\"p\",\"RowKey\":\"x\"} trailing",
                "{\"PartitionKey\":\"p\",\"RowKey\":\"x\",\"A\":[1]}",
                "{\"PartitionKey\":\"p\",\"RowKey\":\"x\",\"A\":{}}",
                "{\"PartitionKey\":\"p\",\"RowKey\":\"x\",\"A\":01}",
                "{\"PartitionKey\":\"p\",\"RowKey\":\"x\",\"A\":NaN}",
                "{\"PartitionKey\":\"p\",\"RowKey\":\"x\",\"A\":\"\\ud800\"}",
                "{\"PartitionKey\":\"p\",\"RowKey\":\"x\",\"A\":\"\\u12\"}",
                "{\"PartitionKey\":\"p\",\"RowKey\":\"x\",\"A\":\"5\",\"A@odata.type\":\"Edm.Nothing\"}",
                "{\"PartitionKey\":\"p\",\"RowKey\":\"x\",\"A\":\"five\",\"A@odata.type\":\"Edm.Int64\"}",
                "{\"PartitionKey\":\"p\",\"RowKey\":\"x\",\"A\":\"9223372036854775808\",\"A@odata.type\":\"Edm.Int64\"}",
                "{\"PartitionKey\":\"p\",\"RowKey\":\"x\",\"A\":\"\",\"A@odata.type\":\"Edm.DateTime\"}",
                "{\"PartitionKey\":\"p\",\"RowKey\":\"x\",\"A\":\"not-a-guid\",\"A@odata.type\":\"Edm.Guid\"}",
                "{\"PartitionKey\":\"p\",\"RowKey\":\"x\",\"A\":\"***\",\"A@odata.type\":\"Edm.Binary\"}",
                "{\"PartitionKey\":\"p\",\"RowKey\":\"x\",\"A\":1e999}"
            })
    void bodiesThatAreNoEntitiesAreRefused(String body) throws IOException {
        Answer answer = table.exchange(table.requests().insert(table.name(), body));
        assertThat(answer.status()).as(answer.toString()).isEqualTo(400);
        assertThat(answer.errorCode()).isNotEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"RowKey":"x"}                                                     | PropertiesNeedValue
            {"PartitionKey":"p"}                                               | PropertiesNeedValue
            {"PartitionKey":null,"RowKey":"x"}                                 | PropertiesNeedValue
            {"PartitionKey":"p","RowKey":"a/b"}                                | OutOfRangeInput
            {"PartitionKey":"p","RowKey":"a\\\\b"}                             | OutOfRangeInput
            {"PartitionKey":"p","RowKey":"a#b"}                                | OutOfRangeInput
            {"PartitionKey":"p","RowKey":"a?b"}                                | OutOfRangeInput
            {"PartitionKey":"p","RowKey":"a\\u0000b"}                          | OutOfRangeInput
            {"PartitionKey":"p","RowKey":"a\\u001fb"}                          | OutOfRangeInput
            {"PartitionKey":"p","RowKey":"a\\u0085b"}                          | OutOfRangeInput
            {"PartitionKey":"p","RowKey":"a\\ud800"}                           | OutOfRangeInput
            {"PartitionKey":"p","RowKey":"x","A":"\\udc00"}                    | InvalidInput
            {"PartitionKey":"p","RowKey":"x","A":1,"A":2}                      | DuplicatePropertiesSpecified
            {"PartitionKey":"p","RowKey":"x","1A":1}                           | PropertyNameInvalid
            {"PartitionKey":"p","RowKey":"x","A B":1}                          | PropertyNameInvalid
            {"PartitionKey":"p","RowKey":"x","A":"0001-01-01T00:00:00Z","A@odata.type":"Edm.DateTime"} | OutOfRangeInput
            """)
    void entitiesThatBreakARuleAreRefusedByName(String body, String code) throws IOException {
        assertRefused(table.exchange(table.requests().insert(table.name(), body)), 400, code);
    }

    @Test
    void deepJsonIsRefused() throws IOException {
        String deep = json("p", "deep", "\"A\":" + "[".repeat(NESTING));
        assertThat(table.exchange(table.requests().insert(table.name(), deep)).status())
                .isEqualTo(400);
    }

    @Test
    void aBodyThatIsTooLargeIsRefused() throws IOException {
        String large = json("p", "large", "\"A\":\"" + "x".repeat((4 << 20) + 1000) + "\"");
        try (Connection connection = table.connect()) {
            sendAsFarAsTaken(connection, table.requests().insert(table.name(), large));
            assertRefused(connection.receive(), 413, "RequestBodyTooLarge");
        }
    }

    @Test
    void anAnnouncedBodyThatIsTooLargeIsRefusedBeforeItComes() throws IOException {
        Request announced = table.requests()
                .sign(Request.json("POST", table.path())
                        .with("Content-Type", "application/json")
                        .with("Content-Length", "99999999999"));
        try (Connection connection = Connection.open(endpoint, Duration.ofSeconds(30))) {
            connection.send(announced);
            assertThat(connection.receive().status()).isIn(400, 413);
        }
    }

    @Test
    void invalidUtf8IsRefused() throws IOException {
        byte[] body = json("p", "utf8", "\"A\":\"?\"").getBytes(StandardCharsets.UTF_8);
        body[body.length - 3] = (byte) 0xff;
        Request insert =
                table.requests().sign(Request.json("POST", table.path()).body("application/json", body));
        assertThat(table.exchange(insert).status()).isEqualTo(400);
    }

    // Filters.

    @Test
    void aHundredThousandParenthesesAreRefused() throws IOException {
        refusedFilter("(".repeat(NESTING));
    }

    @Test
    void deepFiltersAreRefused() throws IOException {
        refusedFilter("(".repeat(5_000) + "A eq 1" + ")".repeat(5_000));
        refusedFilter("not ".repeat(5_000) + "A");
        refusedFilter("A eq 1" + " and A eq 1".repeat(2_900));
    }

    /** Sends the filter in a query. It may be longer than any address; then the address is refused. */
    private void refusedFilter(String filter) throws IOException {
        try (Connection connection = table.connect()) {
            sendAsFarAsTaken(
                    connection, table.requests().query(table.name(), List.of("$filter=" + filter.replace(" ", "%20"))));
            assertThat(connection.receive().status()).isIn(400, 414);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "aaa bbb ccc",
                "A eq",
                "eq",
                "and",
                "not",
                "A eq 'open",
                "A eq 1 and",
                "(A eq 1",
                "A eq 1)",
                "A == 1",
                "A eq datetime'nonsense'",
                "A eq guid'nonsense'",
                "A eq X'0'",
                "A eq X'zz'",
                "A eq 99999999999999999999",
                "A lt null",
                "A eq 1'2'",
                "'",
                "()",
                "\u0000",
                "A eq \uD83D\uDE00",
                "A eq 1 1",
                "(PartitionKey) and (A eq 1)"
            })
    void filtersThatCannotBeReadAreRefused(String filter) throws IOException {
        Answer answer = table.query(Requests.option("$filter", filter));
        assertThat(answer.status()).as(answer.toString()).isEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(strings = {"startswith(A,'x')", "substringof('x',A)", "A add 1 eq 2", "A in (1,2)"})
    void filtersThatNobodyImplementsAreRefused(String filter) throws IOException {
        assertThat(table.query(Requests.option("$filter", filter)).status()).isIn(400, 501);
    }

    // Addresses.

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "/..",
                "/../../etc/passwd",
                "/%2e%2e/%2e%2e/etc/passwd",
                "/%",
                "/%zz",
                "/%00",
                "/%ff%fe",
                "//",
                "/a",
                "/1table()",
                "/with-dash()",
                "/$metadata",
                "/Tables(",
                "/Tables('",
                "/Tables('')",
                "/Tables(name)",
                "/T(PartitionKey='a')",
                "/T(RowKey='a')",
                "/T(PartitionKey='a',RowKey='b'",
                "/T(PartitionKey='a',RowKey=b)",
                "/T(PartitionKey='a%2Fb',RowKey='b')",
                "/T(PartitionKey='a%00',RowKey='b')",
                "/T(A='a',B='b')",
                "/T()()",
                "/T(PartitionKey='a',RowKey='b',RowKey='c')",
                "/T('a')",
                "/$batch",
                "/Tables?$top=-5",
                "/Tables?$filter=((("
            })
    void pathsThatLeadNowhereAreRefused(String path) throws IOException {
        Answer answer = table.send(Request.json("GET", endpoint.prefix() + path));
        assertThat(answer.status()).as(answer.toString()).isBetween(400, 499);
    }

    @Test
    void aVeryLongAddressIsRefused() throws IOException {
        try (Connection connection = table.connect()) {
            sendAsFarAsTaken(connection, table.requests().get(table.name(), "k".repeat(200_000), "r"));
            assertThat(connection.receive().status()).isBetween(400, 499);
        }
    }

    @Test
    void aTokenThatIsNoneIsRefused() throws IOException {
        for (String token : List.of("1!", "1!4!####", "1!99!YQ--", "1%214%21cQ--", "\0", "1!8!" + "A".repeat(5000))) {
            Answer answer =
                    table.query(Requests.option("NextPartitionKey", token), Requests.option("NextRowKey", token));
            assertThat(answer.status()).as(token).isEqualTo(400);
        }
    }

    // Headers and framing.

    @ParameterizedTest
    @ValueSource(strings = {"x-ms-version: nonsense", "x-ms-version: 2019-13-45", "x-ms-version: 1999-01-01"})
    void versionsThatAreNoneAreRefused(String line) throws IOException {
        Request get = Request.json("GET", table.address("p", "r"))
                .without("x-ms-version")
                .withLine(line);
        assertRefused(table.send(get), 400, "InvalidHeaderValue");
    }

    @Test
    void manyHeadersAreRefused() throws IOException {
        Request get = Request.json("GET", table.address("p", "r"));
        for (int i = 0; i < 3_000; i++) {
            get = get.with("X-Header-" + i, "x".repeat(50));
        }
        try (Connection connection = table.connect()) {
            sendAsFarAsTaken(connection, table.requests().sign(get));
            assertThat(connection.receive().status()).isBetween(400, 499);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nonsense\r\n\r\n",
                "GET\r\n\r\n",
                "GET / HTTP/9.9\r\n\r\n",
                "\u0000\u0001\u0002\r\n\r\n",
                "GET / HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
                "GET / HTTP/1.1\r\nHost\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
            })
    void whatIsNotHttpIsRefusedOrHungUpOn(String bytes) throws IOException {
        try (Connection connection = Connection.open(endpoint, Duration.ofSeconds(30))) {
            connection.send(bytes.getBytes(StandardCharsets.ISO_8859_1));
            assertThat(isRefusedOrClosed(connection)).isTrue();
        }
    }

    private static boolean isRefusedOrClosed(Connection connection) throws IOException {
        try {
            int status = connection.receive().status();
            return (status >= 400 && status < 500) || status == 501 || status == 505;
        } catch (SocketTimeoutException silent) {
            return false;
        } catch (IOException closed) {
            return true;
        }
    }

    // Batches.

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "nonsense",
                "--batch_c",
                "--batch_c--\r\n",
                "--batch_c\r\n\r\n--batch_c--\r\n",
                "--batch_c\r\nContent-Type: text/plain\r\n\r\nx\r\n--batch_c--\r\n",
                "--batch_c\r\nContent-Type: multipart/mixed\r\n\r\n--batch_c--\r\n",
                "--batch_c\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\n\r\nnonsense\r\n--c--\r\n--batch_c--\r\n",
                "--batch_c\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\nContent-Type: application/http\r\n\r\nFLY /x HTTP/1.1\r\n\r\n--c--\r\n--batch_c--\r\n"
            })
    void batchesThatAreNoneAreRefused(String body) throws IOException {
        Answer answer = table.exchange(table.requests().transaction(body));
        if (answer.status() == 202) {
            assertThat(answer.text()).contains("HTTP/1.1 4");
        } else {
            assertThat(answer.status()).as(answer.toString()).isEqualTo(400);
        }
    }

    @Test
    void aBatchWithoutABoundaryIsRefused() throws IOException {
        for (String type : List.of("multipart/mixed", "multipart/mixed; boundary=", "application/json", "")) {
            Request batch = Request.json("POST", endpoint.prefix() + "/$batch")
                    .body(type, "x".getBytes(StandardCharsets.UTF_8));
            assertThat(table.send(batch).status()).as(type).isIn(400, 415);
        }
    }

    @Test
    void aGetAmongWritesIsRefused() throws IOException {
        Requests requests = table.requests();
        Answer answer = table.exchange(requests.transaction(List.of(
                requests.part("POST", table.path(), "", json("mixed", "a")),
                requests.part("GET", table.address("p", "r"), "", ""))));
        assertThat(answer.status() == 400 || answer.text().contains("HTTP/1.1 400 "))
                .as(answer.toString())
                .isTrue();
        assertThat(table.get("mixed", "a").status()).isEqualTo(404);
    }

    @Test
    void operationsOnTwoTablesAreRefused() throws IOException {
        RawTable other = RawTable.create(endpoint);
        Requests requests = table.requests();
        Answer answer = table.exchange(requests.transaction(List.of(
                requests.part("POST", table.path(), "", json("two", "a")),
                requests.part("POST", other.path(), "", json("two", "b")))));
        assertThat(answer.text())
                .contains("HTTP/1.1 400 ")
                .contains("InvalidInput")
                .contains("\"1:");
        assertThat(table.get("two", "a").status()).isEqualTo(404);
    }

    @Test
    void aBatchThatIsTooLargeIsRefused() throws IOException {
        String body = "--batch_c\r\n" + "x".repeat((4 << 20) + 1000);
        try (Connection connection = table.connect()) {
            sendAsFarAsTaken(connection, table.requests().transaction(body));
            assertRefused(connection.receive(), 413, "RequestBodyTooLarge");
        }
    }

    // Chance.

    @Test
    void damagedRequestsNeverHarmTheService() throws IOException {
        Random random = new Random(7);
        Requests requests = table.requests();
        byte[] batch = requests.transaction(List.of(requests.part("POST", table.path(), "", json("fuzz", "a"))))
                .body();
        byte[] entity = json("fuzz", "b", "\"A\":\"1\",\"A@odata.type\":\"Edm.Int64\",\"B\":[],\"C\":1.5")
                .getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < FUZZED; i++) {
            boolean isBatch = random.nextBoolean();
            byte[] damaged = damaged(isBatch ? batch : entity, random);
            Request request = isBatch
                    ? Request.json("POST", endpoint.prefix() + "/$batch")
                            .body("multipart/mixed; boundary=batch_c", damaged)
                    : Request.json("POST", table.path()).body("application/json", damaged);
            Answer answer = table.send(request);
            assertThat(answer.status())
                    .as("%s", new String(damaged, StandardCharsets.UTF_8))
                    .isLessThan(500);
        }
    }

    private static byte[] damaged(byte[] bytes, Random random) {
        byte[] damaged = bytes.clone();
        for (int i = 0; i <= random.nextInt(4); i++) {
            damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
        }
        return random.nextInt(3) == 0 ? Arrays.copyOf(damaged, random.nextInt(damaged.length)) : damaged;
    }

    /** A server may answer and hang up before it has taken everything; what counts is the answer. */
    private static void sendAsFarAsTaken(Connection connection, Request request) {
        try {
            connection.send(request);
        } catch (IOException hungUp) {
            // The answer is read by the caller.
        }
    }
}
