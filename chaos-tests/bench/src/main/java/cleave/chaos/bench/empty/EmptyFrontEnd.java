package cleave.chaos.bench.empty;

import cleave.client.Answer;
import cleave.client.Endpoint;
import cleave.client.SharedKey;
import cleave.route.RangeTransport;
import cleave.route.rpc.SharedStreams;
import cleave.runtime.loop.EventLoop;
import cleave.runtime.loop.ThreadLoop;
import cleave.runtime.rpc.Channels;
import cleave.runtime.rpc.NetworkLoops;
import cleave.wire.ReadRequest;
import cleave.wire.Route;
import cleave.wire.WriteKind;
import cleave.wire.WriteOperation;
import cleave.wire.WriteRequest;
import com.google.protobuf.ByteString;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.transport.Transport;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Receives a request as a front end does, makes the call to the server that it would make, and sends a canned answer. Thread-safe. It verifies
 * no signature, parses nothing, and looks nothing up. The echo, on the other hand, has no server: it verifies the signature and answers.
 */
final class EmptyFrontEnd implements AutoCloseable {
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final int DEADLINE_MILLIS = 30_000;
    /** The default of a front end, as are the options below. */
    private static final int LOOPS = Runtime.getRuntime().availableProcessors();

    private static final Route ROUTE =
            Route.newBuilder().setRange(1).setEpoch(1_000).build();
    private static final ReadRequest READ = ReadRequest.newBuilder()
            .setRoute(ROUTE)
            .setKey(Payload.KEY)
            .setDeadlineMillis(DEADLINE_MILLIS)
            .setAccount(1)
            .setRequestHigh(Long.MIN_VALUE)
            .setRequestLow(Long.MIN_VALUE)
            .build();

    private static final HttpServerOptions OPTIONS = new HttpServerOptions()
            .setHandle100ContinueAutomatically(false)
            .setHttp2ClearTextEnabled(false)
            .setCompressionSupported(false)
            .setDecompressionSupported(false)
            .setPerFrameWebSocketCompressionSupported(false)
            .setPerMessageWebSocketCompressionSupported(false)
            .setAcceptBacklog(1024)
            .setTcpNoDelay(true);

    private final Vertx vertx;
    /** One of each loop. */
    private final List<Channels> channels = new CopyOnWriteArrayList<>();

    /** Null: it is the echo. */
    private final @Nullable String server;

    private final int port;
    private final SharedKey key = new SharedKey(Endpoint.DEVELOPMENT_ACCOUNT, Endpoint.DEVELOPMENT_KEY);
    private final Map<String, Ready> answers = new HashMap<>();

    /** An answer in the form in which Vert.x sends it. */
    private record Ready(int status, List<Map.Entry<CharSequence, CharSequence>> headers, Buffer body) {
        static Ready of(Answer answer) {
            List<Map.Entry<CharSequence, CharSequence>> headers = new ArrayList<>();
            answer.headers()
                    .forEach((name, value) -> headers.add(
                            Map.entry(HttpHeaders.createOptimized(name), HttpHeaders.createOptimized(value))));
            return new Ready(answer.status(), List.copyOf(headers), Buffer.buffer(answer.body()));
        }
    }

    /**
     * @param server null: it is the echo
     * @param answers by their HTTP methods
     */
    EmptyFrontEnd(int port, @Nullable String server, Map<String, Answer> answers) {
        this.port = port;
        this.server = server;
        answers.forEach((method, answer) -> this.answers.put(method, Ready.of(answer)));
        Transport fast = Transport.nativeTransport();
        this.vertx = Vertx.builder()
                .with(new VertxOptions()
                        .setEventLoopPoolSize(LOOPS)
                        .setFileSystemOptions(new FileSystemOptions()
                                .setClassPathResolvingEnabled(false)
                                .setFileCachingEnabled(false)))
                .withTransport(fast != null && fast.available() ? fast : Transport.NIO)
                .build();
    }

    void start() {
        vertx.deployVerticle(Loop::new, new DeploymentOptions().setInstances(LOOPS))
                .await();
    }

    String address() {
        return "http://127.0.0.1:" + port;
    }

    /** One event loop. */
    private final class Loop extends VerticleBase {
        @Override
        public Future<?> start() {
            return vertx.createHttpServer(OPTIONS)
                    .requestHandler(server == null ? EmptyFrontEnd.this::echoed : calling(server))
                    .listen(port, "127.0.0.1");
        }

        private Handler<HttpServerRequest> calling(String server) {
            NetworkLoops thread = NetworkLoops.of(((ContextInternal) context).nettyEventLoop());
            Channels its = new Channels(cleave.runtime.rpc.Transport.PLAIN.on(thread));
            its.keep(() -> Set.of(server));
            channels.add(its);
            EventLoop loop = thread.loops(ThreadLoop::haltOnFault).get(0);
            RangeTransport calls = new SharedStreams(loop, its);
            return http -> http.bodyHandler(body -> called(
                            server, calls, http.method().name())
                    .whenComplete((reply, failure) -> loop.submit(() -> answer(http, failure == null ? 0 : 500))));
        }
    }

    private void echoed(HttpServerRequest http) {
        http.bodyHandler(body -> answer(http, isSigned(http) ? 0 : 403));
    }

    /** True if a client of the development account signed it in the short form, as the load does. */
    private boolean isSigned(HttpServerRequest http) {
        String date = http.getHeader("x-ms-date");
        String signature = http.getHeader(HttpHeaders.AUTHORIZATION);
        return date != null
                && signature != null
                && MessageDigest.isEqual(bytes(signature), bytes(key.lite(date, http.path(), "")));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static CompletableFuture<?> called(String server, RangeTransport calls, String method) {
        return switch (method) {
            case "POST" -> calls.write(server, written(WriteKind.INSERT, Payload.ENTITY), TIMEOUT_NANOS);
            case "PATCH" -> calls.write(server, written(WriteKind.MERGE, Payload.CHANGES), TIMEOUT_NANOS);
            default -> calls.read(server, READ, TIMEOUT_NANOS);
        };
    }

    private static WriteRequest written(WriteKind kind, ByteString entity) {
        return WriteRequest.newBuilder()
                .setRoute(ROUTE)
                .addOperations(WriteOperation.newBuilder()
                        .setKind(kind)
                        .setKey(Payload.KEY)
                        .setEntity(entity))
                .setDeadlineMillis(DEADLINE_MILLIS)
                .setAccount(1)
                .setRequestHigh(Long.MIN_VALUE)
                .setRequestLow(Long.MIN_VALUE)
                .build();
    }

    /** @param error its status; 0: none */
    private void answer(HttpServerRequest http, int error) {
        HttpServerResponse response = http.response();
        Ready answer = answers.get(http.method().name());
        if (error != 0 || answer == null) {
            response.setStatusCode(error != 0 ? error : 405).end();
            return;
        }
        response.setStatusCode(answer.status());
        answer.headers().forEach(header -> response.putHeader(header.getKey(), header.getValue()));
        response.end(answer.body());
    }

    @Override
    public void close() {
        channels.forEach(Channels::close);
        vertx.close();
    }
}
