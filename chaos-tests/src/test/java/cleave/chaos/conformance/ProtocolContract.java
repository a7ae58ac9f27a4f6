package cleave.chaos.conformance;

import static cleave.chaos.conformance.RawTable.json;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.client.Answer;
import cleave.chaos.client.Connection;
import cleave.chaos.client.Endpoint;
import cleave.chaos.client.JsonText;
import cleave.chaos.client.Request;
import cleave.chaos.client.Requests;
import cleave.chaos.client.SharedKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is on the wire and SDKs do not show: signatures, headers, metadata levels, tokens, the shape of batches. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ProtocolContract {
    private final Endpoint endpoint;
    private RawTable table;

    ProtocolContract(Endpoint endpoint) {
        this.endpoint = endpoint;
    }

    @BeforeAll
    void createTable() throws IOException {
        table = RawTable.create(endpoint);
        assertThat(table.insert("p", "r", "\"N\":\"39\",\"N@odata.type\":\"Edm.Int64\",\"D\":3.0,\"S\":\"x\"")
                        .status())
                .isEqualTo(204);
    }

    // Signatures.

    @Test
    void bothFormsOfSharedKeyAreAccepted() throws IOException {
        Request get = Request.json("GET", table.address("p", "r"));
        assertThat(table.exchange(get.signed(endpoint.credential())).status()).isEqualTo(200);
        assertThat(table.exchange(get.signedInFull(endpoint.credential(), Instant.now()))
                        .status())
                .isEqualTo(200);
    }

    @Test
    void aDateHeaderServesWhereThereIsNoOtherDate() throws IOException {
        Request get = Request.json("GET", table.address("p", "r"));
        String date = Request.date(Instant.now());
        String signature = endpoint.credential().lite(date, get.path(), "");
        assertThat(table.exchange(get.with("Date", date).with("Authorization", signature))
                        .status())
                .isEqualTo(200);
    }

    @Test
    void aSignatureByAnotherKeyIsRefused() throws IOException {
        SharedKey wrong = new SharedKey(Endpoint.DEVELOPMENT_ACCOUNT, "d3Jvbmc=");
        Request get = Request.json("GET", table.address("p", "r"));
        assertRefused(table.exchange(get.signed(wrong)), 403, "AuthenticationFailed");
        assertRefused(table.exchange(get.signedInFull(wrong, Instant.now())), 403, "AuthenticationFailed");
    }

    @Test
    void aSignatureOfAnotherRequestIsRefused() throws IOException {
        Request signed = table.requests().get(table.name(), "p", "r");
        Request moved = new Request("GET", table.address("p", "other"), signed.headers(), signed.body());
        assertRefused(table.exchange(moved), 403, "AuthenticationFailed");
        Request redated = signed.without("x-ms-date")
                .with("x-ms-date", Request.date(Instant.now().minusSeconds(60)));
        assertRefused(table.exchange(redated), 403, "AuthenticationFailed");
    }

    @ParameterizedTest
    @ValueSource(longs = {-16 * 60, 16 * 60, -400L * 86400})
    void aDateTooFarOffIsRefused(long seconds) throws IOException {
        Request stale = Request.json("GET", table.address("p", "r"))
                .signed(endpoint.credential(), Instant.now().plusSeconds(seconds));
        assertRefused(table.exchange(stale), 403, "AuthenticationFailed");
    }

    @Test
    void aDateALittleOffIsAccepted() throws IOException {
        Request late = Request.json("GET", table.address("p", "r"))
                .signed(endpoint.credential(), Instant.now().minusSeconds(600));
        assertThat(table.exchange(late).status()).isEqualTo(200);
    }

    @Test
    void anUnknownAccountIsRefused() throws IOException {
        SharedKey stranger = new SharedKey("stranger", Endpoint.DEVELOPMENT_KEY);
        Request get = Request.json("GET", "/stranger/" + table.name() + "()").signed(stranger);
        assertThat(table.exchange(get).status()).isEqualTo(403);
    }

    @Test
    void aRequestWithoutCredentialsIsRefused() throws IOException {
        Answer answer = table.exchange(Request.json("GET", table.address("p", "r")));
        assertThat(answer.status()).isIn(401, 403);
        assertThat(answer.errorCode()).isIn("InvalidAuthenticationInfo", "AuthenticationFailed");
    }

    @Test
    void aSignatureWithoutADateIsRefused() throws IOException {
        Request get = Request.json("GET", table.address("p", "r"));
        String signature = endpoint.credential().lite("", get.path(), "");
        assertThat(table.exchange(get.with("Authorization", signature)).status())
                .isIn(400, 401, 403);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "SharedKey",
                "SharedKeyLite devstoreaccount1",
                "SharedKeyLite devstoreaccount1:",
                "SharedKeyLite devstoreaccount1:####",
                "Basic abc",
                "SharedKeyLite :abc=",
                "a:b:c"
            })
    void malformedCredentialsAreRefused(String authorization) throws IOException {
        Request get = Request.json("GET", table.address("p", "r"))
                .with("x-ms-date", Request.date(Instant.now()))
                .with("Authorization", authorization);
        assertThat(table.exchange(get).status()).isIn(400, 401, 403);
    }

    // Headers of answers.

    @Test
    void everyAnswerCarriesItsHeaders() throws IOException {
        Answer answer =
                table.send(Request.json("GET", table.address("p", "r")).with("x-ms-client-request-id", "my-id-1"));
        assertThat(answer.header("x-ms-request-id")).matches("[0-9a-f-]{36}");
        assertThat(answer.header("x-ms-client-request-id")).isEqualTo("my-id-1");
        assertThat(answer.header("x-ms-version")).isEqualTo("2019-02-02");
        assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(answer.header("Date")).endsWith("GMT");
        assertThat(answer.header("Content-Type")).startsWith("application/json;odata=minimalmetadata");
    }

    @Test
    void anErrorNamesItsRequest() throws IOException {
        Answer answer = table.get("p", "missing");
        assertRefused(answer, 404, "ResourceNotFound");
        assertThat(answer.text()).contains("odata.error").contains("RequestId:" + answer.header("x-ms-request-id"));
    }

    @Test
    void anInsertAnswersAsItWasPreferred() throws IOException {
        Request insert = Request.json("POST", table.path());
        Answer quiet = table.send(insert.with("Prefer", "return-no-content").body(json("prefer", "a")));
        assertThat(quiet.status()).isEqualTo(204);
        assertThat(quiet.header("Preference-Applied")).isEqualTo("return-no-content");
        assertThat(quiet.header("Location")).endsWith(table.name() + "(PartitionKey='prefer',RowKey='a')");
        assertThat(quiet.header("DataServiceId")).isEqualTo(quiet.header("Location"));
        Answer loud = table.send(insert.body(json("prefer", "b", "\"V\":1")));
        assertThat(loud.status()).isEqualTo(201);
        assertThat(loud.header("Preference-Applied")).isEmpty();
        assertThat(JsonText.object(loud.body())).containsEntry("RowKey", "b").containsEntry("V", 1L);
        assertThat(JsonText.object(loud.body())).containsEntry("odata.etag", loud.etag());
    }

    // Metadata levels.

    @ParameterizedTest
    @CsvSource({"nometadata,false,false", "minimalmetadata,true,false", "fullmetadata,true,true"})
    void theMetadataLevelIsTheOneAskedFor(String level, boolean minimal, boolean full) throws IOException {
        Request get = Request.json("GET", table.address("p", "r"))
                .without("Accept")
                .with("Accept", "application/json;odata=" + level);
        Map<String, @Nullable Object> entity = JsonText.object(table.send(get).body());
        assertThat(entity).containsEntry("N", "39").containsEntry("D", 3.0).containsEntry("S", "x");
        assertThat(entity.containsKey("odata.etag")).isEqualTo(minimal);
        assertThat(entity.containsKey("N@odata.type")).isEqualTo(minimal);
        assertThat(entity.containsKey("odata.editLink")).isEqualTo(full);
        assertThat(entity.containsKey("Timestamp@odata.type")).isEqualTo(full);
        assertThat(entity).containsKey("Timestamp");
    }

    @Test
    void formatWinsOverAccept() throws IOException {
        String target = table.address("p", "r") + "?$format=application%2Fjson%3Bodata%3Dfullmetadata";
        assertThat(JsonText.object(table.send(Request.json("GET", target)).body()))
                .containsKey("odata.id");
    }

    @Test
    void aQueryAnswersWithTwoMembersOnly() throws IOException {
        Answer answer = table.query(Requests.option("$filter", "PartitionKey eq 'p'"));
        assertThat(JsonText.object(answer.body()).keySet()).containsExactlyInAnyOrder("odata.metadata", "value");
    }

    @Test
    void aSelectedPropertyThatIsMissingIsNull() throws IOException {
        Answer answer = table.query(Requests.option("$filter", "PartitionKey eq 'p'"), "$select=S,Nothing");
        Map<String, @Nullable Object> entity = JsonText.entities(answer.body()).get(0);
        assertThat(entity)
                .containsEntry("S", "x")
                .containsEntry("Nothing", null)
                .doesNotContainKeys("N", "RowKey");
    }

    // Verbs and forms.

    @Test
    void mergeHasFourForms() throws IOException {
        table.insert("merge", "r", "\"A\":0");
        String address = table.address("merge", "r");
        List<Request> forms = List.of(
                Request.json("PATCH", address),
                Request.json("MERGE", address),
                Request.json("POST", address).with("X-HTTP-Method", "MERGE"),
                Request.json("POST", address).with("X-HTTP-Method", "PATCH"));
        for (int form = 0; form < forms.size(); form++) {
            Request merge = forms.get(form).with("If-Match", "*").body("{\"B" + form + "\":" + form + "}");
            assertThat(table.send(merge).status()).as(merge.toString()).isEqualTo(204);
        }
        assertThat(JsonText.object(table.get("merge", "r").body())).containsKeys("A", "B0", "B1", "B2", "B3");
    }

    @Test
    void quotesInAddressesMayBeEncoded() throws IOException {
        table.insert("it's", "r'");
        String raw = table.path() + "(PartitionKey='it''s',RowKey='r''')";
        assertThat(table.send(Request.json("GET", raw)).status()).isEqualTo(200);
        assertThat(table.send(Request.json("GET", raw.replace("'", "%27"))).status())
                .isEqualTo(200);
    }

    @Test
    void etagsAreTakenInTheFormsThatClientsMakeOfThem() throws IOException {
        String etag = table.insert("etag", "r").etag();
        String shortened = etag.substring(0, etag.length() - 1);
        Answer replaced = table.send(Request.json("PUT", table.address("etag", "r"))
                .with("If-Match", shortened)
                .body("{}"));
        assertThat(replaced.status()).isEqualTo(204);
        String colons = replaced.etag().replace("%3A", ":");
        assertThat(table.send(Request.json("PUT", table.address("etag", "r"))
                                .with("If-Match", colons)
                                .body("{}"))
                        .status())
                .isEqualTo(204);
        Answer stale = table.send(Request.json("PUT", table.address("etag", "r"))
                .with("If-Match", etag)
                .body("{}"));
        assertRefused(stale, 412, "UpdateConditionNotSatisfied");
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain", "\"strong\"", "W/\"a\", W/\"b\""})
    void etagsThatAreNoneAreRefused(String etag) throws IOException {
        table.exchange(table.requests().put(table.name(), "etags", "r", "", "{}"));
        Answer answer = table.send(Request.json("PUT", table.address("etags", "r"))
                .with("If-Match", etag)
                .body("{}"));
        assertRefused(answer, 400, "InvalidInput");
    }

    @Test
    void aDeleteNeedsACondition() throws IOException {
        table.insert("delete", "r");
        assertThat(table.send(Request.json("DELETE", table.address("delete", "r")))
                        .status())
                .isEqualTo(400);
        assertThat(table.get("delete", "r").status()).isEqualTo(200);
    }

    @Test
    void aVerbThatAResourceDoesNotHaveIsRefused() throws IOException {
        assertThat(table.send(Request.json("PUT", table.path()).body("{}")).status())
                .isEqualTo(405);
    }

    // Pages.

    @Test
    void tokensLeadThroughAllEntities() throws IOException {
        for (int i = 0; i < 7; i++) {
            table.insert("pages", "r" + i);
        }
        String filter = Requests.option("$filter", "PartitionKey eq 'pages'");
        Answer first = table.query(filter, "$top=3");
        String partition = first.header("x-ms-continuation-NextPartitionKey");
        String row = first.header("x-ms-continuation-NextRowKey");
        assertThat(JsonText.entities(first.body())).hasSize(3);
        assertThat(partition).matches("1!\\d+![A-Za-z0-9_-]+");
        Answer second = table.query(
                filter, "$top=3", Requests.option("NextPartitionKey", partition), Requests.option("NextRowKey", row));
        assertThat(JsonText.entities(second.body()))
                .extracting(entity -> entity.get("RowKey"))
                .containsExactly("r3", "r4", "r5");
    }

    @Test
    void aPageOfNothingHasNoToken() throws IOException {
        Answer answer = table.query("$top=0");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(JsonText.entities(answer.body())).isEmpty();
        assertThat(answer.header("x-ms-continuation-NextPartitionKey")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"$top=-1", "$top=1001", "$top=x", "$top=99999999999999999999"})
    void aPageOfAnImpossibleSizeIsRefused(String option) throws IOException {
        assertRefused(table.query(option), 400, "InvalidInput");
    }

    // Connections.

    @Test
    void requestsMayBePipelined() throws IOException {
        try (Connection connection = table.connect()) {
            for (int i = 0; i < 20; i++) {
                connection.send(table.requests().insert(table.name(), json("pipe", "r" + i)));
                connection.send(table.requests().get(table.name(), "pipe", "r" + i));
            }
            for (int i = 0; i < 20; i++) {
                assertThat(connection.receive().header("Location")).endsWith("RowKey='r" + i + "')");
                int status = connection.receive().status();
                assertThat(status).isIn(200, 404);
            }
        }
    }

    @Test
    void aConnectionOutlivesRefusals() throws IOException {
        try (Connection connection = table.connect()) {
            assertThat(connection
                            .exchange(table.requests().get(table.name(), "p", "no"))
                            .status())
                    .isEqualTo(404);
            assertThat(connection
                            .exchange(table.requests().insert(table.name(), "{nonsense"))
                            .status())
                    .isEqualTo(400);
            assertThat(connection
                            .exchange(Request.json("GET", table.path() + "()"))
                            .status())
                    .isIn(401, 403);
            assertThat(connection
                            .exchange(table.requests().get(table.name(), "p", "r"))
                            .status())
                    .isEqualTo(200);
        }
    }

    @Test
    void bodiesMayComeInChunks() throws IOException {
        String json = json("chunked", "r", "\"A\":1");
        String chunked = Integer.toHexString(5) + "\r\n" + json.substring(0, 5) + "\r\n"
                + Integer.toHexString(json.length() - 5) + "\r\n" + json.substring(5) + "\r\n0\r\n\r\n";
        Request insert = Request.json("POST", table.path())
                .with("Transfer-Encoding", "chunked")
                .body(chunked);
        assertThat(table.send(insert).status()).isEqualTo(201);
        assertThat(table.get("chunked", "r").status()).isEqualTo(200);
    }

    @Test
    void aSlowRequestIsServed() throws IOException {
        try (Connection connection = Connection.open(endpoint, Duration.ofSeconds(30))) {
            byte[] bytes =
                    table.requests().get(table.name(), "p", "r").toBytes(endpoint.host() + ":" + endpoint.port());
            for (byte one : bytes) {
                connection.send(new byte[] {one});
            }
            assertThat(connection.receive().status()).isEqualTo(200);
        }
    }

    // Batches.

    @Test
    void aBatchAnswersInTheLayoutThatClientsParse() throws IOException {
        Requests requests = table.requests();
        Answer answer = table.exchange(requests.transaction(List.of(
                requests.part("POST", table.path(), "", json("layout", "a")).with("Prefer", "return-no-content"),
                requests.part("PUT", table.address("layout", "b"), "", json("layout", "b")))));
        assertThat(answer.status()).isEqualTo(202);
        assertThat(answer.header("Content-Type")).startsWith("multipart/mixed; boundary=batchresponse_");
        String outer = answer.header("Content-Type").substring("multipart/mixed; boundary=".length());
        assertThat(answer.text())
                .startsWith("--" + outer + "\r\nContent-Type: multipart/mixed; boundary=changesetresponse_")
                .endsWith("--" + outer + "--\r\n");
        assertThat(answer.text().split("--changesetresponse_")).hasSize(4);
        assertThat(answer.text())
                .contains(String.join(
                        "\r\n",
                        "Content-Type: application/http",
                        "Content-Transfer-Encoding: binary",
                        "",
                        "HTTP/1.1 204 No Content",
                        ""));
    }

    @Test
    void aFailedBatchHasOnePartThatNamesTheOperation() throws IOException {
        Requests requests = table.requests();
        table.insert("onefails", "b");
        Answer answer = table.exchange(requests.transaction(List.of(
                requests.part("POST", table.path(), "", json("onefails", "a")),
                requests.part("POST", table.path(), "", json("onefails", "b")),
                requests.part("POST", table.path(), "", json("onefails", "c")))));
        assertThat(answer.status()).isEqualTo(202);
        assertThat(answer.text().split("HTTP/1.1 ")).hasSize(2);
        assertThat(answer.text()).contains("HTTP/1.1 409 ").contains("\"1:The specified entity already exists.");
        assertThat(table.get("onefails", "a").status()).isEqualTo(404);
    }

    @Test
    void aBatchMayEndItsLinesWithLineFeedsAlone() throws IOException {
        Requests requests = table.requests();
        String body = new String(
                        requests.transaction(List.of(requests.part("POST", table.path(), "", json("linefeed", "a"))))
                                .body(),
                        StandardCharsets.UTF_8)
                .replace("\r\n", "\n");
        assertThat(table.exchange(requests.transaction(body)).text()).contains("HTTP/1.1 201 ");
    }

    @Test
    void aBatchMayHoldOneGet() throws IOException {
        String body = "--batch_c\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\nGET "
                + endpoint.url()
                + table.address("p", "r").substring(endpoint.prefix().length())
                + " HTTP/1.1\r\nAccept: application/json;odata=minimalmetadata\r\n\r\n\r\n--batch_c--\r\n";
        Answer answer = table.exchange(table.requests().transaction(body));
        assertThat(answer.status()).isEqualTo(202);
        assertThat(answer.text()).contains("HTTP/1.1 200 OK\r\n").contains("\"RowKey\":\"r\"");
    }

    static void assertRefused(Answer answer, int status, String code) {
        assertThat(answer.status()).as(answer.toString()).isEqualTo(status);
        assertThat(answer.errorCode()).as(answer.toString()).isEqualTo(code);
    }
}
