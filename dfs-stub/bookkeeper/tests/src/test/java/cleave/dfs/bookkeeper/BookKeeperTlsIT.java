package cleave.dfs.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.dfs.Dfs;
import cleave.dfs.DfsException;
import cleave.dfs.DfsFile;
import cleave.dfs.bookkeeper.state.Retention;
import cleave.dfs.metrics.DfsMetrics;
import cleave.runtime.rpc.Transport;
import cleave.runtime.tls.PeerRole;
import cleave.runtime.tls.TestAuthority;
import com.google.protobuf.ByteString;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.bookkeeper.client.BookKeeper;
import org.apache.bookkeeper.client.api.DigestType;
import org.apache.bookkeeper.zookeeper.ZooKeeperClient;
import org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** ZooKeeper and bookies that speak mutual TLS alone. */
@Timeout(120)
@Tag("nightly")
final class BookKeeperTlsIT {
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(40);
    private static final long IMPATIENCE = TimeUnit.SECONDS.toNanos(20);

    @TempDir
    static Path storage;

    private static TestAuthority authority;
    private static TestAuthority another;
    private static EmbeddedTls tls;
    private static EmbeddedBookies bookies;

    /** The folder of one test: all that is left there is its clients'. */
    @TempDir
    private Path scratch;

    private final List<AutoCloseable> opened = new ArrayList<>();

    @BeforeAll
    static void startBookies() throws Exception {
        authority = new TestAuthority(Files.createDirectory(storage.resolve("authority")));
        another = new TestAuthority(Files.createDirectory(storage.resolve("another")));
        tls = new EmbeddedTls(
                TestAuthority.write(storage.resolve("dfs"), authority.issueFor("dfs", PeerRole.DFS)), storage);
        bookies = new EmbeddedBookies(Files.createDirectory(storage.resolve("bookies")), 3, tls);
    }

    @AfterAll
    static void stopBookies() {
        try {
            bookies.close();
        } finally {
            tls.close();
        }
    }

