package cleave.deploy.role;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import cleave.deploy.ExitCode;
import cleave.deploy.TestTerminal;
import cleave.deploy.inspect.LogLevels;
import cleave.deploy.inspect.OperatorAccess;
import cleave.model.Facts;
import cleave.model.Readiness;
import cleave.runtime.loop.Await;
import cleave.runtime.rpc.Transport;
import cleave.runtime.tls.PeerRole;
import cleave.runtime.tls.TestAuthority;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import io.netty.handler.ssl.SslContext;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import jdk.jfr.FlightRecorder;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The paths for operators, over real connections. */
class OperatorPathsTest {

    private final LoggerContext loggers = new LoggerContext();
    private final AtomicLong now = new AtomicLong();
    private final LogLevels levels = new LogLevels(loggers, now::get);
    private final HttpClient http = HttpClient.newHttpClient();
    private final ListAppender<ILoggingEvent> told = new ListAppender<>();
    private final TestTerminal terminal = new TestTerminal();
    private AdminServer server;

    @TempDir
    Path dir;

    @BeforeEach
    void start() {
        told.start();
        acts().addAppender(told);
        server = listening("127.0.0.1", null);
    }

    @AfterEach
    void stop() {
        server.close();
        acts().detachAppender(told);
    }

    private static Logger acts() {
        return (Logger) org.slf4j.LoggerFactory.getLogger(LogLevels.ACTS);
    }

    private AdminServer listening(String host, @Nullable SslContext tls) {
        AdminServer.Host process = new AdminServer.Host(
                () -> Readiness.READY, List::of, () -> Facts.NONE.and("name", "a test"), () -> tls);
        return AdminServer.start(new ListenAddress(host, 0), new CollectorRegistry(), process, levels);
    }

