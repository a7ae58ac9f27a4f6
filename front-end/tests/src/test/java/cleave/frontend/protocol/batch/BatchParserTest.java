package cleave.frontend.protocol.batch;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
    void aContentIdThatWouldBreakItsLineIsNone() {
        String hostile = changeset(patch("1").replace("If-Match", "Content-ID: a\rb\r\nIf-Match"));
        assertThat(parse(hostile).operations().get(0).contentId()).isNull();
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

    private static ServiceError refused(ServiceCode code, String body) {
        return Refused.with(code, () -> parse(body));
    }

    @Test
    void twoGetsAreRefusedAsAWhole() {
        String part = "--batch_1\r\n" + PART + "GET " + BASE + "/Orders HTTP/1.1\r\n\r\n\r\n";
        assertThat(refused(ServiceCode.INVALID_INPUT, part + part + "--batch_1--")
                        .operation())
                .isNegative();
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
    void manyPartsAndLargeBodiesAreRefusedSoon() {
        String parts =
                IntStream.range(0, 100_000).mapToObj(i -> "--batch_1\r\n\r\n").collect(Collectors.joining());
        refused(ServiceCode.INVALID_INPUT, parts + "--batch_1--");
        Refused.with(
                ServiceCode.REQUEST_BODY_TOO_LARGE,
                () -> BatchParser.parse(Body.of(new byte[(4 << 20) + 1]), TYPE, OUTER));
    }
}
