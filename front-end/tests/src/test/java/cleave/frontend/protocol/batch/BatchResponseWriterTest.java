package cleave.frontend.protocol.batch;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.odata.MetadataLevel;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BatchResponseWriterTest {
    private static final String PART = "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n";
    private static final String LOCATION = "http://h/acct/Orders(PartitionKey='p',RowKey='r')";
    private static final String ETAG = "W/\"datetime'2024-05-01T08%3A00%3A00Z'\"";
    private static final String JSON = "application/json;odata=minimalmetadata;streaming=true;charset=utf-8";

    private static String text(BatchResponse response) {
        return new String(response.body(), StandardCharsets.UTF_8);
    }

    @Test
    void changesetIsWrittenByteForByteAsTheServiceDoes() {
        BatchResponse response = BatchResponseWriter.done(
                "G1",
                "G2",
                List.of(
                        new OperationResponse.Inserted("1", null, "return-no-content", LOCATION, ETAG, Body.EMPTY),
                        new OperationResponse.Inserted(null, JSON, null, LOCATION, ETAG, Body.of("{\"A\":1}")),
                        new OperationResponse.Changed(null, ETAG),
                        new OperationResponse.Changed(null, null)));
        assertThat(response.contentType()).isEqualTo("multipart/mixed; boundary=batchresponse_G1");
        assertThat(text(response))
                .isEqualTo("--batchresponse_G1\r\nContent-Type: multipart/mixed; boundary=changesetresponse_G2\r\n\r\n"
                        + "--changesetresponse_G2\r\n" + PART
                        + "HTTP/1.1 204 No Content\r\nContent-ID: 1\r\nX-Content-Type-Options: nosniff\r\n"
                        + "Cache-Control: no-cache\r\nPreference-Applied: return-no-content\r\nDataServiceVersion: 3.0;\r\n"
                        + "Location: " + LOCATION + "\r\nDataServiceId: " + LOCATION + "\r\nETag: " + ETAG
                        + "\r\n\r\n\r\n"
                        + "--changesetresponse_G2\r\n" + PART
                        + "HTTP/1.1 201 Created\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\n"
                        + "DataServiceVersion: 3.0;\r\nContent-Type: " + JSON + "\r\nLocation: " + LOCATION
                        + "\r\nETag: "
                        + ETAG + "\r\n\r\n{\"A\":1}\r\n"
                        + "--changesetresponse_G2\r\n" + PART
                        + "HTTP/1.1 204 No Content\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\n"
                        + "DataServiceVersion: 1.0;\r\nETag: " + ETAG + "\r\n\r\n\r\n"
                        + "--changesetresponse_G2\r\n" + PART
                        + "HTTP/1.1 204 No Content\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\n"
                        + "DataServiceVersion: 1.0;\r\n\r\n\r\n"
                        + "--changesetresponse_G2--\r\n--batchresponse_G1--\r\n");
    }

    @Test
    void refusedChangesetHasOnePartOnly() {
        ServiceError error = ServiceError.of(ServiceCode.ENTITY_ALREADY_EXISTS).ofOperation(3, 5);
        assertThat(text(BatchResponseWriter.refused(
                        "G1", "G2", new BatchError(error, "4", "return-no-content"), MetadataLevel.MINIMAL, "id", 0)))
                .isEqualTo("--batchresponse_G1\r\nContent-Type: multipart/mixed; boundary=changesetresponse_G2\r\n\r\n"
                        + "--changesetresponse_G2\r\n" + PART
                        + "HTTP/1.1 409 Conflict\r\nContent-ID: 4\r\nX-Content-Type-Options: nosniff\r\n"
                        + "Cache-Control: no-cache\r\nPreference-Applied: return-no-content\r\nDataServiceVersion: 3.0;\r\n"
                        + "Content-Type: " + JSON + "\r\n\r\n"
                        + "{\"odata.error\":{\"code\":\"EntityAlreadyExists\",\"message\":{\"lang\":\"en-US\",\"value\":"
                        + "\"3:The specified entity already exists.\\nRequestId:id\\nTime:1970-01-01T00:00:00.0000000Z\"}}}\r\n"
                        + "--changesetresponse_G2--\r\n--batchresponse_G1--\r\n");
    }

    @ParameterizedTest
    @CsvSource({
        "UPDATE_CONDITION_NOT_SATISFIED,0,1,''",
        "RESOURCE_NOT_FOUND,0,1,''",
        "ENTITY_ALREADY_EXISTS,0,1,''",
        "PROPERTY_VALUE_TOO_LARGE,0,1,''",
        "TABLE_NOT_FOUND,0,1,0:",
        "OUT_OF_RANGE_INPUT,0,1,0:",
        "INVALID_INPUT,0,1,0:",
        "ENTITY_ALREADY_EXISTS,0,2,0:",
        "RESOURCE_NOT_FOUND,1,2,1:",
        "INVALID_DUPLICATE_ROW,1,2,1:",
    })
    void indexIsMissingOnlyForExecutionErrorsOfASingleOperation(
            ServiceCode code, int operation, int operations, String prefix) {
        ServiceError error = ServiceError.of(code).ofOperation(operation, operations);
        assertThat(text(BatchResponseWriter.refused(
                        "a", "b", new BatchError(error, null, null), MetadataLevel.MINIMAL, "id", 0)))
                .contains("\"value\":\"" + prefix + code.text() + "\\nRequestId:");
    }

    @Test
    void errorOfNoOperationCountsAsTheFirsts() {
        ServiceError error = ServiceError.of(ServiceCode.TABLE_NOT_FOUND);
        assertThat(text(BatchResponseWriter.refused(
                        "a", "b", new BatchError(error, null, null), MetadataLevel.MINIMAL, "id", 0)))
                .contains("\"0:The table specified does not exist.\\n");
    }

    @Test
    void thatATableIsMissingIsToldWithTwoHeadersFewer() {
        BatchError refusal = new BatchError(ServiceError.of(ServiceCode.TABLE_NOT_FOUND), null, "return-no-content");
        assertThat(text(BatchResponseWriter.refused("G1", "G2", refusal, MetadataLevel.MINIMAL, "id", 0)))
                .isEqualTo("--batchresponse_G1\r\nContent-Type: multipart/mixed; boundary=changesetresponse_G2\r\n\r\n"
                        + "--changesetresponse_G2\r\n" + PART
                        + "HTTP/1.1 404 Not Found\r\nX-Content-Type-Options: nosniff\r\nDataServiceVersion: 3.0;\r\n"
                        + "Content-Type: " + JSON + "\r\n\r\n"
                        + "{\"odata.error\":{\"code\":\"TableNotFound\",\"message\":{\"lang\":\"en-US\",\"value\":"
                        + "\"0:The table specified does not exist.\\nRequestId:id\\nTime:1970-01-01T00:00:00.0000000Z\"}}}\r\n"
                        + "--changesetresponse_G2--\r\n--batchresponse_G1--\r\n");
    }

    @Test
    void pageOfAQuerySaysWhereTheNextOneBegins() {
        OperationResponse.Found answer =
                new OperationResponse.Found(200, "1", JSON, null, "1!4!cA--", "1!4!cg--", Body.of("{\"value\":[]}"));
        assertThat(text(BatchResponseWriter.found("G", answer)))
                .isEqualTo("--batchresponse_G\r\n" + PART
                        + "HTTP/1.1 200 OK\r\nContent-ID: 1\r\nX-Content-Type-Options: nosniff\r\n"
                        + "Cache-Control: no-cache\r\nDataServiceVersion: 3.0;\r\nContent-Type: " + JSON + "\r\n"
                        + "x-ms-continuation-NextPartitionKey: 1!4!cA--\r\nx-ms-continuation-NextRowKey: 1!4!cg--\r\n"
                        + "\r\n{\"value\":[]}\r\n--batchresponse_G--\r\n");
    }

    @Test
    void queryHasNoChangeset() {
        OperationResponse.Found answer =
                new OperationResponse.Found(200, null, JSON, ETAG, null, null, Body.of("{\"A\":1}"));
        assertThat(text(BatchResponseWriter.found("G", answer)))
                .isEqualTo("--batchresponse_G\r\n" + PART
                        + "HTTP/1.1 200 OK\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\n"
                        + "DataServiceVersion: 3.0;\r\nContent-Type: " + JSON + "\r\nETag: " + ETAG
                        + "\r\n\r\n{\"A\":1}\r\n--batchresponse_G--\r\n");
        assertThat(text(BatchResponseWriter.notFound(
                        "G",
                        new BatchError(ServiceError.of(ServiceCode.RESOURCE_NOT_FOUND), "7", null),
                        MetadataLevel.NONE,
                        "id",
                        0)))
                .contains(
                        "HTTP/1.1 404 Not Found\r\nContent-ID: 7\r\n",
                        "odata=nometadata",
                        "\"0:The specified resource does not exist.\\n");
    }

    @Test
    void everyStatusHasAReason() {
        for (ServiceCode code : ServiceCode.values()) {
            assertThat(Reasons.of(code.status())).as(code.wireName()).isNotEqualTo("Status");
        }
    }
}