    private HttpRequest.Builder to(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path));
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return http.send(to(path).build(), BodyHandlers.ofString());
    }

    private HttpResponse<String> post(String path, String... headers) throws IOException, InterruptedException {
        HttpRequest.Builder request = to(path).POST(BodyPublishers.noBody());
        return http.send((headers.length == 0 ? request : request.headers(headers)).build(), BodyHandlers.ofString());
    }

    private HttpResponse<String> asAlice(String path) throws IOException, InterruptedException {
        return post(path, OperatorAccess.HEADER, "alice@laptop");
    }

    private String address() {
        return "127.0.0.1:" + server.port();
    }

    @Test
    void statusIsJsonWithTheLevelsThatAreChanged() throws Exception {
        asAlice("/log-level?logger=cleave.test&level=DEBUG&seconds=60");

        HttpResponse<String> answer = get("/status");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/json");
        try (JsonParser json = new JsonFactory().createParser(answer.body())) {
            while (json.nextToken() != null) {
                // It can be parsed to its end.
            }
        }
        assertThat(answer.body())
                .contains("\"name\" : \"a test\"", "\"logger\" : \"cleave.test\"", "\"secondsLeft\" : 60");
    }

    @Test
    void aLevelIsChangedAndReturnsByItself() throws Exception {
        HttpResponse<String> answer = asAlice("/log-level?logger=cleave.test&level=DEBUG&seconds=60");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(loggers.getLogger("cleave.test").isDebugEnabled()).isTrue();
        assertThat(lines())
                .anyMatch(line -> line.contains("log level changed")
                        && line.contains("caller=loopback (unverified: alice@laptop)")
                        && line.contains("cleave.test logs from DEBUG up for 60 s"));

        now.addAndGet(Duration.ofSeconds(60).toNanos());
        Await.until(
                "the level is as before", () -> loggers.getLogger("cleave.test").getLevel() == null);
    }

    private List<String> lines() {
        return List.copyOf(told.list).stream()
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Test
    void whatIsWrongIsToldAndChangesNothing() throws Exception {
        assertThat(asAlice("/log-level?logger=cleave.test&level=LOUD").statusCode())
                .isEqualTo(400);
        assertThat(asAlice("/log-level?logger=cleave.test&level=DEBUG&seconds=0")
                        .statusCode())
                .isEqualTo(400);
        assertThat(asAlice("/recording?seconds=301").body()).contains("from 1 to 300");
        assertThat(asAlice("/log-level?logger=cleave.acts&level=ERROR").statusCode())
                .isEqualTo(400);
        assertThat(levels.changed()).isEmpty();
    }

    @Test
    void changesAreForPostWithTheHeaderAlone() throws Exception {
        assertThat(post("/log-level?logger=cleave.test&level=DEBUG").statusCode())
                .isEqualTo(403);
        assertThat(post("/recording", OperatorAccess.HEADER, "a", "Origin", "https://evil.example")
                        .statusCode())
                .isEqualTo(403);
        HttpResponse<String> gotten = http.send(
                to("/log-level?logger=cleave.test&level=DEBUG")
                        .header(OperatorAccess.HEADER, "alice")
                        .build(),
                BodyHandlers.ofString());
        assertThat(gotten.statusCode()).isEqualTo(405);
        assertThat(gotten.headers().firstValue("Allow")).hasValue("POST");
        HttpResponse<String> preflight = http.send(
                to("/log-level")
                        .method("OPTIONS", BodyPublishers.noBody())
                        .header(OperatorAccess.HEADER, "alice")
                        .build(),
                BodyHandlers.ofString());
        assertThat(preflight.statusCode()).isEqualTo(405);
        assertThat(levels.changed()).isEmpty();
        assertThat(lines()).anyMatch(line -> line.contains("refused path=/log-level caller=loopback"));
    }

    @Test
    void aPortForOtherMachinesServesThemNothingOfThis() throws Exception {
        Optional<InetAddress> own = ownAddress();
        assumeThat(own).as("an address of this machine that others reach").isPresent();
        server.close();
        server = listening("0.0.0.0", null);

        HttpResponse<String> answer = http.send(
                HttpRequest.newBuilder(URI.create(
                                "http://" + own.orElseThrow().getHostAddress() + ":" + server.port() + "/threads"))
                        .build(),
                BodyHandlers.ofString());

        assertThat(answer.statusCode()).isEqualTo(403);
        assertThat(answer.body()).contains("certificate for the role admin");
        assertThat(raw("GET /status HTTP/1.1\r\nHost: evil.example\r\n\r\n"))
                .as("from this machine, under a name that was made to resolve to it")
                .startsWith("HTTP/1.1 403 ");
        assertThat(raw("GET /status HTTP/1.1\r\nHost: localhost\r\n\r\n")).startsWith("HTTP/1.1 200 ");
    }

    private static Optional<InetAddress> ownAddress() throws IOException {
        return Collections.list(NetworkInterface.getNetworkInterfaces()).stream()
                .flatMap(each -> Collections.list(each.getInetAddresses()).stream())
                .filter(each -> each.getAddress().length == 4 && !each.isLoopbackAddress())
                .findFirst();
    }

    private String raw(String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void anAdminsCertificateIsLetInOverTlsAndAViewersIsNot() throws Exception {
        TestAuthority authority = new TestAuthority(Files.createDirectory(dir.resolve("authority")));
        Path admin = TestAuthority.write(dir.resolve("admin"), authority.issueFor("alice", PeerRole.ADMIN));
        Path viewer = TestAuthority.write(dir.resolve("viewer"), authority.issueFor("watcher", PeerRole.VIEWER));
        Path ofServer = TestAuthority.write(dir.resolve("server"), authority.issueFor("s1", PeerRole.SERVER));
        server.close();
        try (Transport transport = Transport.mutualTls(ofServer, PeerRole.SERVER);
                Transport watcher = Transport.mutualTls(viewer, PeerRole.VIEWER)) {
            server = listening("127.0.0.1", transport.ofHttpPort());

            assertThat(terminal.run("admin", "process", "status", "--tls", admin.toString(), address()))
                    .isEqualTo(ExitCode.OK);
            assertThat(terminal.out()).contains("\"name\" : \"a test\"");
            assertThat(lines()).anyMatch(line -> line.contains("path=/status") && line.contains("CN=alice"));
            assertThat(terminal.run("admin", "process", "status", "--tls", viewer.toString(), address()))
                    .as("the command itself refuses it")
                    .isEqualTo(ExitCode.USAGE);
            assertThat(overTls(watcher, "/status")).startsWith("HTTP/1.1 403 ").contains("viewer");
            assertThat(overTls(watcher, "/readyz")).startsWith("HTTP/1.1 200 ");
            assertThat(get("/readyz").statusCode())
                    .as("in the clear, for probes")
                    .isEqualTo(200);
        }
    }

    private String overTls(Transport transport, String path) throws Exception {
        javax.net.ssl.SSLContext context = javax.net.ssl.SSLContext.getInstance("TLS");
        context.init(
                new javax.net.ssl.KeyManager[] {transport.keys()},
                new javax.net.ssl.TrustManager[] {transport.trust()},
                null);
        try (Socket socket = context.getSocketFactory().createSocket("127.0.0.1", server.port())) {
            socket.getOutputStream()
                    .write(("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void theThreadsAreText() {
        assertThat(terminal.run("admin", "process", "threads", address())).isEqualTo(ExitCode.OK);
        assertThat(terminal.out()).contains("\"admin operators\" #").contains("ThreadDump.take(");
    }

    @Test
    void aRecordingComesWholeAndWithoutTheEnvironment() throws Exception {
        Path file = dir.resolve("out.jfr");

        assertThat(terminal.run(
                        "admin", "process", "recording", address(), "--seconds", "1", "--output", file.toString()))
                .as(terminal::err)
                .isEqualTo(ExitCode.OK);

        Set<String> types = RecordingFile.readAllEvents(file).stream()
                .map(event -> event.getEventType().getName())
                .collect(Collectors.toSet());
        assertThat(types)
                .contains("jdk.ActiveRecording")
                .doesNotContain(
                        "jdk.InitialEnvironmentVariable",
                        "jdk.InitialSystemProperty",
                        "jdk.JVMInformation",
                        "jdk.SystemProcess");
        Await.until(
                "nothing is recorded",
                () -> FlightRecorder.getFlightRecorder().getRecordings().isEmpty());
        assertThat(lines()).anyMatch(line -> line.startsWith("recording begins caller=loopback (unverified: "));
        assertThat(terminal.run("admin", "process", "recording", address(), "--output", file.toString()))
                .as("no file is overwritten")
                .isEqualTo(ExitCode.USAGE);
        assertThat(file).exists();
    }

    @Test
    void thereIsOneRecordingAtATimeAndItEndsWhenItsCallerGoesAway() throws Exception {
        Socket caller = new Socket(InetAddress.getLoopbackAddress(), server.port());
        caller.getOutputStream()
                .write("POST /recording?seconds=300 HTTP/1.1\r\nHost: localhost\r\nCleave-Operator: bob\r\n\r\n"
                        .getBytes(StandardCharsets.US_ASCII));
        Await.until("a recording begins", () -> lines().stream().anyMatch(line -> line.startsWith("recording begins")));
        assertThat(asAlice("/recording?seconds=1").statusCode()).isEqualTo(409);
        assertThat(get("/threads").statusCode()).as("others do not wait for it").isEqualTo(200);
        assertThat(get("/readyz").statusCode()).isEqualTo(200);

        caller.close();

        Await.until(
                "nothing is recorded",
                () -> FlightRecorder.getFlightRecorder().getRecordings().isEmpty());
        assertThat(lines()).anyMatch(line -> line.contains("its caller went away"));
    }

    @Test
    void theCommandChangesALevelAndTellsWhatIsWrong() {
        loggers.getLogger("cleave.test").setLevel(Level.INFO);

        assertThat(terminal.run("admin", "process", "log-level", address(), "cleave.test", "debug"))
                .isEqualTo(ExitCode.OK);
        assertThat(terminal.out()).isEqualTo("cleave.test logs from DEBUG up for 900 s\n");
        assertThat(terminal.run("admin", "process", "log-level", address(), "cleave.test", "configured"))
                .isEqualTo(ExitCode.OK);
        assertThat(terminal.out()).isEqualTo("cleave.test logs from INFO up again, as configured\n");
        assertThat(terminal.run("admin", "process", "log-level", address(), "cleave.test", "loud"))
                .isEqualTo(ExitCode.USAGE);
        assertThat(terminal.err()).contains("TRACE, DEBUG, INFO, WARN, ERROR");
    }

    @Test
    void aPortWhereNobodyListensIsSaid() throws IOException {
        int free;
        try (ServerSocket unused = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            free = unused.getLocalPort();
        }

        assertThat(terminal.run("admin", "process", "status", "127.0.0.1:" + free))
                .isEqualTo(ExitCode.UNREACHABLE);
        assertThat(terminal.err()).contains("admin.listen");
    }
}
