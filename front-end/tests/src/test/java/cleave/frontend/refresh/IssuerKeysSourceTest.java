package cleave.frontend.refresh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.frontend.metrics.FrontEndMetrics;
import cleave.runtime.settings.Settings.BadSetting;
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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IssuerKeysSourceTest {
    private final FrontEndMetrics metrics = new FrontEndMetrics(new CollectorRegistry());
    private volatile String served = "";
    private volatile int status = 200;
    private HttpServer server;
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicLong now = new AtomicLong();

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
        IssuerKeysSource source = new IssuerKeysSource(file.toString(), metrics, now::get);
        assertThat(knows(source, "k1")).isTrue();
        JWKSet before = source.current();
        source.look();
        assertThat(source.current()).isSameAs(before);

        Files.writeString(file, set("k2"));
        pass(10);
        source.look();
        assertThat(knows(source, "k2")).isTrue();
        for (String wrong : new String[] {"", "{}", "{\"keys\":[]}", "nonsense"}) {
            Files.writeString(file, wrong);
            pass(10);
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

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/keys", exchange -> {
            asked.incrementAndGet();
            byte[] body = served.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private IssuerKeysSource source() {
        return new IssuerKeysSource("http://127.0.0.1:" + server.getAddress().getPort() + "/keys", metrics, now::get);
    }

    private void pass(int seconds) {
        now.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
    }

    @Test
    void aUrlIsReadWhenItIsTimeAndFailuresLeaveTheKeysAsTheyWere() throws IOException {
        try (IssuerKeysSource source = source()) {
            assertThat(source.current()).isNull();
            status = 500;
            served = set("k1");
            source.look();
            assertThat(source.current()).isNull();
            assertThat(source.lastReading()).isZero();
            status = 200;
            pass(5);
            source.look();
            assertThat(knows(source, "k1")).isTrue();
            pass(299);
            source.look();
            assertThat(asked).hasValue(2);

            served = set("k2");
            pass(1);
            source.look();
            assertThat(knows(source, "k2")).isTrue();
            served = "x".repeat(2 << 20);
            pass(300);
            source.look();
            source.look();
            assertThat(knows(source, "k2")).isTrue();
            assertThat(asked).hasValue(4);
            pass(5);
            source.look();
            assertThat(asked).hasValue(5);
        }
    }

    @Test
    void keysThatAreAskedForAreReadOnceFiveSecondsHavePassedHoweverOftenTheyAreAskedFor() throws IOException {
        try (IssuerKeysSource source = source()) {
            served = set("k1");
            source.look();
            served = set("k2");
            for (int i = 0; i < 1000; i++) {
                assertThat(source.refresh()).isEqualTo(2);
                source.look();
            }
            assertThat(asked).hasValue(1);
            assertThat(source.lastReading()).isEqualTo(1);

            pass(5);
            source.look();
            source.look();

            assertThat(knows(source, "k2")).isTrue();
            assertThat(asked).hasValue(2);
            assertThat(source.lastReading()).isEqualTo(2);
        }
    }

    /** Nothing but the request for them makes it read in this test: no time passes, and it was not started. */
    @Test
    void keysThatAreAskedForAreReadAtOnceIfTheLastReadingIsLongAgo() throws Exception {
        try (IssuerKeysSource source = source()) {
            served = set("k1");
            long reading = source.refresh();
            for (int i = 0; source.lastReading() < reading && i < 6_000; i++) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
            assertThat(knows(source, "k1")).isTrue();
            assertThat(asked).hasValue(1);
        }
    }

    @Test
    void aReadingThatFailsIsNoAnswerToWhoAskedForIt() throws IOException {
        try (IssuerKeysSource source = source()) {
            served = set("k1");
            source.look();
            pass(4);
            long reading = source.refresh();
            status = 500;
            pass(1);
            source.look();
            assertThat(source.lastReading()).isLessThan(reading);
            status = 200;
            pass(5);
            source.look();
            assertThat(source.lastReading()).isGreaterThanOrEqualTo(reading);
        }
    }
}
