package cleave.frontend.http;

import cleave.frontend.loop.Answer;
import cleave.frontend.loop.FrontEndLoop;
import cleave.frontend.metrics.FrontEndMetrics;
import cleave.frontend.odata.Headers;
import cleave.frontend.odata.ServiceCode;
import cleave.frontend.odata.ServiceError;
import cleave.frontend.settings.FrontEndConfig.HttpLimits;
import cleave.loop.EventLoop;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;

/**
 * HTTP/1.1 for one event loop. Confined to its loop. Requests of one connection are answered one after the other, in their
 * order, and the next is not begun while the client has not taken the answers before it.
 */
public final class HttpService {
    private static final int URI_TOO_LONG = 414;
    private static final int HEADERS_TOO_LARGE = 431;

    private final EventLoop loop;
    private final FrontEndLoop core;
    private final HttpLimits limits;
    private final FrontEndMetrics metrics;
    private final InFlight inFlight;
    private final AnswerWriter answers;
    private final ClientConnections connections;

    /**
     * The service of one of several loops.
     *
     * @param inFlightMax of this loop
     * @param connectionsMax of this loop
     */
    public HttpService(
            EventLoop loop,
            FrontEndLoop core,
            HttpLimits limits,
            int inFlightMax,
            int connectionsMax,
            FrontEndMetrics metrics) {
        this.loop = loop;
        this.core = core;
        this.limits = limits;
        this.metrics = metrics;
        this.inFlight = new InFlight(inFlightMax, metrics);
        this.answers = new AnswerWriter(loop);
        this.connections = new ClientConnections(loop, limits, connectionsMax, metrics);
    }

    /**
     * Begins to listen, together with the other loops that listen on the same port of this Vert.x.
     *
     * @param port negative: the system chooses one, the same for all that name the same negative number
     */
    public Future<HttpServer> listen(Vertx vertx, String host, int port) {
        HttpServerOptions options = new HttpServerOptions()
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
        return vertx.createHttpServer(options)
                .connectionHandler(connections::opened)
                .requestHandler(this::arrived)
                .invalidRequestHandler(this::unreadable)
                .listen(port, host);
    }

    private void arrived(HttpServerRequest http) {
        ClientConnection connection = connections.of(http.connection());
        if (connection == null) {
            http.connection().close();
        } else if (http.response().writeQueueFull()) {
            http.pause();
            http.response().drainHandler(nothing -> {
                http.response().drainHandler(null);
                new Exchange(this, connection, http).begin();
                http.resume();
            });
        } else {
            new Exchange(this, connection, http).begin();
        }
    }

    /** The request line or the headers are malformed or too long; the connection ends with the answer. */
    private void unreadable(HttpServerRequest http) {
        Throwable cause = http.decoderResult().cause();
        ServiceError error = cause instanceof TooLongHttpLineException
                ? ServiceError.of(ServiceCode.INVALID_URI).withStatus(URI_TOO_LONG)
                : cause instanceof TooLongHttpHeaderException
                        ? ServiceError.of(ServiceCode.INVALID_HEADER_VALUE).withStatus(HEADERS_TOO_LARGE)
                        : ServiceError.of(ServiceCode.INVALID_INPUT);
        String requestId = core.requestId();
        Answer answer = core.refuseUnreadable(requestId, error);
        HttpServerResponse response = http.response();
        answers.writeHead(http, requestId, Headers.NONE, answer);
        response.putHeader("Connection", "close");
        response.end(Buffer.buffer(answer.body()))
                .onComplete(done -> http.connection().close());
    }

    EventLoop loop() {
        return loop;
    }

    FrontEndLoop core() {
        return core;
    }

    HttpLimits limits() {
        return limits;
    }

    FrontEndMetrics metrics() {
        return metrics;
    }

    InFlight inFlight() {
        return inFlight;
    }

    AnswerWriter answers() {
        return answers;
    }
}
