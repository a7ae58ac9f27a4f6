package cleave.deploy.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient.Version;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLSession;
import org.junit.jupiter.api.Test;

class SignedHttpTest {
    /** As it was received. */
    private record Answer(int statusCode, String text) implements HttpResponse<byte[]> {
        @Override
        public byte[] body() {
            return text.getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public HttpRequest request() {
            return HttpRequest.newBuilder(uri()).build();
        }

        @Override
        public Optional<HttpResponse<byte[]>> previousResponse() {
            return Optional.empty();
        }

        @Override
        public HttpHeaders headers() {
            return HttpHeaders.of(Map.of(), (name, value) -> true);
        }

        @Override
        public Optional<SSLSession> sslSession() {
            return Optional.empty();
        }

        @Override
        public URI uri() {
            return URI.create("http://127.0.0.1:1/a");
        }

        @Override
        public Version version() {
            return Version.HTTP_1_1;
        }
    }

    private static String problem(int status, String text) {
        return SignedHttp.problem(new Answer(status, text));
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
        assertThat(SignedHttp.refusedOperation(new Answer(202, text))).isEqualTo(12);
        assertThat(SignedHttp.refusedOperation(new Answer(503, ""))).isEqualTo(-1);
    }
}