    @AfterEach
    void closeWhatWasOpened() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
    }

    private BookKeeperDfs open(Transport transport, long boundNanos) {
        BookKeeperDfs dfs = BookKeeperShell.open(
                BookKeeperUri.parse(bookies.uri("/tls")),
                new Connections(transport, scratch),
                new DfsMetrics(new CollectorRegistry()),
                boundNanos,
                Retention.STANDARD);
        opened.add(dfs);
        return dfs;
    }

    private Transport transport(String folder, TestAuthority from, PeerRole role) throws IOException {
        Transport transport =
                Transport.mutualTls(TestAuthority.write(storage.resolve(folder), from.issueFor(folder, role)), role);
        opened.add(transport);
        return transport;
    }

    private static ByteString text(String text) {
        return ByteString.copyFromUtf8(text);
    }

    private static void assertWorks(Dfs dfs, String path) {
        DfsFile file = dfs.create(path).join();
        file.append(text("over TLS")).join();
        assertThat(dfs.seal(path).join()).isEqualTo(8);
        assertThat(dfs.read(path, 0, 100).join()).isEqualTo(text("over TLS"));
        assertThat(dfs.listPaths(path).join()).containsExactly(path);
        dfs.delete(path).join();
    }

    private static void assertFails(Dfs dfs, String... words) {
        assertThatThrownBy(() -> dfs.create("refused").join())
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(DfsException.class)
                .satisfies(failure -> assertThat(failure.getMessage()).contains(words));
    }

    @Test
    void filesAreWrittenAndReadWithACertificateOfTheAuthority() throws IOException {
        assertWorks(open(transport("server", authority, PeerRole.SERVER), PATIENCE), "works");
    }

    @Test
    void whoShowsNoCertificateOpensNoSession() {
        BookKeeperUri uri = BookKeeperUri.parse(bookies.uri("/tls"));
        Map<String, String> inTheClear = Map.of(
                "zookeeper.client.secure", "false",
                "zookeeper.clientCnxnSocket", "org.apache.zookeeper.ClientCnxnSocketNIO");

        assertThatThrownBy(() -> RenewingZooKeeper.connect(uri.connectString(), 4_000, Patience.NONE, inTheClear))
                .isInstanceOf(KeeperException.ConnectionLossException.class);
        assertThat(TlsTrouble.ofZooKeeper(uri.servers(), Transport.PLAIN))
                .contains("does it take TLS alone, while setting tls is not given");
    }

    @Test
    void whoDoesNotTrustTheServersIsToldSo() throws IOException {
        assertFails(
                open(transport("stranger", another, PeerRole.SERVER), IMPATIENCE),
                "its certificate is not issued by an authority in this process' ca.crt");
    }

    @Test
    void whoIsNotTrustedByTheServersIsToldSo() throws IOException {
        Path folder =
                TestAuthority.write(storage.resolve("distrusted"), another.issueFor("distrusted", PeerRole.SERVER));
        Files.writeString(folder.resolve("ca.crt"), authority.issue("any").authorityPem());
        Transport distrusted = Transport.mutualTls(folder, PeerRole.SERVER);
        opened.add(distrusted);

        assertFails(open(distrusted, IMPATIENCE), "refuses the certificate of this process");
    }

    @Test
    void theCertificateOfAFrontEndIsGoodForNoBookie() throws IOException {
        Dfs dfs = open(transport("front-end", authority, PeerRole.FRONT_END), IMPATIENCE);
        DfsFile file = dfs.create("of-a-front-end").join(); // A matter of ZooKeeper's, which knows no roles.

        assertThatThrownBy(() -> file.append(text("x")).join()).hasCauseInstanceOf(DfsException.class);
    }

    /** BookKeeper's TLS begins with a request in the clear: a bookie would otherwise answer the next such request, too. */
    @Test
    void aBookieExecutesNothingInTheClear() throws Exception {
        ZooKeeperKeys keys = new ZooKeeperKeys(transport("admin", authority, PeerRole.ADMIN), scratch);
        keys.refresh();
        opened.add(keys);
        BookKeeperUri uri = BookKeeperUri.parse(bookies.uri("/tls"));
        ZooKeeperClient zooKeeper =
                RenewingZooKeeper.connect(uri.connectString(), 10_000, Patience.NONE, keys.settings());
        opened.add(zooKeeper);
        BookKeeper clear = new BookKeeper(BookKeeperLedgers.settings(uri, 10_000, false), zooKeeper);
        opened.add(clear);

        assertThatThrownBy(() -> clear.createLedger(
                                3, 3, 2, BookKeeper.DigestType.fromApiDigestType(DigestType.CRC32C), new byte[0])
                        .addEntry(new byte[1]))
                .isInstanceOf(org.apache.bookkeeper.client.BKException.class);
    }

    @Test
    void keysForZooKeeperAreRenewedWithTheCertificate() throws IOException {
        Path folder = TestAuthority.write(storage.resolve("swept"), authority.issueFor("before", PeerRole.SERVER));
        Transport transport = Transport.mutualTls(folder, PeerRole.SERVER);
        opened.add(transport);
        assertWorks(open(transport, PATIENCE), "swept");
        Path written = keys();
        byte[] before = read(written);

        TestAuthority.write(folder, authority.issueFor("after", PeerRole.SERVER));

        OnBookies.until(() -> !Arrays.equals(before, read(written)));
    }

    @Test
    void aClosedDfsLeavesNoKeysBehind() throws IOException {
        BookKeeperDfs dfs = open(transport("closed", authority, PeerRole.SERVER), PATIENCE);
        assertWorks(dfs, "closed");
        assertThat(keys()).isNotEmptyFile();

        dfs.close();

        assertThat(scratch).isEmptyDirectory();
    }

    @Test
    void aConnectionThatIsMadeWhileTheDfsIsClosedLeavesNoKeysBehind() throws IOException {
        Connections connections = new Connections(transport("closing", authority, PeerRole.SERVER), scratch);
        BookKeeperUri uri = BookKeeperUri.parse(bookies.uri("/tls"));
        connections.close();

        assertThatThrownBy(() -> connections.zooKeeper(uri.connectString(), 4_000))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the DFS was closed");
        connections.refresh();

        assertThat(scratch).isEmptyDirectory();
    }

    @Test
    void keysThatWereHalfWrittenAreDeletedWithTheOthers() throws IOException {
        ZooKeeperKeys half = new ZooKeeperKeys(transport("half", authority, PeerRole.SERVER), scratch);
        half.refresh();
        Files.writeString(keys().resolveSibling("next.p12"), "half");

        half.close();

        assertThat(scratch).isEmptyDirectory();
    }

    /** The keys of this test's only client. */
    private Path keys() throws IOException {
        try (Stream<Path> files = Files.walk(scratch)) {
            List<Path> found = files.filter(file -> file.endsWith("keys.p12")).toList();
            assertThat(found).hasSize(1);
            return found.get(0);
        }
    }

    private static byte[] read(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Test
    void replacedCertificatesCountForNewConnections() throws IOException {
        Path folder = TestAuthority.write(storage.resolve("renewed"), another.issueFor("old", PeerRole.MASTER));
        Transport transport = Transport.mutualTls(folder, PeerRole.MASTER);
        opened.add(transport);
        Dfs dfs = open(transport, PATIENCE);
        assertThat(Objects.requireNonNull(transport.certificate()).isOutdated()).isFalse();

        TestAuthority.write(folder, authority.issueFor("new", PeerRole.MASTER));

        assertWorks(dfs, "renewed");
    }
}
