package cleave.frontend.http;

import cleave.frontend.protocol.odata.Headers;
import cleave.frontend.protocol.odata.HttpDate;
import cleave.frontend.protocol.odata.ProtocolVersion;
import cleave.frontend.request.Answer;
import cleave.frontend.request.Answer.Header;
import cleave.frontend.request.ClientRequestId;
import io.netty.buffer.Unpooled;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.internal.buffer.BufferInternal;
import org.jspecify.annotations.Nullable;

/** Writes response heads, with the headers that all responses have. Stateless. */
final class AnswerWriter {
    private static final CharSequence CACHE_CONTROL = HttpHeaders.createOptimized("Cache-Control");
    private static final CharSequence NO_CACHE = HttpHeaders.createOptimized("no-cache");
    private static final CharSequence SERVER = HttpHeaders.createOptimized("Server");
    private static final CharSequence SERVER_NAME =
            HttpHeaders.createOptimized("Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0");
    private static final CharSequence REQUEST_ID = HttpHeaders.createOptimized("x-ms-request-id");
    private static final CharSequence CLIENT_REQUEST_ID = HttpHeaders.createOptimized("x-ms-client-request-id");
    private static final CharSequence VERSION = HttpHeaders.createOptimized("x-ms-version");
    private static final CharSequence CONTENT_TYPE_OPTIONS = HttpHeaders.createOptimized("X-Content-Type-Options");
    private static final CharSequence NO_SNIFF = HttpHeaders.createOptimized("nosniff");
    private static final CharSequence DATE = HttpHeaders.createOptimized("Date");
    private static final CharSequence CONTENT_LENGTH = HttpHeaders.createOptimized("Content-Length");

    private static final int NOT_MODIFIED = 304;

    private AnswerWriter() {}

    /** Sets status and headers; the body, empty for HEAD, is written by the caller. */
    static void writeHead(HttpServerRequest request, String requestId, Headers asked, Answer answer, String date) {
        HttpServerResponse response = request.response();
        response.setStatusCode(answer.status());
        putFields(response.headers(), requestId, asked, request.query(), answer, date);
    }

    /**
     * @param query of the request
     * @param date of now, as {@link HttpDate} writes it
     */
    static void putFields(
            MultiMap fields, String requestId, Headers asked, @Nullable String query, Answer answer, String date) {
        if (!answer.isPlain()) {
            fields.set(CACHE_CONTROL, NO_CACHE);
            fields.set(CONTENT_TYPE_OPTIONS, NO_SNIFF);
        }
        for (Header header : answer.headers()) {
            fields.set(header.name(), header.value());
        }
        fields.set(SERVER, SERVER_NAME);
        fields.set(REQUEST_ID, requestId);
        String clientRequestId = asked.first("x-ms-client-request-id");
        if (clientRequestId != null && ClientRequestId.isEchoed(clientRequestId)) {
            fields.set(CLIENT_REQUEST_ID, clientRequestId);
        }
        fields.set(VERSION, ProtocolVersion.echo(asked, query));
        fields.set(DATE, date);
        if (answer.status() != NOT_MODIFIED) { // There it would be the length of what is not sent.
            fields.set(CONTENT_LENGTH, Integer.toString(answer.body().length));
        }
    }

    /** The body as it is sent: the array itself, of which Vert.x would make a copy. */
    static Buffer body(Answer answer) {
        return BufferInternal.buffer(Unpooled.wrappedBuffer(answer.body()));
    }

    /** True if the answer's body is to be sent. */
    static boolean sendsBody(HttpServerRequest request, Answer answer) {
        return answer.body().length > 0 && !HttpMethod.HEAD.equals(request.method());
    }
}
