package cleave.frontend;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.core.FakeCluster;
import cleave.frontend.core.FakeMaster;
import cleave.frontend.core.SignedHeaders;
import cleave.model.Ticks;
import cleave.runtime.loop.Await;
import cleave.runtime.tls.CredentialsFolder;
import cleave.runtime.tls.TestAuthority;
import cleave.runtime.tls.TestAuthority.Issued;
import io.prometheus.client.CollectorRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.http.StreamResetException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** HTTP/2, asked by the client of the JDK, and by one that can be rude. */
@Timeout(300)
class Http2IT {
    private static final String ENTITY = "{\"PartitionKey\":\"p\",\"RowKey\":\"r\",\"N\":3}";
    private static final int BODY_BYTES_MAX = 4 << 20;
    private static final long CALM = 11;
    /** The window of the client that can be rude is much smaller than a large answer. */
    private static final int WINDOW_BYTES = 65_535;

    @TempDir
    static Path scratch;

    private static Issued issued;
    private static CredentialsFolder certificates;

    private final FakeCluster cluster = new FakeCluster();
    private final FakeMaster master = new FakeMaster(cluster);
    private final CollectorRegistry registry = new CollectorRegistry();
    private HttpClient client;
    private final Vertx vertx = Vertx.vertx();
    private final HttpClientAgent rude = vertx.createHttpClient(new HttpClientOptions()
            .setSsl(true)
            .setUseAlpn(true)
            .setTrustAll(true)
            .setVerifyHost(false)
            .setInitialSettings(new Http2Settings().setInitialWindowSize(WINDOW_BYTES))
            .setHttp2ConnectionWindowSize(WINDOW_BYTES)
            .setProtocolVersion(io.vertx.core.http.HttpVersion.HTTP_2));
    private FrontEndServer server;

    @BeforeAll
    static void issue() throws IOException {
        issued = new TestAuthority(scratch).issue("front-end");
        certificates = CredentialsFolder.ofServer(
                TestAuthority.write(scratch.resolve("tls"), issued), CredentialsFolder.Listener.NONE);
    }

    @BeforeEach
    void start() throws Exception {
        client = HttpClient.newBuilder()
                .sslContext(TestAuthority.believing(issued))
                .version(Version.HTTP_2)
                .build();
        start(Map.of());
        assertThat(send("POST", "/Tables", BodyPublishers.ofString("{\"TableName\":\"Orders\"}"))
                        .statusCode())
                .isEqualTo(201);
    }

    private void start(Map<String, String> more) {
        Map<String, String> settings = new TreeMap<>(Map.of(
                "front-end.listen", "none",
                "front-end.loops", "1",
                "front-end.body-timeout", "10m", // A slow machine takes long for large bodies.
                "front-end.listen-tls", "127.0.0.1:0",
                "front-end.tls-dir", scratch.toString()));
        settings.putAll(more);
        server = TestServers.start(cluster, master, registry, settings, certificates.keys());
    }

    @AfterEach
    void stop() {
        vertx.close()
                .toCompletionStage()
                .toCompletableFuture()
                .join(); // First, or the server waits for streams left open.
        server.close();
    }

    private static Map<String, String> headers(String target) {
        SignedHeaders signed = new SignedHeaders()
                .with("x-ms-version", "2019-02-02")
                .with("Accept", "application/json;odata=nometadata")
                .signed("/devstoreaccount1" + target, Ticks.of(Instant.now()));
        Map<String, String> headers = new TreeMap<>();
        signed.lines().lines().forEach(line -> {
            int colon = line.indexOf(": ");
            headers.put(line.substring(0, colon), line.substring(colon + 2));
        });
        return headers;
    }

