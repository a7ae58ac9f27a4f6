package cleave.frontend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.frontend.RawClient.Answer;
import cleave.frontend.core.FakeCluster;
import cleave.frontend.core.FakeMaster;
import cleave.frontend.core.SignedHeaders;
import cleave.frontend.metrics.FrontEndMetrics;
import cleave.frontend.settings.FrontEndConfig;
import cleave.runtime.rpc.Transport;
import cleave.runtime.settings.Settings;
import cleave.runtime.settings.Settings.BadSetting;
import cleave.runtime.tls.CredentialsFolder;
import cleave.runtime.tls.TestAuthority;
import cleave.runtime.tls.TestAuthority.Issued;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.util.Map;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** HTTPS, asked over sockets. */
class HttpsIT {
    @TempDir
    static Path scratch;

    private static Issued first;
    private static Issued second;

    @TempDir
    Path folder;

    private final FakeCluster cluster = new FakeCluster();
    private final FakeMaster master = new FakeMaster(cluster);
    private final CollectorRegistry registry = new CollectorRegistry();
    private CredentialsFolder certificates;
    private FrontEndServer server;

    @BeforeAll
    static void issue() {
        TestAuthority authority = new TestAuthority(scratch);
        first = authority.issue("first");
        second = authority.issue("second", "RSA", "dns:localhost");
    }

    @BeforeEach
    void start() throws IOException {
        TestAuthority.write(folder, first);
        certificates = CredentialsFolder.ofServer(folder, CredentialsFolder.Listener.NONE);
        server = start(Map.of());
    }

    private FrontEndServer start(Map<String, String> more) {
        Map<String, String> settings = new java.util.TreeMap<>(
                Map.of("front-end.listen-tls", "127.0.0.1:0", "front-end.tls-dir", folder.toString()));
        settings.putAll(more);
        return TestServers.start(cluster, master, registry, settings, certificates.keys());
    }

    @AfterEach
    void stop() {
        server.close();
        certificates.close();
    }

    /** With a session of its own, so that the server shows its certificate. */
    private SSLSocket connect() throws IOException {
        return (SSLSocket) TestAuthority.believing(first)
                .getSocketFactory()
                .createSocket(InetAddress.getLoopbackAddress(), server.tlsPort());
    }

