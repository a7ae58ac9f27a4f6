package cleave.frontend.protocol.batch;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.fuzz.Seeds;
import cleave.frontend.protocol.odata.AddressStyle;
import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.odata.Method;
import cleave.frontend.protocol.odata.Refused;
import cleave.frontend.protocol.odata.Resource;
import cleave.frontend.protocol.odata.ResourceAddress;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class BatchParserTest {
    private static final ResourceAddress OUTER =
            ResourceAddress.parse("/acct/$batch", "127.0.0.1:10002", AddressStyle.PATH);
    private static final String TYPE = "multipart/mixed; boundary=batch_1";
    private static final String BASE = "http://127.0.0.1:10002/acct";
    private static final String PART = "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n";

    private static BatchRequest parse(String body) {
        return BatchParser.parse(Body.of(body), TYPE, OUTER);
    }

    private static String changeset(String... requests) {
        StringBuilder body =
                new StringBuilder("--batch_1\r\nContent-Type: multipart/mixed; boundary=changeset_1\r\n\r\n");
        for (String request : requests) {
            body.append("--changeset_1\r\n").append(PART).append(request).append("\r\n");
        }
        return body.append("--changeset_1--\r\n--batch_1--\r\n").toString();
    }

    private static String patch(String rowKey) {
        return "PATCH " + BASE + "/Orders(PartitionKey='p',RowKey='" + rowKey
                + "') HTTP/1.1\r\nContent-Type: application/json\r\nIf-Match: *\r\n\r\n{\"Qty\":4}";
    }

    private static Resource entity(String rowKey) {
        return new Resource.EntityAddress("Orders", "p", rowKey);
    }

    @Test
    void changesetIsItsOperationsInTheirOrder() {
        String body = changeset(
                patch("1"),
                "POST " + BASE + "/Orders?$format=application/json;odata=nometadata HTTP/1.1\r\n"
                        + "Prefer: return-no-content\r\nContent-ID: 7\r\n\r\n{\"PartitionKey\":\"p\"}",
                "DELETE " + BASE + "/Orders(PartitionKey='p',RowKey='3') HTTP/1.1\r\nif-match: W/\"x\"\r\n\r\n");
        BatchRequest batch = parse(body);
        assertThat(batch.isQuery()).isFalse();
        assertThat(batch.operations()).hasSize(3);
        BatchOperation patch = batch.operations().get(0);
        assertThat(patch.method()).isEqualTo(Method.MERGE);
        assertThat(patch.resource()).isEqualTo(entity("1"));
        assertThat(patch.headers().first("IF-MATCH")).isEqualTo("*");
        assertThat(patch.body()).hasToString("{\"Qty\":4}");
        BatchOperation post = batch.operations().get(1);
        assertThat(post.method()).isEqualTo(Method.POST);
        assertThat(post.resource()).isEqualTo(new Resource.EntitySet("Orders"));
        assertThat(post.query().value("$format")).isEqualTo("application/json;odata=nometadata");
        assertThat(post.contentId()).isEqualTo("7");
        BatchOperation delete = batch.operations().get(2);
        assertThat(delete.method()).isEqualTo(Method.DELETE);
        assertThat(delete.headers().first("If-Match")).isEqualTo("W/\"x\"");
        assertThat(delete.body().isEmpty()).isTrue();
        assertThat(delete.contentId()).isNull();
    }

    @Test
    void bodiesAreNotCopied() {
        Body whole = Body.of(changeset(patch("1")));
        assertThat(BatchParser.parse(whole, TYPE, OUTER)
                        .operations()
                        .get(0)
                        .body()
                        .array())
                .isSameAs(whole.array());
    }

    @Test
    void linesMayEndInLineFeedsAlone() {
        BatchRequest batch = parse(changeset(patch("1"), patch("2")).replace("\r\n", "\n"));
        assertThat(batch.operations()).extracting(BatchOperation::resource).containsExactly(entity("1"), entity("2"));
        assertThat(batch.operations().get(1).body()).hasToString("{\"Qty\":4}");
    }

    @Test
    void blankLinesMayStandWhereJavascriptPutsThem() {
        String body = "--batch_1\r\ncontent-type: multipart/mixed; boundary=changeset_1\r\n\r\n\r\n"
                + "--changeset_1\r\ncontent-type: application/http\r\ncontent-transfer-encoding: binary\r\n\r\n"
                + "POST " + BASE + "/Orders HTTP/1.1\r\naccept: application/json\r\n\r\n\r\n{\"A\":1}\r\n"
                + "--changeset_1--\r\n--batch_1--\r\n";
        BatchOperation operation = parse(body).operations().get(0);
        assertThat(operation.method()).isEqualTo(Method.POST);
        assertThat(operation.body()).hasToString("{\"A\":1}");
    }

    @Test
    void blankLinesMayStandBetweenAndBehindTheBoundaries() {
        String body = changeset(patch("1")).replace("--changeset_1--\r\n", "--changeset_1--\r\n\r\n");
        assertThat(parse(body).operations()).hasSize(1);
        assertThat(parse("preamble\r\n" + body + "epilogue").operations()).hasSize(1);
        assertThat(parse(body.substring(0, body.length() - 2)).operations()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--batch_1", "--batch_1\r\n", "--batch_1\n\n", "--batch_1 \r\n", "", "\r\n"})
    void theLastDelimiterOfABatchMayLackItsHyphensOrBeMissing(String end) {
        String whole = changeset(patch("1"), patch("2"));
        BatchRequest batch = parse(whole.substring(0, whole.indexOf("--batch_1--")) + end);
        assertThat(batch.operations()).extracting(BatchOperation::resource).containsExactly(entity("1"), entity("2"));
        BatchRequest get = parse("--batch_1\r\n" + PART + "GET " + BASE + "/Orders HTTP/1.1\r\n\r\n" + end);
        assertThat(get.operations()).extracting(BatchOperation::method).containsExactly(Method.GET);
    }

    @Test
    void whatFollowsTheEndIsIgnored() {
        String whole = changeset(patch("1"));
        for (String more : new String[] {"more", "--batch_1\r\n" + PART + patch("2"), whole}) {
            assertThat(parse(whole + more).operations()).hasSize(1);
        }
        assertThat(parse(whole.replace("--changeset_1--\r\n", "--changeset_1--\r\nmore\r\n--changeset_1\r\n"))
                        .operations())
                .hasSize(1);
    }

    @Test
    void aDelimiterMayFollowTheLastByteOfAPart() {
        String whole = changeset(
                patch("1"),
                "DELETE " + BASE + "/Orders(PartitionKey='p',RowKey='2') HTTP/1.1\r\nIf-Match: *",
                patch("3"));
        for (String body : new String[] {
            whole.replace("}\r\n--", "}--").replace("*\r\n--", "*--"),
            whole.replace("}\r\n--", "} --").replace("\r\n", "\n"),
            whole.replace("}\r\n--", "}--").replace("--changeset_1--\r\n--batch_1--", "--changeset_1----batch_1--")
        }) {
            BatchRequest batch = parse(body);
            assertThat(batch.operations())
                    .extracting(BatchOperation::method)
                    .containsExactly(Method.MERGE, Method.DELETE, Method.MERGE);
            assertThat(batch.operations())
                    .extracting(operation -> operation.body().toString())
                    .containsExactly("{\"Qty\":4}", "", "{\"Qty\":4}");
            assertThat(batch.operations().get(1).headers().first("If-Match")).isEqualTo("*");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--changeset_1--", "--changeset_1--x", "x"})
    void valuesThatHoldADelimiterAreData(String value) {
        String body = "{\"A\":\"" + value + "\",\"B\":\"--changeset_1\"}";
        assertThat(parse(changeset(patch("1").replace("{\"Qty\":4}", body), patch("2")))
                        .operations())
                .extracting(operation -> operation.body().toString())
                .containsExactly(body, "{\"Qty\":4}");
    }

    @Test
    void aChangesetWithoutItsEndIsRefusedBecauseItMayLackOperations() {
        String whole = changeset(patch("1"), patch("2"));
        refused(ServiceCode.INVALID_INPUT, whole.replace("--changeset_1--\r\n", ""));
        refused(ServiceCode.INVALID_INPUT, whole.substring(0, whole.indexOf("--changeset_1--")));
        refused(ServiceCode.INVALID_INPUT, whole.replace("--changeset_1--", "--changeset_1"));
    }

    @Test
    void boundaryMayBeQuotedAndStandAmongOtherParameters() {
        for (String type : new String[] {
            "multipart/mixed; boundary=\"batch_1\"",
            "Multipart/Mixed;BOUNDARY=batch_1",
            "multipart/mixed; charset=utf-8; boundary=batch_1; x=y"
        }) {
            assertThat(BatchParser.parse(Body.of(changeset(patch("1"))), type, OUTER)
                            .operations())
                    .hasSize(1);
        }
    }

    @Test
    void lengthsThatClientsStateMeanNothing() {
        String body = changeset(patch("1").replace("If-Match", "Content-Length: 3\r\nIf-Match"));
        assertThat(parse(body).operations().get(0).body()).hasToString("{\"Qty\":4}");
    }

    @Test
    void contentIdCountsInTheInnerHeadersOnly() {
        String body = changeset(patch("1")).replace("binary\r\n", "binary\r\nContent-ID: 5\r\n");
        assertThat(parse(body).operations().get(0).contentId()).isNull();
        String inner = changeset(patch("1").replace("If-Match", "Content-ID: 0\r\nIf-Match"));
        assertThat(parse(inner).operations().get(0).contentId()).isEqualTo("0");
        String hostile = changeset(patch("1").replace("If-Match", "Content-ID: a\rb\r\nIf-Match"));
        assertThat(parse(hostile).operations().get(0).contentId()).isNull();
    }

    @Test
    void mergeMayBeSaidTwice() {
        String body = changeset(
                patch("1").replace("PATCH", "MERGE").replace("If-Match", "X-HTTP-Method: MERGE\r\nIf-Match"),
                patch("2").replace("PATCH", "POST").replace("If-Match", "X-HTTP-Method: MERGE\r\nIf-Match"));
        assertThat(parse(body).operations()).extracting(BatchOperation::method).containsOnly(Method.MERGE);
    }

    @Test
    void keysMayHoldSpacesAndRawUnicode() {
        BatchOperation operation =
                parse(changeset(patch("a b \u00fc"))).operations().get(0);
        assertThat(operation.resource()).isEqualTo(entity("a b \u00fc"));
    }

    @Test
    void partsWithoutMimeHeadersAreRequests() {
        String body = changeset(patch("1")).replace(PART, "\r\n");
        assertThat(parse(body).operations().get(0).resource()).isEqualTo(entity("1"));
    }

    @Test
    void bracketedValuesThatLookLikeBoundariesAreData() {
        String body = changeset(
                patch("1").replace("{\"Qty\":4}", "{\"A\":\"--changeset_1\",\r\n\"B\":\"x\"}\r\n--changeset_12"));
        assertThat(parse(body).operations()).hasSize(1);
    }

    @Test
    void singleGetIsAQuery() {
        String get = "GET " + BASE + "/Orders(PartitionKey='p',RowKey='1')?$select=A HTTP/1.1\r\nAccept: */*\r\n\r\n";
        BatchRequest batch = parse("--batch_1\r\n" + PART + get + "\r\n--batch_1--\r\n");
        assertThat(batch.isQuery()).isTrue();
        assertThat(batch.operations().get(0).resource()).isEqualTo(entity("1"));
        assertThat(batch.operations().get(0).query().value("$select")).isEqualTo("A");
    }

    private static Stream<String> ofEachClient() {
        return Seeds.of("batch").stream().limit(8);
    }

    @ParameterizedTest
    @MethodSource("ofEachClient")
    void theFormOfEachClientIsRead(String body) {
        BatchRequest batch = BatchParser.parse(Body.of(body), "multipart/mixed; boundary=b", OUTER);
        assertThat(batch.isQuery()).isFalse();
        assertThat(batch.operations()).hasSize(2);
        BatchOperation first = batch.operations().get(0);
        assertThat(first.body().toString()).startsWith("{\"").endsWith("}");
        assertThat(first.headers().first("Content-Type")).startsWith("application/json");
        assertThat(first.resource())
                .isEqualTo(first.method() == Method.POST ? new Resource.EntitySet("Orders") : entity("01"));
        BatchOperation second = batch.operations().get(1);
        assertThat(second.method()).isEqualTo(Method.MERGE);
        assertThat(second.resource()).isEqualTo(entity("02"));
        assertThat(second.body().toString()).startsWith("{\"").endsWith("}");
    }

    private static ServiceError refused(ServiceCode code, String body) {
        return Refused.with(code, () -> parse(body));
    }

    @Test
    void getTogetherWithAnythingElseIsRefusedAsAWhole() {
        String get = "GET " + BASE + "/Orders HTTP/1.1\r\n\r\n";
        String part = "--batch_1\r\n" + PART + get + "\r\n";
        assertThat(refused(ServiceCode.INVALID_INPUT, changeset(get, patch("1")))
                        .operation())
                .isNegative();
        assertThat(refused(ServiceCode.INVALID_INPUT, part + part + "--batch_1--")
                        .operation())
                .isNegative();
        assertThat(refused(ServiceCode.INVALID_INPUT, part + changeset(patch("1")))
                        .operation())
                .isNegative();
        String post = part.replace("GET", "POST");
        assertThat(refused(ServiceCode.INVALID_INPUT, post + "--batch_1--").operation())
                .isNegative();
    }

    @Test
    void secondChangesetIsRefusedAsAWhole() {
        String one = changeset(patch("1"));
        String two = one.replace("--batch_1--\r\n", "") + changeset(patch("2"));
        assertThat(refused(ServiceCode.INVALID_INPUT, two).operation()).isNegative();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "hello",
                "--batch_1--",
                "--batch_1\r\n",
                "--batch_1\r\n\r\n--batch_1--",
                "--batch_1\r\nContent-Type: multipart/mixed\r\n\r\n--batch_1--",
                "--batch_1\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--batch_1--",
                "--batch_1\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\nGET / HTTP/1.1\r\n--batch_1--",
                "--BATCH_1\r\n--BATCH_1--"
            })
    void envelopesThatAreNoneAreRefusedAsAWhole(String body) {
        assertThat(refused(ServiceCode.INVALID_INPUT, body).operation()).isNegative();
    }

    @ParameterizedTest
    @ValueSource(strings = {"\r\n\r\n", "\r\n\r\n\r\n"})
    void aChangesetMayBeEmpty(String blank) {
        BatchRequest batch =
                parse("--batch_1\r\nContent-Type: multipart/mixed; boundary=c" + blank + "--c--\r\n--batch_1--");
        assertThat(batch.isQuery()).isFalse();
        assertThat(batch.operations()).isEmpty();
    }

    @Test
    void contentTypeMustBeMultipartWithABoundary() {
        for (String type : new String[] {
            null,
            "application/json",
            "multipart/mixed",
            "multipart/mixed; boundary=",
            "multipart/mixedup; boundary=batch_1",
            "multipart/form-data; boundary=batch_1"
        }) {
            Refused.with(
                    ServiceCode.INVALID_INPUT, () -> BatchParser.parse(Body.of(changeset(patch("1"))), type, OUTER));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nonsense",
                "PATCH /acct/Orders",
                "PATCH HTTP/1.1\r\n\r\n",
                "PATCH /acct/Orders(PartitionKey='p') HTTP/1.1\r\n\r\n",
                "PATCH /acct/Orders(PartitionKey='p',RowKey='1') HTTP/1.1\r\nno header\r\n\r\n",
                "POST /acct/Tables HTTP/1.1\r\n\r\n{}",
                "POST /acct/$batch HTTP/1.1\r\n\r\n{}",
                "PUT /acct/Orders?comp=acl HTTP/1.1\r\n\r\n",
                "POST /other/Orders HTTP/1.1\r\n\r\n{}",
                ""
            })
    void wrongOperationIsToldWithItsIndex(String request) {
        ServiceError error = refused(ServiceCode.INVALID_INPUT, changeset(patch("1"), request));
        assertThat(error.operation()).isEqualTo(1);
        assertThat(error.operations()).isEqualTo(2);
    }

    @Test
    void belowATableThereIsNothingButItsInsert() {
        BatchOperation insert = parse(changeset("POST " + BASE + "/Orders/Orders HTTP/1.1\r\n\r\n{}"))
                .operations()
                .get(0);
        assertThat(insert.resource()).isEqualTo(new Resource.EntitySet("Orders"));

        String below = patch("1").replace("/Orders(", "/Orders/Orders(");
        assertThat(refused(ServiceCode.NOT_IMPLEMENTED, changeset(patch("1"), below))
                        .operation())
                .isEqualTo(1);
    }

    @Test
    void headersOfAnOperationAreBounded() {
        String headers = "A: b\r\n".repeat(1000);
        refused(ServiceCode.INVALID_INPUT, changeset(patch("1").replace("If-Match", headers + "If-Match")));
        refused(ServiceCode.INVALID_INPUT, changeset(patch("x".repeat(100_000))));
    }

    @Test
    void hundredOperationsAreTheMost() {
        String[] requests = IntStream.range(0, 101).mapToObj(i -> patch("" + i)).toArray(String[]::new);
        ServiceError error = refused(ServiceCode.INVALID_INPUT, changeset(requests));
        assertThat(error.operation()).isEqualTo(99);
        assertThat(error.text())
                .isEqualTo("The batch request operation exceeds the maximum 100 changes per change set.");
        String hundred =
                changeset(IntStream.range(0, 100).mapToObj(i -> patch("" + i)).toArray(String[]::new));
        assertThat(parse(hundred).operations()).hasSize(100);
    }

    @Test
    void manyPartsAndLargeBodiesAreRefusedSoon() {
        String parts =
                IntStream.range(0, 100_000).mapToObj(i -> "--batch_1\r\n\r\n").collect(Collectors.joining());
        refused(ServiceCode.INVALID_INPUT, parts + "--batch_1--");
        Refused.with(
                ServiceCode.REQUEST_BODY_TOO_LARGE,
                () -> BatchParser.parse(Body.of(new byte[(4 << 20) + 1]), TYPE, OUTER));
    }
}
