package cleave.frontend.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.runtime.settings.ProcessFiles;
import cleave.runtime.settings.Settings;
import cleave.runtime.settings.Settings.BadSetting;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FrontEndConfigTest {
    private static Map<String, String> least() {
        return new TreeMap<>(Map.of("masters", "h:1, h:2", "front-end.development-account", "true"));
    }

    private static FrontEndConfig with(String key, String value) {
        Map<String, String> settings = least();
        settings.put(key, value);
        return FrontEndConfig.from(new Settings(settings));
    }

    @Test
    void aConnectionLivesASecondOrEndlessly() {
        assertThatThrownBy(() -> with("front-end.connection-age", "999ms"))
                .isInstanceOf(BadSetting.class)
                .hasMessageContaining("front-end.connection-age must be 0 (none) or at least 1s");
        assertThat(with("front-end.connection-age", "1s").http().ageNanos()).isEqualTo(1_000_000_000L);
    }

    @Test
    void tracesAreOffUnlessACollectorIsNamed() {
        assertThat(with("trace.sample", "100%").traces()).isNull();

        TraceSettings usual = with("trace.endpoint", "http://collector:4318").traces();

        assertThat(usual)
                .isEqualTo(new TraceSettings(
                        URI.create("http://collector:4318/v1/traces"), 0.01, TimeUnit.SECONDS.toNanos(1), 10));
        assertThat(with("trace.endpoint", "https://c/otlp/v1/traces").traces())
                .extracting(TraceSettings::endpoint)
                .isEqualTo(URI.create("https://c/otlp/v1/traces"));
    }

    @ParameterizedTest
    @CsvSource({
        "trace.endpoint, collector:4318",
        "trace.endpoint, ftp://collector",
        "trace.endpoint, http://",
        "trace.endpoint, http://user:word@collector",
        "trace.endpoint, http://a b",
        "trace.sample, 0.01",
        "trace.sample, 101%",
        "trace.sample, -1%",
        "trace.sample, 0.0001%",
        "trace.slow, 1ms",
        "trace.slow, soon",
        "trace.incoming, -1",
        "trace.incoming, all"
    })
    void aWrongSettingOfTracesIsRefusedEvenIfTheyAreOff(String key, String value) {
        assertThatThrownBy(() -> with(key, value))
                .isInstanceOf(BadSetting.class)
                .hasMessageContaining(key);
    }

    @Test
    void defaultsAreThoseOfTheProtocol() {
        FrontEndConfig config = FrontEndConfig.from(new Settings(least()));

        assertThat(config.listen()).isEqualTo(new FrontEndConfig.Listen("127.0.0.1", 10002));
        assertThat(config.seeds()).containsExactly("h:1", "h:2");
        assertThat(config.http().bodyBytes()).isEqualTo(4 << 20);
        assertThat(config.http().requestLineBytes()).isEqualTo(32 << 10);
        assertThat(config.http().headerBytes()).isEqualTo(64 << 10);
        assertThat(config.requests().timeoutNanos()).isEqualTo(TimeUnit.SECONDS.toNanos(30));
        assertThat(config.requests().pageNanos()).isEqualTo(TimeUnit.SECONDS.toNanos(5));
        assertThat(config.requests().tableNanos()).isEqualTo(TimeUnit.SECONDS.toNanos(30));
    }

    @Test
    void aFrontEndNeedsAccountsAndSeeds() {
        assertThatThrownBy(() -> FrontEndConfig.from(new Settings(Map.of("seeds", "h:1"))))
                .isInstanceOf(BadSetting.class)
                .hasMessageContaining("front-end.accounts");
        assertThatThrownBy(() -> FrontEndConfig.from(new Settings(Map.of("front-end.development-account", "true"))))
                .isInstanceOf(BadSetting.class)
                .hasMessageContaining("seeds");
    }

    @Test
    void httpsNeedsAnAddressAndACertificateAndMayBeAllThatIsServed() {
        Map<String, String> settings = least();
        settings.put("front-end.listen", "none");
        assertThatThrownBy(() -> FrontEndConfig.from(new Settings(settings)))
                .isInstanceOf(BadSetting.class)
                .hasMessageContaining("front-end.listen-tls must be set");
        settings.put("front-end.listen-tls", "0.0.0.0:443");
        assertThatThrownBy(() -> FrontEndConfig.from(new Settings(settings)))
                .isInstanceOf(BadSetting.class)
                .hasMessageContaining("front-end.tls-dir=DIR");
        settings.put("front-end.tls-dir", "/tls");

        FrontEndConfig config = FrontEndConfig.from(new Settings(settings));

        assertThat(config.listen()).isNull();
        assertThat(config.tls())
                .isEqualTo(new FrontEndConfig.Tls(new FrontEndConfig.Listen("0.0.0.0", 443), Path.of("/tls")));
    }

    @ParameterizedTest
    @CsvSource({
        "front-end.listen,nonsense",
        "front-end.tls-dir,/tls",
        "front-end.listen,h:70000",
        "front-end.listen,:80",
        "front-end.loops,0",
        "front-end.body-bytes,10",
        "front-end.header-bytes,2GiB",
        "front-end.page-time,31s"
    })
    void wrongSettingsAreRefusedByName(String key, String value) {
        assertThatThrownBy(() -> with(key, value))
                .isInstanceOf(BadSetting.class)
                .hasMessageContaining(key);
    }

    @Test
    void connectionsFitTheLimitOfOpenFiles() {
        long others = -ProcessFiles.connections(0);
        assertThat(others).isBetween(224L, 100_000L);

        assertThat(from(least(), others + 100).http().connectionsMax()).isEqualTo(100);
        assertThat(from(least(), 1 << 20).http().connectionsMax()).isEqualTo(10_000);
        assertThat(from(least(), Long.MAX_VALUE).http().connectionsMax()).isEqualTo(10_000);
        assertThatThrownBy(() -> from(least(), others + 15))
                .isInstanceOf(BadSetting.class)
                .hasMessage(
                        "front-end.connections=16 exceeds what the process's limit of open files leaves for connections of"
                                + " clients, which is 15: raise the limit (ulimit -n, LimitNOFILE)");
        Map<String, String> given = least();
        given.put("front-end.connections", "200");
        assertThat(from(given, others + 200).http().connectionsMax()).isEqualTo(200);
        assertThatThrownBy(() -> from(given, others + 199))
                .isInstanceOf(BadSetting.class)
                .hasMessageContaining("front-end.connections=200")
                .hasMessageContaining("which is 199")
                .hasMessageEndingWith("or lower the setting");
    }

    private static FrontEndConfig from(Map<String, String> settings, long files) {
        return FrontEndConfig.from(new Settings(settings), 8L << 30, files);
    }

    @Test
    void whatIsNotGivenFitsTheHeap() {
        FrontEndConfig small = FrontEndConfig.from(new Settings(least()), 256L << 20, Long.MAX_VALUE);
        FrontEndConfig large = FrontEndConfig.from(new Settings(least()), 8L << 30, Long.MAX_VALUE);

        assertThat(small.requests().heldBytesMax()).isEqualTo(64L << 20);
        assertThat(small.requests().unsignedBytesMax()).isEqualTo(16L << 20);
        assertThat(small.http().connectionsMax()).isEqualTo((112 << 20) / (136 << 10));
        assertThat(large.requests().heldBytesMax()).isEqualTo(256L << 20);
        assertThat(large.http().connectionsMax()).isEqualTo(10_000);
    }

    @Test
    void whatIsGivenAndDoesNotFitTheHeapStopsTheStartWithTheSum() {
        Map<String, String> settings = least();
        settings.put("front-end.connections", "10000");

        assertThatThrownBy(() -> FrontEndConfig.from(new Settings(settings), 1L << 30, Long.MAX_VALUE))
                .isInstanceOf(BadSetting.class)
                .hasMessage(
                        "front-end.connections=10000 of 136 KiB each, front-end.bytes-in-flight=256 MiB and a quarter of that"
                                + " for unauthenticated requests add up to 1648.1 MiB, which exceeds 3/4 of the heap of 1024 MiB, that is 768 MiB:"
                                + " lower one of them, or start the process with -Xmx2198m");
        assertThat(FrontEndConfig.from(new Settings(settings), 2198L << 20, Long.MAX_VALUE)
                        .http()
                        .connectionsMax())
                .isEqualTo(10_000);
        settings.put("front-end.connections", "1");
        settings.put("front-end.bytes-in-flight", "2GiB");
        assertThatThrownBy(() -> FrontEndConfig.from(new Settings(settings), 1L << 30, Long.MAX_VALUE))
                .isInstanceOf(BadSetting.class)
                .hasMessageContaining("front-end.bytes-in-flight=2048 MiB");
    }

    private static FrontEndConfig tokens(String issuers, String keys) {
        Map<String, String> settings = least();
        settings.put("front-end.token-issuers", issuers);
        settings.put("front-end.token-keys", keys);
        return FrontEndConfig.from(new Settings(settings));
    }

    @ParameterizedTest
    @CsvSource({
        "'', '', https://login.microsoftonline.com/common/oauth2/authorize",
        "https://sts.windows.net/t1/, keys, https://login.microsoftonline.com/t1/oauth2/authorize",
        "https://login.microsoftonline.com/t1/v2.0, keys, https://login.microsoftonline.com/t1/oauth2/authorize",
        "'https://id.example/t1/, https://sts.windows.net/t2/', keys, https://id.example/t1/oauth2/authorize"
    })
    void clientsAreSentToTheIssuer(String issuers, String keys, String authorizationUri) {
        assertThat(tokens(issuers, keys).tokens().authorizationUri()).isEqualTo(authorizationUri);
    }

    @Test
    void tokensCountWhereAnIssuerAndItsKeysAreGiven() {
        assertThat(tokens("", "").tokens().isOn()).isFalse();
        assertThat(tokens("https://id.example", "https://id.example/keys")
                        .tokens()
                        .isOn())
                .isTrue();
        assertThat(tokens("https://id.example", "http://127.0.0.1:8080/keys")
                        .tokens()
                        .keys())
                .isEqualTo("http://127.0.0.1:8080/keys");
    }

    @ParameterizedTest
    @CsvSource({
        "https://id.example, '', front-end.token-keys",
        "'', keys, front-end.token-issuers",
        "https://id.example, http://id.example/keys, front-end.token-keys",
        "id example, keys, front-end.token-authorization-uri"
    })
    void wrongSettingsOfTokensAreRefused(String issuers, String keys, String named) {
        assertThatThrownBy(() -> tokens(issuers, keys))
                .isInstanceOf(BadSetting.class)
                .hasMessageContaining(named);
    }
}
