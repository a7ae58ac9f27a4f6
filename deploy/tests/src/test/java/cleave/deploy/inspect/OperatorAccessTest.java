package cleave.deploy.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.runtime.tls.PeerRole;
import cleave.runtime.tls.TestAuthority;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OperatorAccessTest {
    private static final String HERE = "127.0.0.1";
    private static final String ELSEWHERE = "10.1.2.3";

    private final HttpHeaders headers = new DefaultHttpHeaders();

    private OperatorAccess.Decision judge(String from, @Nullable X509Certificate certificate, boolean isChange) {
        try {
            return OperatorAccess.judge(
                    new OperatorAccess.Asked(InetAddress.getByName(from), certificate, isChange, headers, "0.0.0.0"));
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"})
    void aCallerOnThisMachineMayLook(String from) {
        headers.set("Host", "localhost:9100");

        OperatorAccess.Decision decision = judge(from, null, false);

        assertThat(decision.isAllowed()).isTrue();
        assertThat(decision.caller()).hasToString("loopback");
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.1.2.3", "169.254.0.1", "0.0.0.0", "fe80::1", "2001:db8::1"})
    void aCallerElsewhereNeedsACertificate(String from) {
        assertThat(judge(from, null, false).refusal()).contains("role admin");
    }

    @Test
    void aChangeNeedsTheHeaderThatNoFormCanSend() {
        assertThat(judge(HERE, null, true).refusal()).contains(OperatorAccess.HEADER);

        headers.set(OperatorAccess.HEADER, "alice@laptop");

        assertThat(judge(HERE, null, true).isAllowed()).isTrue();
        assertThat(judge(HERE, null, true).caller()).hasToString("loopback (unverified: alice@laptop)");
    }

    @ParameterizedTest
    @CsvSource({
        "Origin, https://evil.example",
        "Origin, 'null'",
        "Sec-Fetch-Site, cross-site",
        "Sec-Fetch-Site, same-site"
    })
    void aPageInABrowserMayNothingEvenOnThisMachine(String header, String value) {
        headers.set(OperatorAccess.HEADER, "alice").set(header, value);

        assertThat(judge(HERE, null, false).refusal()).contains("browsers");
        assertThat(judge(HERE, null, true).refusal()).contains("browsers");
    }

    @Test
    void anAddressThatIsTypedIntoABrowserIsSomeoneOnThisMachine() {
        headers.set("Sec-Fetch-Site", "none").set("Host", "127.0.0.1:9100");

        assertThat(judge(HERE, null, false).isAllowed()).isTrue();
    }

    /** Also where the port listens for other machines, and probes may name it as they like. */
    @ParameterizedTest
    @ValueSource(strings = {"evil.example:9100", "cleave-server-0.cleave.svc:9100", ""})
    void aNameThatResolvesToThisMachineIsNotServed(String host) {
        headers.set("Host", host);

        assertThat(judge(HERE, null, false).isAllowed()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via"})
    void aProxyOnThisMachineThatSaysSoIsNotItsClient(String header) {
        headers.set(header, "something");

        assertThat(judge(HERE, null, false).refusal()).contains("proxy").contains(header);
    }

    @Test
    void aCertificateCountsFromAnywhereAndForItsRole(@TempDir Path scratch) {
        TestAuthority authority = new TestAuthority(scratch);
        X509Certificate admin = authority.issueFor("alice", PeerRole.ADMIN).certificate();
        X509Certificate viewer = authority.issueFor("watcher", PeerRole.VIEWER).certificate();
        headers.set("Host", "s1.example.com:9100");

        assertThat(judge(ELSEWHERE, admin, false).isAllowed()).isTrue();
        assertThat(judge(ELSEWHERE, admin, false).caller().name()).contains("alice");
        assertThat(judge(ELSEWHERE, viewer, false).refusal()).contains("viewer");
        assertThat(judge(HERE, viewer, false).refusal())
                .as("on this machine, too")
                .contains("viewer");
        headers.set("Origin", "https://evil.example");
        assertThat(judge(ELSEWHERE, admin, false).isAllowed())
                .as("the browser of one who has an admin's certificate")
                .isFalse();
    }

    @Test
    void whatACallerSaysOfItselfIsOneShortLine() {
        headers.set(OperatorAccess.HEADER, "\u00e9ve " + "x".repeat(500));

        String told = judge(HERE, null, false).caller().told();

        assertThat(told).startsWith("?ve x").hasSize(128);
    }
}
