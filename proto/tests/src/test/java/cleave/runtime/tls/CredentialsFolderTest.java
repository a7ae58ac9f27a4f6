package cleave.runtime.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import cleave.runtime.tls.TestAuthority.Issued;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class CredentialsFolderTest {
    @TempDir
    static Path scratch;

    private static Issued first;
    private static Issued second;
    private static Issued rsa;
    private static Issued expired;
    private static Issued early;
    private static Issued ending;

    @TempDir
    Path folder;

    /** The events of a folder, in order. */
    private static final class Recorder implements CredentialsFolder.Listener {
        private final List<String> all = new ArrayList<>();

        @Override
        public void taken(Instant expires) {
            all.add("taken");
        }

        @Override
        public void refused() {
            all.add("refused");
        }
    }

    @BeforeAll
    static void issue() {
        TestAuthority authority = new TestAuthority(scratch);
        first = authority.issueFor("first", PeerRole.SERVER);
        second = authority.issueFor("second", PeerRole.SERVER);
        rsa = authority.issue("rsa", "RSA", "dns:localhost");
        expired = authority.issueFor("expired", -10, 5, PeerRole.SERVER);
        early = authority.issueFor("early", 10, 5, PeerRole.SERVER);
        ending = authority.issueFor("ending", -97, 100, PeerRole.SERVER);
    }

    private static X509Certificate shown(CredentialsFolder credentials) {
        String alias = credentials.keys().chooseEngineServerAlias("EC", null, null);
        return credentials.keys().getCertificateChain(alias)[0];
    }

    /** The key is as openssl writes it, with the curve before it, and curve and public key in it. */
    @Test
    void anEcKeyMayNameItsCurveAndItsPublicKey() throws IOException {
        String pem = """
                -----BEGIN EC PARAMETERS-----
                BggqhkjOPQMBBw==
                -----END EC PARAMETERS-----
                -----BEGIN EC PRIVATE KEY-----
                MHcCAQEEICiXKZhmnPQ9Xq/iXVgHzL5zvMCD3z9BOCTN3ZGoe+y8oAoGCCqGSM49
                AwEHoUQDQgAEzAyUCntDe/2IdrRqiLraLAxcl88rQef+a2gSenPHL1cHgD4W5Ypl
                WX2eDnXmOw4N8vVBs31NoDEXxIcRyeQlDA==
                -----END EC PRIVATE KEY-----
                """;

        PrivateKey key = PemKey.read("k", pem, first.certificate().getPublicKey());

        assertThat(key.getAlgorithm()).isEqualTo("EC");
    }

    private void write(String file, String text) throws IOException {
        Files.writeString(folder.resolve(file), text);
    }

    @Test
    void theFilesOfASecretAreTaken() throws IOException {
        TestAuthority.write(folder, first);
        Recorder recorder = new Recorder();
        try (CredentialsFolder credentials = CredentialsFolder.ofPeer(folder, PeerRole.SERVER, recorder)) {
            assertThat(shown(credentials)).isEqualTo(first.certificate());
            assertThat(credentials.trust().getAcceptedIssuers()).containsExactly(first.authority());
            assertThat(recorder.all).containsExactly("taken");
        }
    }

    @Test
    void theOlderFormsOfKeysAreRead() throws IOException {
        for (Issued issued : List.of(first, rsa)) {
            // The older form is the octet string that PKCS #8 ends with.
            byte[] pkcs8 = issued.key().getEncoded();
            String algorithm = issued.key().getAlgorithm();
            int start = algorithm.equals("RSA") ? 26 : 28;
            String pem = TestAuthority.pem(algorithm + " PRIVATE KEY", Arrays.copyOfRange(pkcs8, start, pkcs8.length));

            PrivateKey key = PemKey.read("k", pem, issued.certificate().getPublicKey());

            assertThat(key).isEqualTo(issued.key());
        }
    }

    @Test
    void filesThatAreWrongStopTheStartByName() throws IOException {
        assertRefused("tls.crt does not exist");
        write("tls.crt", first.certificatePem());
        assertRefused("tls.key does not exist");
        write("tls.key", "nonsense");
        assertRefused("tls.key holds no private key in PEM");
        write("tls.key", first.keyPem().replace("PRIVATE", "ENCRYPTED PRIVATE"));
        assertRefused("tls.key is encrypted");
        write("tls.key", rsa.keyPem());
        assertRefused("tls.key holds no EC key");
        write("tls.key", second.keyPem());
        assertRefused("tls.key is not the key of the first certificate in tls.crt");
        write("tls.key", first.keyPem());
        assertRefused("ca.crt does not exist");
        write("ca.crt", "-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----\n");
        assertRefused("ca.crt holds no certificates in PEM");
        write("tls.crt", "");
        assertRefused("tls.crt holds no certificate");
    }

    private void assertRefused(String message) {
        assertThatThrownBy(() -> CredentialsFolder.ofPeer(folder, PeerRole.SERVER, CredentialsFolder.Listener.NONE))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(folder.toString())
                .hasMessageContaining(message);
    }

    @Test
    void oneWhoAsksNobodyForCertificatesNeedsNoAuthorities() throws IOException {
        TestAuthority.write(folder, first);
        Files.delete(folder.resolve("ca.crt"));
        try (CredentialsFolder credentials = CredentialsFolder.ofServer(folder, CredentialsFolder.Listener.NONE)) {
            assertThat(shown(credentials)).isEqualTo(first.certificate());
        }
    }

    @Test
    void changedFilesAreTakenWhenTheyAreFoundAlikeTwice() throws IOException {
        TestAuthority.write(folder, first);
        Recorder recorder = new Recorder();
        try (CredentialsFolder credentials = CredentialsFolder.ofPeer(folder, PeerRole.SERVER, recorder)) {
            write("tls.crt", second.certificatePem());
            credentials.look();
            write("tls.key", second.keyPem());
            credentials.look();
            assertThat(shown(credentials)).isEqualTo(first.certificate());
            credentials.look();
            assertThat(shown(credentials)).isEqualTo(second.certificate());
            credentials.look();
            assertThat(recorder.all).containsExactly("taken", "taken");
        }
    }

    @Test
    void itTellsWhenItsCertificateEndsAndWhetherTheFilesThereAreWorse() throws IOException {
        TestAuthority.write(folder, first);
        try (CredentialsFolder credentials =
                CredentialsFolder.ofPeer(folder, PeerRole.SERVER, CredentialsFolder.Listener.NONE)) {
            assertThat(credentials.use().expires())
                    .isEqualTo(first.certificate().getNotAfter().toInstant());
            assertThat(credentials.use().validFrom())
                    .isEqualTo(first.certificate().getNotBefore().toInstant());
            assertThat(credentials.use().isOutdated()).isFalse();

            write("tls.crt", "nonsense");
            credentials.look();
            credentials.look();
            assertThat(credentials.use().isOutdated()).isTrue();

            TestAuthority.write(folder, second);
            credentials.look();
            credentials.look();
            assertThat(credentials.use().isOutdated()).isFalse();
        }
    }

    @Test
    void filesThatAreGoneForAWhileAreNoLongerMissedWhenTheyAreBack() throws IOException {
        TestAuthority.write(folder, first);
        try (CredentialsFolder credentials =
                CredentialsFolder.ofPeer(folder, PeerRole.SERVER, CredentialsFolder.Listener.NONE)) {
            Files.delete(folder.resolve("tls.key"));
            credentials.look();
            assertThat(credentials.use().isOutdated()).isTrue();

            TestAuthority.write(folder, first);
            credentials.look();
            assertThat(credentials.use().isOutdated()).isFalse();
        }
    }

    @Test
    void badFilesAreRefusedOnceAndLeaveWhatWasGoodInUse() throws IOException {
        TestAuthority.write(folder, first);
        Recorder recorder = new Recorder();
        try (CredentialsFolder credentials = CredentialsFolder.ofPeer(folder, PeerRole.SERVER, recorder)) {
            write("tls.crt", second.certificatePem());
            for (int looks = 0; looks < 4; looks++) {
                credentials.look();
            }
            assertThat(shown(credentials)).isEqualTo(first.certificate());
            assertThat(recorder.all).containsExactly("taken", "refused");

            Files.delete(folder.resolve("tls.key"));
            credentials.look();
            credentials.look();
            assertThat(shown(credentials)).isEqualTo(first.certificate());
            assertThat(recorder.all).containsExactly("taken", "refused", "refused");

            write("tls.key", second.keyPem());
            credentials.look();
            credentials.look();
            assertThat(shown(credentials)).isEqualTo(second.certificate());
            assertThat(recorder.all).containsExactly("taken", "refused", "refused", "taken");
        }
    }

    @Test
    void aCertificateOutsideOfItsDatesIsRefused() throws IOException {
        TestAuthority.write(folder, expired);
        assertRefused(
                "tls.crt expired at " + expired.certificate().getNotAfter().toInstant());
        TestAuthority.write(folder, early);
        assertRefused("tls.crt is not valid before "
                + early.certificate().getNotBefore().toInstant());
    }

    @Test
    void anExpiredCertificateDoesNotReplaceAValidOne() throws IOException {
        TestAuthority.write(folder, first);
        Recorder recorder = new Recorder();
        try (CredentialsFolder credentials = CredentialsFolder.ofPeer(folder, PeerRole.SERVER, recorder)) {
            TestAuthority.write(folder, expired);
            credentials.look();
            credentials.look();

            assertThat(recorder.all).containsExactly("taken", "refused");
            assertThat(shown(credentials)).isEqualTo(first.certificate());
        }
    }

    @Test
    void aCertificateThatComesTooEarlyIsTakenInItsTime() throws IOException {
        TestAuthority.write(folder, first);
        Recorder recorder = new Recorder();
        AtomicReference<Instant> now = new AtomicReference<>(Instant.now());
        try (CredentialsFolder credentials = CredentialsFolder.ofPeer(folder, PeerRole.SERVER, recorder, now::get)) {
            TestAuthority.write(folder, early);
            for (int looks = 0; looks < 4; looks++) {
                credentials.look();
            }
            assertThat(recorder.all).containsExactly("taken", "refused");
            assertThat(shown(credentials)).isEqualTo(first.certificate());

            now.set(early.certificate().getNotBefore().toInstant());
            credentials.look();
            assertThat(recorder.all).containsExactly("taken", "refused", "taken");
            assertThat(shown(credentials)).isEqualTo(early.certificate());
        }
    }

    /** HTTP is served beside it, and clients judge for themselves. */
    @Test
    void anExpiredCertificateOfHttpsIsShownToClients() throws IOException {
        TestAuthority.write(folder, expired);
        try (CredentialsFolder credentials = CredentialsFolder.ofServer(folder, CredentialsFolder.Listener.NONE)) {
            assertThat(shown(credentials)).isEqualTo(expired.certificate());
        }
    }

    @Test
    void aCertificateThatEndsSoonIsLoggedOnce() throws IOException {
        Logger logger = (Logger) LoggerFactory.getLogger(CredentialsFolder.class);
        ListAppender<ILoggingEvent> logged = new ListAppender<>();
        logged.start();
        logger.addAppender(logged);
        try {
            TestAuthority.write(folder, ending);
            try (CredentialsFolder credentials =
                    CredentialsFolder.ofPeer(folder, PeerRole.SERVER, CredentialsFolder.Listener.NONE)) {
                credentials.look();
                credentials.look();
            }
        } finally {
            logger.detachAppender(logged);
        }
        assertThat(logged.list.stream()
                        .filter(event -> event.getLevel() == Level.WARN)
                        .map(ILoggingEvent::getFormattedMessage))
                .containsExactly("the certificate must be renewed folder=" + folder + " expires="
                        + ending.certificate().getNotAfter().toInstant());
    }
}
