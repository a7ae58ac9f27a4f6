package cleave.frontend.http;

import cleave.frontend.core.FrontEndCore;
import cleave.frontend.metrics.FrontEndMetrics;
import cleave.frontend.protocol.odata.Headers;
import cleave.frontend.protocol.odata.HttpDate;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.frontend.request.Answer;
import cleave.frontend.settings.FrontEndConfig.HttpLimits;
import cleave.runtime.loop.EventLoop;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.JdkSSLEngineOptions;
import io.vertx.core.net.KeyCertOptions;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.X509ExtendedKeyManager;

/**
 * HTTP for one event loop: HTTP/1.1, and over TLS HTTP/2, too. Confined to its loop.
 *
 * <p>Requests of one connection of HTTP/1.1 are answered one after the other, in their order, and the next is not begun while the
 * client has not taken the answers before it. Those of HTTP/2 are answered concurrently, up to the maximum number of streams.
 */
public final class HttpService {
    private static final int URI_TOO_LONG = 414;
    private static final int HEADERS_TOO_LARGE = 431;
    private static final int VERSION_NOT_SUPPORTED = 505;
    /** Streams of one connection at a time, including those whose answers the client has not taken. */
    private static final int STREAMS_MAX = 100;

    private static final int STREAM_WINDOW_BYTES = 256 << 10;
    private static final int CONNECTION_WINDOW_BYTES = 1 << 20;
    /** A client that resets more streams in this time, or has more reset, loses its connection (CVE-2023-44487, CVE-2025-8671). */
    private static final int RESETS_MAX = 200;

    private static final int RESETS_SECONDS = 30;
    /** Small ones in one head (CVE-2024-27316). */
    private static final int CONTINUATIONS_MAX = 16;

    private static final long PROTOCOL_ERROR = 1;
    private static final Set<String> TLS_VERSIONS = new LinkedHashSet<>(List.of("TLSv1.3", "TLSv1.2"));

    private final EventLoop loop;
    private final FrontEndCore core;
    private final HttpLimits limits;
    private final FrontEndMetrics metrics;
    private final Closings closings;
    private final HttpDate date = new HttpDate();
    private final ClientConnections connections;
    private boolean leaving;

    /**
     * The service of one of several loops.
     *
     * @param unsignedMax bytes of this loop that connections may keep without a signature
     */
    public HttpService(
            EventLoop loop,
            FrontEndCore core,
            HttpLimits limits,
            long unsignedMax,
            Closings closings,
            FrontEndMetrics metrics) {
        this.loop = loop;
        this.core = core;
        this.limits = limits;
        this.metrics = metrics;
        this.closings = closings;
        this.connections = new ClientConnections(loop, limits, options().getHttp1Config(), unsignedMax, closings);
    }

    /**
     * Begins to serve HTTP, together with the other loops that listen on the same port of this Vert.x.
     *
     * @param port negative: the system chooses one, the same for all that name the same negative number
     */
    public Future<HttpServer> listen(Vertx vertx, String host, int port) {
        return listen(vertx, options(), host, port);
    }

    /**
     * The same for HTTPS.
     *
     * @param keys asked at each handshake
     */
    public Future<HttpServer> listenTls(Vertx vertx, String host, int port, X509ExtendedKeyManager keys) {
        HttpServerOptions options = options()
                .setSsl(true)
                .setSslEngineOptions(new JdkSSLEngineOptions())
                .setEnabledSecureTransportProtocols(TLS_VERSIONS)
                .setKeyCertOptions(KeyCertOptions.wrap(keys))
                .setUseAlpn(true)
                .setAlpnVersions(List.of(HttpVersion.HTTP_2, HttpVersion.HTTP_1_1))
                .setInitialSettings(new Http2Settings()
                        .setMaxConcurrentStreams(STREAMS_MAX)
                        .setMaxHeaderListSize(limits.headerBytes())
                        .setInitialWindowSize(STREAM_WINDOW_BYTES))
                .setHttp2ConnectionWindowSize(CONNECTION_WINDOW_BYTES)
                .setHttp2RstFloodMaxRstFramePerWindow(RESETS_MAX)
                .setHttp2RstFloodWindowDuration(RESETS_SECONDS)
                .setHttp2RstFloodWindowDurationTimeUnit(TimeUnit.SECONDS)
                .setHttp2MaxSmallContinuationFrames(CONTINUATIONS_MAX);
        return listen(vertx, options, host, port);
    }

