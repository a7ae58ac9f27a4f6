package cleave.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AnswerTest {
    private static Answer answer(int status, String text) {
        return new Answer(status, Map.of(), text.getBytes(StandardCharsets.UTF_8));
    }

    private static String problem(int status, String text) {
        return answer(status, text).problem();
    }

    @Test
    void ofARefusalCodeAndMessageAreToldAndNothingElse() {
        assertThat(problem(404, """
                {"odata.error":{"code":"TableNotFound","message":{"lang":"en-US","value":"The table \\"t\\" does not exist.\\nRequestId:c67\\nTime:2026"}}}""")).isEqualTo("404 TableNotFound: The table \"t\" does not exist.");
        assertThat(problem(403, """
                <?xml version="1.0" encoding="utf-8"?><m:error xmlns:m="x"><m:code>AuthenticationFailed</m:code>\
                <m:message xml:lang="en-US">Server failed to authenticate.
                RequestId:1</m:message></m:error>""")).isEqualTo("403 AuthenticationFailed: Server failed to authenticate.");
        assertThat(problem(502, " <html>a proxy</html>\n")).isEqualTo("502: <html>a proxy</html>");
        assertThat(problem(502, "")).isEqualTo("502");
    }

    /** Its answer is 202, with the error in a part, whose message begins with the operation's number. */
    @Test
    void ofATransactionTheRefusedOperationIsTold() {
        String text = """
                --batchresponse_1\r
                Content-Type: multipart/mixed; boundary=changesetresponse_2\r
                \r
                --changesetresponse_2\r
                Content-Type: application/http\r
                \r
                HTTP/1.1 400 Bad Request\r
                DataServiceVersion: 3.0;\r
                \r
                {"odata.error":{"code":"InvalidInput","message":{"lang":"en-US","value":"12:The value of 'N' is no Edm.Int32.\\nRequestId:5"}}}\r
                --changesetresponse_2--\r
                --batchresponse_1--\r
                """;
        assertThat(problem(202, text)).isEqualTo("400 InvalidInput: The value of 'N' is no Edm.Int32.");
        assertThat(answer(202, text).refusedOperation()).isEqualTo(12);
        assertThat(answer(503, "").refusedOperation()).isEqualTo(-1);
    }

    @Test
    void aTransactionIsCommittedIfAllOfItsOperationsAreDone() {
        String done =
                "--b\r\n\r\nHTTP/1.1 204 No Content\r\nETag: 1\r\n\r\n--b\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n--b--";
        String refused = "--b\r\n\r\nHTTP/1.1 412 Precondition Failed\r\n\r\n{\"m\":\"HTTP/1.1 204\"}\r\n--b--";

        assertThat(answer(202, done).isCommitted()).isTrue();
        assertThat(answer(202, refused).isCommitted()).isFalse();
        assertThat(answer(202, refused).inner().status()).isEqualTo(412);
        assertThat(answer(202, "").isCommitted()).isFalse();
        assertThat(answer(200, done).isCommitted()).isFalse();
        assertThat(answer(503, "").inner().status()).isEqualTo(503);
    }
}
