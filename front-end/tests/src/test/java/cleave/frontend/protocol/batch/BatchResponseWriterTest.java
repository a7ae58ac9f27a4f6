package cleave.frontend.protocol.batch;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.odata.MetadataLevel;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class BatchResponseWriterTest {
    private static final String PART = "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n";
    private static final String JSON = "application/json;odata=minimalmetadata;streaming=true;charset=utf-8";

    private static String text(BatchResponse response) {
        return new String(response.body(), StandardCharsets.UTF_8);
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
    void aQueryThatFindsNothingKeepsItsContentIdAndItsLevel() {
        BatchError error = new BatchError(ServiceError.of(ServiceCode.RESOURCE_NOT_FOUND), "7", null);
        assertThat(text(BatchResponseWriter.notFound("G", error, MetadataLevel.NONE, "id", 0)))
                .contains("HTTP/1.1 404 Not Found\r\nContent-ID: 7\r\n", "odata=nometadata");
    }

    @Test
    void everyStatusHasAReason() {
        for (ServiceCode code : ServiceCode.values()) {
            assertThat(Reasons.of(code.status())).as(code.wireName()).isNotEqualTo("Status");
        }
    }
}