    private HttpRequest request(String verb, String target, BodyPublisher body, String... more) {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create("https://localhost:" + server.tlsPort() + "/devstoreaccount1" + target))
                .method(verb, body);
        headers(target).forEach(request::header);
        return more.length == 0 ? request.build() : request.headers(more).build();
    }

    private HttpResponse<String> send(String verb, String target, BodyPublisher body, String... more)
            throws IOException, InterruptedException {
        HttpResponse<String> response = client.send(request(verb, target, body, more), BodyHandlers.ofString());
        assertThat(response.version()).isEqualTo(Version.HTTP_2);
        return response;
    }

    private void assertServesOnOneConnection() throws Exception {
        assertThat(send("GET", "/Tables", BodyPublishers.noBody()).statusCode()).isEqualTo(200);
        assertThat(registry.getSampleValue("cleave_front_end_connections")).isEqualTo(1);
        assertThat(registry.getSampleValue("cleave_front_end_requests_in_flight"))
                .isZero();
    }

    @Test
    void anAnswerHasTheSameFieldsAsEverAndTheHostOfTheRequest() throws Exception {
        HttpResponse<String> inserted =
                send("POST", "/Orders", BodyPublishers.ofString(ENTITY), "Prefer", "return-no-content");

        assertThat(inserted.statusCode()).isEqualTo(204);
        assertThat(inserted.headers().firstValue("location"))
                .hasValue("https://localhost:" + server.tlsPort()
                        + "/devstoreaccount1/Orders(PartitionKey='p',RowKey='r')");
        assertThat(inserted.headers().map().keySet())
                .contains("etag", "x-ms-request-id", "x-ms-version", "date", "preference-applied")
                .doesNotContain("connection", "keep-alive", "transfer-encoding");
        HttpResponse<String> missing = send("GET", "/Nothing()", BodyPublishers.noBody());
        assertThat(missing.statusCode()).isEqualTo(404);
        assertThat(missing.body()).contains("TableNotFound");
    }

    @Test
    void manyRequestsShareAConnection() throws Exception {
        List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
        assertServesOnOneConnection(); // How many streams it may open, the client knows only now.
        for (int i = 0; i < 90; i++) {
            String entity = "{\"PartitionKey\":\"p\",\"RowKey\":\"r" + i + "\",\"N\":" + i + "}";
            all.add(client.sendAsync(
                    request("POST", "/Orders", BodyPublishers.ofString(entity)), BodyHandlers.ofString()));
        }
        for (CompletableFuture<HttpResponse<String>> one : all) {
            assertThat(one.get().statusCode()).isEqualTo(201);
        }
        all.clear();
        for (int i = 0; i < 90; i++) {
            all.add(client.sendAsync(
                    request("GET", "/Orders(PartitionKey='p',RowKey='r" + i + "')?$select=N", BodyPublishers.noBody()),
                    BodyHandlers.ofString()));
        }
        for (int i = 0; i < 90; i++) {
            assertThat(all.get(i).get().body()).isEqualTo("{\"N\":" + i + "}");
        }
        assertServesOnOneConnection();
    }

    @Test
    void largeBodiesAndLargePagesPass() throws Exception {
        assertThat(send("POST", "/Orders", BodyPublishers.ofByteArray(new byte[BODY_BYTES_MAX]))
                        .statusCode())
                .isEqualTo(400);
        String text = "x".repeat(30_000);
        for (int i = 0; i < 40; i++) {
            String entity = "{\"PartitionKey\":\"p\",\"RowKey\":\"r" + (i + 10) + "\",\"A\":\"" + text + "\",\"B\":\""
                    + text + "\"}";
            assertThat(send("POST", "/Orders", BodyPublishers.ofString(entity)).statusCode())
                    .isEqualTo(201);
        }
        HttpResponse<String> page = send("GET", "/Orders()?$select=A,B", BodyPublishers.noBody());
        assertThat(page.body())
                .isEqualTo("{\"value\":["
                        + String.join(
                                ",",
                                java.util.Collections.nCopies(40, "{\"A\":\"" + text + "\",\"B\":\"" + text + "\"}"))
                        + "]}");
        assertServesOnOneConnection();
    }

    @Test
    void aBodyThatIsTooLargeCostsItsStreamOnly() throws Exception {
        byte[] large = new byte[BODY_BYTES_MAX + 1];
        assertThat(send("POST", "/Orders", BodyPublishers.ofByteArray(large)).statusCode())
                .isEqualTo(413);
        assertThat(send("POST", "/Orders", BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(large)))
                        .statusCode())
                .isEqualTo(413);
        assertServesOnOneConnection();
    }

    @Test
    void aRefusalIsReadThoughTheBodyIsStillComing() throws Exception {
        HttpRequest signed = request("POST", "/Orders", BodyPublishers.ofByteArray(new byte[3 << 20]));
        HttpRequest old = HttpRequest.newBuilder(signed, (name, value) -> !name.equals("x-ms-date"))
                .header("x-ms-date", "Fri, 01 Jan 1999 00:00:00 GMT")
                .build();
        HttpResponse<String> refused = client.send(old, BodyHandlers.ofString());

        assertThat(refused.statusCode()).isEqualTo(403);
        assertServesOnOneConnection();
    }

    @Test
    void whoExpectsToBeToldToGoOnIsTold() throws Exception {
        HttpRequest asks = HttpRequest.newBuilder(
                        request("POST", "/Orders", BodyPublishers.ofString(ENTITY)), (n, v) -> true)
                .expectContinue(true)
                .build();
        assertThat(client.send(asks, BodyHandlers.ofString()).statusCode()).isEqualTo(201);
        assertServesOnOneConnection();
    }

    @Test
    void headsHaveLimits() throws Exception {
        assertThat(send("GET", "/Orders?x=" + "y".repeat(40_000), BodyPublishers.noBody())
                        .statusCode())
                .isEqualTo(414);
        assertServesOnOneConnection();
    }

    private HttpClientRequest rudely(HttpMethod verb, String target) throws Exception {
        RequestOptions options = new RequestOptions()
                .setMethod(verb)
                .setHost("localhost")
                .setPort(server.tlsPort())
                .setURI("/devstoreaccount1" + target);
        headers(target).forEach(options::putHeader);
        return rude.request(options).toCompletionStage().toCompletableFuture().get();
    }

    private static int status(Future<HttpClientResponse> response) throws Exception {
        return response.toCompletionStage().toCompletableFuture().get().statusCode();
    }

    @Test
    void whoSendsNoWholeBodyLosesItsStream() throws Exception {
        server.close();
        start(Map.of("front-end.body-timeout", "300ms"));
        CompletableFuture<Throwable> lost = new CompletableFuture<>();
        HttpClientRequest slow = rudely(HttpMethod.POST, "/Orders");
        slow.exceptionHandler(lost::complete);
        slow.setChunked(true).write("{");

        assertThat(lost.get())
                .isInstanceOfSatisfying(
                        StreamResetException.class,
                        reset -> assertThat(reset.getCode()).isEqualTo(CALM));
        assertThat(TestServers.ended(registry, "slow-body")).isEqualTo(1);
        assertThat(status(rudely(HttpMethod.GET, "/Tables").send())).isEqualTo(200);
        assertThat(registry.getSampleValue("cleave_front_end_connections")).isEqualTo(1);
        assertThat(registry.getSampleValue("cleave_front_end_requests_in_flight"))
                .isZero();
    }

    @Test
    void whoTakesNoAnswerLosesItsStream() throws Exception {
        server.close();
        start(Map.of("front-end.answer-timeout", "500ms"));
        String text = "x".repeat(30_000);
        for (int i = 0; i < 10; i++) {
            String entity = "{\"PartitionKey\":\"p\",\"RowKey\":\"r" + i + "\",\"A\":\"" + text + "\"}";
            assertThat(send("POST", "/Orders", BodyPublishers.ofString(entity)).statusCode())
                    .isEqualTo(201);
        }
        HttpClientRequest slow = rudely(HttpMethod.GET, "/Orders()");
        slow.response().onSuccess(HttpClientResponse::pause);
        slow.end();
        Await.until("the slow reader's end", () -> TestServers.ended(registry, "slow-reader") > 0);

        assertThat(TestServers.ended(registry, "slow-reader")).isEqualTo(1);
        assertThat(status(rudely(HttpMethod.GET, "/Tables").send())).isEqualTo(200);
    }

    @Test
    void whoResetsStreamAfterStreamLosesItsConnection() throws Exception {
        HttpClientRequest first = rudely(HttpMethod.GET, "/Tables");
        CompletableFuture<Void> closed = new CompletableFuture<>();
        first.connection().closeHandler(closed::complete);
        first.send();
        for (int i = 0; i < 300 && !closed.isDone(); i++) {
            rude.request(new RequestOptions()
                            .setHost("localhost")
                            .setPort(server.tlsPort())
                            .setURI("/devstoreaccount1/Tables"))
                    .onSuccess(request -> {
                        request.writeHead();
                        request.reset(8);
                    });
        }

        closed.get(30, TimeUnit.SECONDS);
        assertThat(send("GET", "/Tables", BodyPublishers.noBody()).statusCode()).isEqualTo(200);
    }

    private RawHttp2 raw() throws Exception {
        return RawHttp2.open(TestAuthority.believing(issued), server.tlsPort(), Map.of());
    }

    /** An insert whose body has begun. */
    private HttpClientRequest busy() throws Exception {
        HttpClientRequest busy = rudely(HttpMethod.POST, "/Orders");
        busy.putHeader("Content-Length", Integer.toString(ENTITY.length())).write(ENTITY.substring(0, 5));
        Await.until("the request", () -> registry.getSampleValue("cleave_front_end_requests_in_flight") == 1);
        return busy;
    }

    @Test
    void aServerThatLeavesSendsGoAwayAndServesTheStreamsThatAreOpen() throws Exception {
        HttpClientRequest busy = busy();
        CompletableFuture<Void> told = new CompletableFuture<>();
        busy.connection().goAwayHandler(away -> told.complete(null));
        server.leave();
        told.get();
        busy.end(Buffer.buffer(ENTITY.substring(5)));

        assertThat(status(busy.response())).isEqualTo(201);
    }

    /** The JDK's client gives up a stream whose answer it has not read to its end by then. */
    @Test
    void aNewConnectionToAServerThatLeavesIsServedAndToldAfterItsAnswer() throws Exception {
        server.leave();
        byte[] block = RawHttp2.block("HEAD", "/devstoreaccount1/Tables", 0, 0);
        try (RawHttp2 client = raw()) {
            client.send(RawHttp2.head(1, block, true)).readUntil(RawHttp2.HEADERS, 1);
            client.readUntil(RawHttp2.GOAWAY, 0);
        }
    }

    @Test
    void aStreamThatCrossesTheGoAwayIsServed() throws Exception {
        byte[] block = RawHttp2.block("HEAD", "/devstoreaccount1/Tables", 0, 0);
        try (RawHttp2 client = raw()) {
            client.send(RawHttp2.head(1, block, true)).readUntil(RawHttp2.HEADERS, 1);
            server.leave();
            client.readUntil(RawHttp2.GOAWAY, 0);
            client.send(RawHttp2.head(3, block, true)).readUntil(RawHttp2.HEADERS, 3);
        }
    }

    @Test
    void aConnectionOfTheGreatestAgeGetsGoAwayAndServesWhatCrossesIt() throws Exception {
        server.close();
        start(Map.of("front-end.connection-age", "1s"));
        byte[] block = RawHttp2.block("HEAD", "/devstoreaccount1/Tables", 0, 0);
        try (RawHttp2 client = raw()) {
            client.send(RawHttp2.head(1, block, true)).readUntil(RawHttp2.HEADERS, 1);
            client.readUntil(RawHttp2.GOAWAY, 0);
            client.send(RawHttp2.head(3, block, true)).readUntil(RawHttp2.HEADERS, 3);
        }
        assertThat(TestServers.ended(registry, "age")).isEqualTo(1);
    }

    @Test
    void aCloseLetsStreamsComeToTheirEnd() throws Exception {
        HttpClientRequest busy = busy();
        CompletableFuture<Void> told = new CompletableFuture<>();
        busy.connection().goAwayHandler(away -> told.complete(null));
        CompletableFuture<Void> closing = CompletableFuture.runAsync(server::close);
        told.get();
        busy.end(Buffer.buffer(ENTITY.substring(5)));

        assertThat(status(busy.response())).isEqualTo(201);
        closing.get();
        start(Map.of());
    }

    @Test
    void whoDripsAHeadIsCutOffLongBeforeWhoIsIdle() throws Exception {
        server.close();
        start(Map.of("front-end.head-timeout", "300ms"));
        byte[] block = RawHttp2.block("HEAD", "/devstoreaccount1/Tables", 0, 0);
        try (RawHttp2 idle = raw();
                RawHttp2 head = raw();
                RawHttp2 frame = raw()) {
            idle.send(RawHttp2.head(1, block, true)).readUntil(RawHttp2.HEADERS, 1);
            head.send(RawHttp2.head(1, block, true)).readUntil(RawHttp2.HEADERS, 1);
            head.send(RawHttp2.frame(RawHttp2.HEADERS, RawHttp2.END_STREAM, 3, block));
            frame.send(new byte[] {0});

            assertThat(head.isClosed()).isTrue();
            assertThat(frame.isClosed()).isTrue();
            idle.send(RawHttp2.head(3, block, true)).readUntil(RawHttp2.HEADERS, 3);
        }
        assertThat(TestServers.ended(registry, "slow-head")).isEqualTo(2);
    }
}
