package cleave.chaos.bench.empty;

import cleave.client.Answer;
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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * Receives a request as a front end does, makes the call to the server that it would make, and sends a canned answer. Thread-safe. It verifies
 * no signature, parses nothing, and looks nothing up.
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

    private final Vertx vertx;
    /** One of each loop. */
    private final List<Channels> channels = new CopyOnWriteArrayList<>();

    private final String server;
    private final int port;
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

    /** @param answers by their HTTP methods */
    EmptyFrontEnd(int port, String server, Map<String, Answer> answers) {
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
            NetworkLoops thread = NetworkLoops.of(((ContextInternal) context).nettyEventLoop());
            Channels its = new Channels(cleave.runtime.rpc.Transport.PLAIN.on(thread));
            its.keep(() -> Set.of(server));
            channels.add(its);
            EventLoop loop = thread.loops(ThreadLoop::haltOnFault).get(0);
            RangeTransport calls = new SharedStreams(loop, its);
            return vertx.createHttpServer(new HttpServerOptions()
                            .setHandle100ContinueAutomatically(false)
                            .setHttp2ClearTextEnabled(false)
                            .setCompressionSupported(false)
                            .setDecompressionSupported(false)
                            .setPerFrameWebSocketCompressionSupported(false)
                            .setPerMessageWebSocketCompressionSupported(false)
                            .setAcceptBacklog(1024)
                            .setTcpNoDelay(true))
                    .requestHandler(http -> http.bodyHandler(body -> received(loop, calls, http)))
                    .listen(port, "127.0.0.1");
        }
    }

    private void received(EventLoop loop, RangeTransport calls, HttpServerRequest http) {
        called(calls, http.method().name())
                .whenComplete((reply, failure) -> loop.submit(() -> answer(http, failure != null)));
    }

    private CompletableFuture<?> called(RangeTransport calls, String method) {
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

    private void answer(HttpServerRequest http, boolean failed) {
        HttpServerResponse response = http.response();
        Ready answer = answers.get(http.method().name());
        if (failed || answer == null) {
            response.setStatusCode(failed ? 500 : 405).end();
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
