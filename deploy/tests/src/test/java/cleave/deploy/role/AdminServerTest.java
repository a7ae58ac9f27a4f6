package cleave.deploy.role;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.model.Readiness;
import io.prometheus.client.Collector;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Histogram;
import io.prometheus.client.hotspot.DefaultExports;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AdminServerTest {
    private final CollectorRegistry registry = new CollectorRegistry();
    private final AtomicReference<Readiness> readiness = new AtomicReference<>(Readiness.READY);
    private final HttpClient http = HttpClient.newHttpClient();
    private volatile List<String> stuck = List.of();
    private AdminServer server;

    @BeforeEach
    void start() {
        server = AdminServer.start(new ListenAddress("127.0.0.1", 0), registry, readiness::get, () -> stuck);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private HttpRequest.Builder to(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path));
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return http.send(to(path).build(), BodyHandlers.ofString());
    }

    @Test
    void aProcessWithAStuckLoopIsNotHealthy() throws IOException, InterruptedException {
        assertThat(get("/healthz").statusCode()).isEqualTo(200);
        stuck = List.of("ranges-0 has run nothing for 61 s");

        HttpResponse<String> answer = get("/healthz");

        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.body()).isEqualTo("ranges-0 has run nothing for 61 s\n");
    }

    /** A page in a browser may have its own name resolve to this machine, but cannot have the browser name another host. */
    @ParameterizedTest
    @CsvSource({
        "127.0.0.1:9, 200",
        "127.0.0.1, 200",
        "10.1.2.3:9100, 200",
        "[::1]:9100, 200",
        "localhost:9100, 200",
        "LocalHost, 200",
        "evil.example:9100, 421",
        "evil.example, 421",
        "127.0.0.1.evil.example, 421",
        "localhost.evil.example:9, 421",
        "'', 421",
        "[evil, 421"
    })
    void aNameThatResolvesElsewhereIsNotServed(String host, int status) throws IOException {
        assertThat(raw("GET /metrics HTTP/1.1\r\nHost: " + host + "\r\n\r\n")).startsWith("HTTP/1.1 " + status + " ");
    }

    @Test
    void aProbeWithoutAHostIsServedAndOneWithTwoNeedsBoth() throws IOException {
        assertThat(raw("GET /healthz HTTP/1.0\r\n\r\n")).startsWith("HTTP/1.1 200 ");
        assertThat(raw("GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n"))
                .startsWith("HTTP/1.1 421 ");
    }

    private String raw(String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Where other machines reach the port, monitoring may know it by any name: that of a service, of a pod, of a machine. */
    @Test
    void aPortForOtherMachinesHasAnyName() throws IOException {
        stop();
        server = AdminServer.start(new ListenAddress("0.0.0.0", 0), registry, readiness::get, () -> stuck);

        assertThat(raw("GET /metrics HTTP/1.1\r\nHost: cleave-server-0.cleave.svc:9100\r\n\r\n"))
                .startsWith("HTTP/1.1 200 ");
    }

    @Test
    void metricsAreInTheFormatOfPrometheusWithTheJvmAmongThem() throws Exception {
        Counter.build("cleave_test_events_total", "Events.").register(registry).inc(3);
        DefaultExports.register(registry);

        HttpResponse<String> answer = get("/metrics");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("text/plain; version=0.0.4"));
        assertThat(answer.body()).contains("cleave_test_events_total 3.0").contains("jvm_memory_bytes_used");
    }

    @Test
    void aScrapeMayNameTheSamplesThatItWants() throws Exception {
        Counter.build("cleave_test_events_total", "Events.").register(registry).inc(3);
        Histogram.build("cleave_test_seconds", "Seconds.").register(registry).observe(0.5);
        DefaultExports.register(registry);

        String two = get("/metrics?name%5B%5D=cleave_test_events_total&name%5B%5D=cleave_test_seconds_count")
                .body();

        assertThat(two.lines().filter(line -> !line.startsWith("#")))
                .containsExactlyInAnyOrder("cleave_test_events_total 3.0", "cleave_test_seconds_count 1.0");
        assertThat(get("/metrics?name%5B%5D=cleave_test_none").body()).isEmpty();
    }

    @Test
    void readinessSaysWhatIsMissingWhileItIs() throws Exception {
        readiness.set(Readiness.missing("no master leads"));
        assertThat(get("/readyz").statusCode()).isEqualTo(503);
        assertThat(get("/readyz").body()).isEqualTo("no master leads\n");

        readiness.set(Readiness.READY);
        assertThat(get("/readyz").statusCode()).isEqualTo(200);
    }

    @Test
    void theProcessIsHealthyEvenIfItIsNotReady() throws Exception {
        readiness.set(Readiness.missing("everything"));

        assertThat(get("/healthz").statusCode()).isEqualTo(200);
    }

    @Test
    void otherPathsAndMethodsAreRefused() throws Exception {
        assertThat(get("/").statusCode()).isEqualTo(404);
        assertThat(get("/metricsx").statusCode()).isEqualTo(404);
        HttpResponse<String> posted =
                http.send(to("/healthz").POST(BodyPublishers.ofString("x")).build(), BodyHandlers.ofString());
        assertThat(posted.statusCode()).isEqualTo(405);
    }

    @Test
    void headIsAnsweredWithoutABody() throws Exception {
        HttpResponse<String> answer =
                http.send(to("/readyz").method("HEAD", BodyPublishers.noBody()).build(), BodyHandlers.ofString());

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEmpty();
    }

    @Test
    void idleConnectionsDoNotKeepOthersFromBeingAnswered() throws Exception {
        List<Socket> idle = new ArrayList<>();
        try {
            for (int i = 0; i < 8; i++) {
                idle.add(new Socket(InetAddress.getLoopbackAddress(), server.port()));
            }
            assertThat(get("/healthz").statusCode()).isEqualTo(200);
        } finally {
            for (Socket socket : idle) {
                socket.close();
            }
        }
    }

    @Test
    void requestsWithoutAnEndDoNotKeepOthersFromBeingAnswered() throws Exception {
        List<Socket> slow = new ArrayList<>();
        try {
            for (int i = 0; i < 2 * AdminConnections.OPEN_MAX; i++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
                slow.add(socket);
                socket.getOutputStream().write("GET /healthz HTTP/1.1\r\nHost".getBytes(StandardCharsets.US_ASCII));
            }
            assertThat(get("/healthz").statusCode()).isEqualTo(200);
        } finally {
            for (Socket socket : slow) {
                socket.close();
            }
        }
    }

    @Test
    void aScrapeThatHangsDoesNotKeepProbesFromBeingAnswered() throws Exception {
        CountDownLatch hangs = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        new Collector() {
            @Override
            public List<MetricFamilySamples> collect() {
                hangs.countDown();
                try {
                    released.await();
                } catch (InterruptedException closed) {
                    Thread.currentThread().interrupt();
                }
                return List.of();
            }
        }.register(registry);
        try (Socket scrape = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            scrape.getOutputStream()
                    .write("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            hangs.await();

            assertThat(get("/readyz").statusCode()).isEqualTo(200);
            assertThat(get("/healthz").statusCode()).isEqualTo(200);
        } finally {
            released.countDown();
        }
    }

    @Test
    void whatIsNoHttpIsRefused() throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.getOutputStream().write("\u0016\u0003\u0001 hello\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                    .startsWith("HTTP/1.1 400 ");
        }
    }

    @Test
    void aCollectorThatFailsIsAnAnswerAndNotAHang() throws Exception {
        new Collector() {
            @Override
            public List<MetricFamilySamples> collect() {
                throw new IllegalStateException("planted");
            }
        }.register(registry);

        HttpResponse<String> answer = get("/metrics");

        assertThat(answer.statusCode()).isEqualTo(500);
        assertThat(answer.body()).contains("planted");
    }

    /** Also while the loop is busy with an answer. */
    @Test
    void afterItsEndThePortTakesNoConnection() throws Exception {
        get("/healthz");
        server.close();

        assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), server.port()))
                .isInstanceOf(ConnectException.class);
    }

    @Test
    void aPortInUseIsSaidWithTheSettingThatChangesIt() {
        assertThatThrownBy(() -> AdminServer.start(
                        new ListenAddress("127.0.0.1", server.port()), registry, readiness::get, () -> stuck))
                .isInstanceOfSatisfying(CommandFailure.class, failure -> {
                    assertThat(failure.exitCode()).isEqualTo(ExitCode.TAKEN);
                    assertThat(failure).hasMessageContaining("admin.listen");
                });
    }
}