    private HttpServerOptions options() {
        return new HttpServerOptions()
                .setMaxInitialLineLength(limits.requestLineBytes())
                .setMaxHeaderSize(limits.headerBytes())
                .setHandle100ContinueAutomatically(false)
                .setHttp2ClearTextEnabled(false)
                .setCompressionSupported(false)
                .setDecompressionSupported(false)
                // Both off: else a handler for web sockets is in the pipeline, which refuses long pipelines of
                // requests.
                .setPerFrameWebSocketCompressionSupported(false)
                .setPerMessageWebSocketCompressionSupported(false)
                .setAcceptBacklog(1024)
                .setTcpNoDelay(true);
    }

    private Future<HttpServer> listen(Vertx vertx, HttpServerOptions options, String host, int port) {
        return vertx.createHttpServer(options)
                .connectionHandler(connections::opened)
                .requestHandler(this::arrived)
                .invalidRequestHandler(this::unreadable)
                .listen(port, host);
    }

    private void arrived(HttpServerRequest http) {
        loop.assertInside();
        ClientConnection connection = connections.of(http.connection());
        if (connection == null) {
            http.connection().close();
        } else if (connection.isMultiplexed()) {
            arrivedOnStream(connection, http);
        } else if (connection.ends()) {
            http.pause(); // Its client was told that the connection closes (RFC 9112, section 9.6).
        } else if (http.response().writeQueueFull()) {
            http.pause();
            http.response().drainHandler(nothing -> {
                http.response().drainHandler(null);
                new Http1Exchange(this, connection, http).begin();
                http.resume();
            });
        } else {
            new Http1Exchange(this, connection, http).begin();
        }
    }

    /** A stream's queue is empty when it begins; windows hold it back. Only CONNECT has no path. */
    private void arrivedOnStream(ClientConnection connection, HttpServerRequest http) {
        if (connection.exchanges() >= STREAMS_MAX) {
            connections.abort(connection, Closings.Reason.STREAMS);
        } else if (http.uri() == null) {
            http.response().reset(PROTOCOL_ERROR);
        } else if (http.uri().length() > limits.requestLineBytes()) {
            new Http2Exchange(this, connection, http)
                    .begin(ServiceError.of(ServiceCode.INVALID_URI).withStatus(URI_TOO_LONG));
        } else if (HeaderFields.of(http).areTooMany()) {
            new Http2Exchange(this, connection, http)
                    .begin(ServiceError.of(ServiceCode.INVALID_HEADER_VALUE).withStatus(HEADERS_TOO_LARGE));
        } else {
            new Http2Exchange(this, connection, http).begin();
        }
    }

    /** The request line or the headers are malformed or too long; the connection ends with the answer. */
    private void unreadable(HttpServerRequest http) {
        loop.assertInside();
        Throwable cause = http.decoderResult().cause();
        ServiceError error = cause instanceof TooLongHttpLineException
                ? ServiceError.of(ServiceCode.INVALID_URI).withStatus(URI_TOO_LONG)
                : cause instanceof TooLongHttpHeaderException
                        ? ServiceError.of(ServiceCode.INVALID_HEADER_VALUE).withStatus(HEADERS_TOO_LARGE)
                        : cause instanceof MeteredRequestDecoder.OtherVersion
                                ? ServiceError.of(ServiceCode.INVALID_INPUT).withStatus(VERSION_NOT_SUPPORTED)
                                : ServiceError.of(ServiceCode.INVALID_INPUT);
        http.response().putHeader("Connection", "close");
        answerUnreadable(http, error).onComplete(done -> http.connection().close());
    }

    /** Writes the head of an answer; the caller writes the body. */
    void writeHead(HttpServerRequest http, String requestId, Headers asked, Answer answer) {
        AnswerWriter.writeHead(http, requestId, asked, answer, date.of(loop.ticks()));
    }

    private Future<Void> answerUnreadable(HttpServerRequest http, ServiceError error) {
        String requestId = core.requestId();
        Answer answer = core.refuseUnreadable(requestId, error);
        writeHead(http, requestId, Headers.NONE, answer);
        return http.response().end(AnswerWriter.body(answer));
    }

    /**
     * Begins to send clients elsewhere: a connection of HTTP/1.1 closes with its next answer, one of HTTP/2 gets GOAWAY, at once or
     * with its first answer. Requests are served as before.
     */
    public void leave() {
        loop.assertInside();
        leaving = true;
        connections.leave();
    }

    /** True if connections are to end with their next answer. */
    boolean isLeaving() {
        return leaving;
    }

    EventLoop loop() {
        return loop;
    }

    FrontEndCore core() {
        return core;
    }

    HttpLimits limits() {
        return limits;
    }

    FrontEndMetrics metrics() {
        return metrics;
    }

    Closings closings() {
        return closings;
    }
}
