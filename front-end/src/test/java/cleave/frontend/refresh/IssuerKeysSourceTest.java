package cleave.frontend.refresh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.frontend.metrics.FrontEndMetrics;
import cleave.settings.Settings.BadSetting;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.sun.net.httpserver.HttpServer;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IssuerKeysSourceTest {
    private final FrontEndMetrics metrics = new FrontEndMetrics(new CollectorRegistry());
    private volatile String served = "";
    private volatile int status = 200;
    private final AtomicInteger asked = new AtomicInteger();

    @TempDir
    private Path folder;

    private static String set(String id) {
        try {
            ECKey key = new ECKeyGenerator(Curve.P_256).keyID(id).generate();
            return new JWKSet(key).toString(false);
        } catch (JOSEException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static boolean knows(IssuerKeysSource source, String id) {
        return Objects.requireNonNull(source.current()).getKeyByKeyId(id) != null;
    }

    @Test
    void aFileIsReadAtOnceAndAgainWhenItChanges() throws IOException {
        Path file = Files.writeString(folder.resolve("keys"), set("k1"));
        IssuerKeysSource source = new IssuerKeysSource(file.toString(), metrics);
        assertThat(knows(source, "k1")).isTrue();
        JWKSet before = source.current();
        source.look();
        assertThat(source.current()).isSameAs(before);

        Files.writeString(file, set("k2"));
        source.look();
        assertThat(knows(source, "k2")).isTrue();
        for (String wrong : new String[] {"", "{}", "{\"keys\":[]}", "nonsense"}) {
            Files.writeString(file, wrong);
            source.look();
            assertThat(knows(source, "k2")).isTrue();
        }
    }

    @Test
    void privateKeysAreForgotten() throws IOException {
        Path file = Files.writeString(folder.resolve("keys"), set("k1").replace("{\"keys\"", " {\"keys\""));
        JWKSet keys = Objects.requireNonNull(new IssuerKeysSource(file.toString(), metrics).current());
        assertThat(keys.getKeys()).noneMatch(key -> key.isPrivate());
    }

    @Test
    void aFileThatIsNoneStopsTheStart() {
        assertThatThrownBy(() -> new IssuerKeysSource(folder.resolve("none").toString(), metrics))
                .isInstanceOf(BadSetting.class)
                .hasMessageContaining("front-end.token-keys");
    }

    @Test
    void aUrlIsReadWhenItIsTimeAndFailuresLeaveTheKeysAsTheyWere() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/keys", exchange -> {
            asked.incrementAndGet();
            byte[] body = served.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        try (IssuerKeysSource source =
                new IssuerKeysSource("http://127.0.0.1:" + server.getAddress().getPort() + "/keys", metrics)) {
            assertThat(source.current()).isNull();
            status = 500;
            served = set("k1");
            source.look();
            assertThat(source.current()).isNull();
            status = 200;
            source.look();
            assertThat(knows(source, "k1")).isTrue();
            source.look();
            assertThat(asked).hasValue(2);

            served = set("k2");
            source.missed();
            source.look();
            assertThat(knows(source, "k2")).isTrue();
            served = "x".repeat(2 << 20);
            source.missed();
            source.look();
            source.look();
            assertThat(knows(source, "k2")).isTrue();
            assertThat(asked).hasValue(4);
        } finally {
            server.stop(0);
        }
    }
}