    private Certificate shown() throws IOException {
        try (SSLSocket socket = connect()) {
            return socket.getSession().getPeerCertificates()[0];
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
    void theProtocolIsServedOverTls(String version) throws IOException {
        SSLSocket socket = connect();
        socket.setEnabledProtocols(new String[] {version});
        try (RawClient client = new RawClient(socket)) {
            assertThat(client.ask("POST", "/Tables", "{\"TableName\":\"Orders\"}")
                            .status())
                    .isEqualTo(201);
            Answer inserted = client.send(RawClient.request(
                            "POST",
                            "/Orders",
                            new SignedHeaders().with("Prefer", "return-no-content"),
                            "{\"PartitionKey\":\"p\",\"RowKey\":\"r\"}"))
                    .read();

            assertThat(inserted.status()).isEqualTo(204);
            assertThat(inserted.header("Location")).startsWith("https://127.0.0.1:10002/devstoreaccount1/Orders(");
            assertThat(socket.getSession().getProtocol()).isEqualTo(version);
        }
    }

    @Test
    void httpGoesOnBesideItAndNeitherTakesTheOther() throws IOException {
        try (RawClient plain = new RawClient(server.port());
                RawClient lost = new RawClient(server.tlsPort());
                RawClient secure = new RawClient(connect())) {
            assertThat(plain.ask("GET", "/Tables", "").status()).isEqualTo(200);
            lost.send(RawClient.request("GET", "/Tables", "")).drain();
            assertThat(secure.ask("GET", "/Tables", "").status()).isEqualTo(200);
        }
    }

    @Test
    void httpMayBeOff() throws IOException {
        server.close();
        server = start(Map.of("front-end.listen", "none"));

        assertThat(server.port()).isZero();
        try (RawClient client = new RawClient(connect())) {
            assertThat(client.ask("GET", "/Tables", "").status()).isEqualTo(200);
        }
    }

    @Test
    void aNewCertificateIsShownToNewConnectionsAndOldOnesGoOn() throws IOException {
        try (RawClient old = new RawClient(connect())) {
            assertThat(old.ask("GET", "/Tables", "").status()).isEqualTo(200);
            assertThat(shown()).isEqualTo(first.certificate());

            TestAuthority.write(folder, second);
            certificates.look();
            certificates.look();

            assertThat(shown()).isEqualTo(second.certificate());
            assertThat(old.ask("GET", "/Tables", "").status()).isEqualTo(200);

            Files.writeString(folder.resolve("tls.key"), first.keyPem());
            certificates.look();
            certificates.look();
            assertThat(shown()).isEqualTo(second.certificate());
        }
    }

    @Test
    void whoShakesNoHandsIsCutOff() throws IOException {
        server.close();
        server = start(Map.of("front-end.idle-timeout", "300ms"));
        try (RawClient silent = new RawClient(server.tlsPort())) {
            assertThat(silent.endsWithoutAWord()).isTrue();
        }
    }

    @Test
    void whoDripsAHeadOrARecordIsCutOff() throws IOException {
        server.close();
        server = start(Map.of("front-end.head-timeout", "300ms"));
        Socket wire = new Socket(InetAddress.getLoopbackAddress(), server.tlsPort());
        try (RawClient head = new RawClient(connect());
                RawClient record = new RawClient(over(wire))) {
            head.send("GET / HTTP/1.1\r\n");
            assertThat(record.ask("GET", "/Tables", "").status()).isEqualTo(200);
            wire.getOutputStream().write(new byte[] {23, 3, 3, 64, 0}); // Of 16 KiB.
            wire.getOutputStream().flush();

            assertThat(head.endsWithoutAWord()).isTrue();
            assertThat(record.endsWithoutAWord()).isTrue();
        }
    }

    private SSLSocket over(Socket wire) throws IOException {
        return (SSLSocket)
                TestAuthority.believing(first).getSocketFactory().createSocket(wire, "localhost", wire.getPort(), true);
    }

    @Test
    void aPairThatDoesNotFitStopsTheStartAndWhatIsTakenIsCounted() throws IOException {
        Map<String, String> settings = Map.of(
                "front-end.listen", "none",
                "front-end.listen-tls", "127.0.0.1:0",
                "front-end.tls-dir", folder.toString(),
                "front-end.development-account", "true",
                "seeds", "inproc:nowhere");
        FrontEndConfig config = FrontEndConfig.from(new Settings(settings));
        CollectorRegistry counted = new CollectorRegistry();
        try (FrontEnd frontEnd = new FrontEnd(config, Transport.PLAIN, new FrontEndMetrics(counted))) {
            frontEnd.start();
            assertThat(frontEnd.tlsPort()).isPositive();
            assertThat(counted.getSampleValue("cleave_front_end_certificate_expires_timestamp_seconds"))
                    .isEqualTo((double)
                            first.certificate().getNotAfter().toInstant().getEpochSecond());
            assertThat(counted.getSampleValue(
                            "cleave_front_end_reloads_total",
                            new String[] {"what", "outcome"},
                            new String[] {"certificate", "taken"}))
                    .isEqualTo(1);
        }
        Files.writeString(folder.resolve("tls.key"), second.keyPem());

        assertThatThrownBy(() -> new FrontEnd(config, Transport.PLAIN, new FrontEndMetrics(new CollectorRegistry())))
                .isInstanceOf(BadSetting.class)
                .hasMessageContaining("front-end.tls-dir")
                .hasMessageContaining("tls.key");
    }
}
