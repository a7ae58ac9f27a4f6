package cleave.deploy.cluster;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.client.Connection;
import cleave.client.Request;
import cleave.deploy.Cleave;
import cleave.deploy.ExitCode;
import cleave.deploy.RawTables;
import cleave.deploy.access.Deployment;
import cleave.runtime.loop.Await;
import cleave.runtime.rpc.Address;
import cleave.runtime.tls.PeerRole;
import cleave.runtime.tls.TestAuthority;
import cleave.runtime.tls.TestAuthority.Issued;
import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Reader;
import java.io.StringWriter;
import java.net.SocketException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A small cluster of real processes, through the command line as people use it. */
class ClusterIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @TempDir
    private Path dir;

    private final StringWriter written = new StringWriter();

    private int cleave(String... arguments) {
        CommandLine line = Cleave.commandLine();
        PrintWriter writer = new PrintWriter(written, true);
        line.setOut(writer);
        line.setErr(writer);
        return line.execute(arguments);
    }

    private int cluster(String... arguments) {
        String[] all = new String[arguments.length + 3];
        all[0] = "cluster";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        all[all.length - 2] = "--dir";
        all[all.length - 1] = dir.toString();
        return cleave(all);
    }

    private void start(String... arguments) {
        String[] all = new String[arguments.length + 2];
        all[0] = "--wait";
        all[1] = "240";
        System.arraycopy(arguments, 0, all, 2, arguments.length);
        assertDone(cluster(all));
    }

    private RawTables tables() {
        Deployment deployment = Deployment.load(dir);
        return new RawTables(deployment.tables());
    }

    @AfterEach
    void stop() {
        if (Layout.exists(dir)) {
            LocalCluster.in(dir).stop();
        }
    }

    @Test
    @Tag("nightly")
    void aKilledServersRangesAreServedByTheOtherAndAllIsThereAfterARestart() throws Exception {
        start("--masters", "1", "--servers", "2", "--front-ends", "1", "--port", "0");
        assertThat(written.toString()).contains("AccountName=cleave;").doesNotContain("devstoreaccount1");
        String told = Files.readString(dir.resolve("deployment.properties"));
        assertThat(cleave("standalone", "--port", "0", "--data", dir.toString()))
                .isEqualTo(ExitCode.TAKEN);
        assertThat(written.toString()).contains("the folder " + dir + " is that of a cluster");
        assertThat(Files.readString(dir.resolve("deployment.properties"))).isEqualTo(told);
        RawTables tables = tables();
        assertThat(tables.createTable("notes")).isIn(201, 204);
        writeAll(tables, "first");
        assertDone(cleave(
                "admin", "split", "--dir", dir.toString(), "--account", "cleave", "--table", "notes", "p3", "p6"));

        assertDone(cluster("kill", "server", "1"));
        writeAll(tables, "second");
        assertThat(cluster("status")).isEqualTo(ExitCode.FAILED);
        assertThat(cluster("kill", "server", "1")).isEqualTo(ExitCode.FAILED);
        assertThat(cluster()).isEqualTo(ExitCode.TAKEN);
        assertDone(cluster("start", "server", "1"));
        assertDone(cluster("status"));

        assertDone(cluster("stop"));
        assertThat(LocalCluster.in(dir).status()).allMatch(node -> node.state().equals("stopped"));
        start();
        for (int i = 0; i < 10; i++) {
            assertThat(tables.get("notes", "p" + i, "r").text()).contains("second");
        }
        assertThat(openToOthers()).isEmpty();
    }

    /** The files and folders of the cluster that others than its owner can read. */
    private List<Path> openToOthers() throws IOException {
        List<Path> open = new ArrayList<>();
        Files.walkFileTree(dir, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path each, BasicFileAttributes attributes) throws IOException {
                return each.equals(dir) ? FileVisitResult.CONTINUE : visit(each, "rwx------");
            }

            @Override
            public FileVisitResult visitFile(Path each, BasicFileAttributes attributes) throws IOException {
                return visit(each, "rw-------");
            }

            private FileVisitResult visit(Path each, String allowed) throws IOException {
                try {
                    if (!PosixFilePermissions.fromString(allowed).containsAll(Files.getPosixFilePermissions(each))) {
                        open.add(each);
                    }
                } catch (NoSuchFileException gone) {
                    // The cluster runs, and deletes files meanwhile.
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path each, IOException failure) throws IOException {
                if (failure instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw failure;
            }
        });
        return open;
    }

    @Test
    @Tag("nightly")
    void aPausedProcessIsSeenAsPausedAndGoesOnWhenResumed() {
        start("--masters", "1", "--servers", "1", "--front-ends", "1", "--development-account", "--port", "0");
        assertThat(written.toString()).contains("AccountName=devstoreaccount1;");
        LocalCluster cluster = LocalCluster.in(dir);

        assertDone(cluster("pause", "front-end", "1"));
        awaitState(cluster, "paused");
        assertDone(cluster("resume", "front-end", "1"));
        awaitState(cluster, "running");
        assertThat(cluster("--masters", "3")).isEqualTo(ExitCode.USAGE);
    }

    /** The message is that of the process itself, as soon as it has ended, and not only that no cluster could be founded. */
    @Test
    void aWrongSettingIsRefusedBeforeAnyProcessStarts() {
        assertThat(cluster(
                        "--masters",
                        "1",
                        "--servers",
                        "1",
                        "--front-ends",
                        "1",
                        "--port",
                        "0",
                        "--set",
                        "master.nonsense=1"))
                .isEqualTo(ExitCode.USAGE);

        assertThat(written.toString()).contains("master.nonsense").doesNotContain("Starting");
    }

    /** Each role has a certificate, which lets it do its work and nothing else. */
    @Test
    @Tag("nightly")
    void rolesTalkWithMutualTlsAndLetNobodyElseIn(@TempDir Path scratch) throws Exception {
        TestAuthority authority = new TestAuthority(Files.createDirectory(scratch.resolve("authority")));
        Map<PeerRole, Issued> issued = new EnumMap<>(PeerRole.class);
        Path tls = scratch.resolve("tls");
        for (PeerRole role : PeerRole.values()) {
            issued.put(role, authority.issueFor(role.word(), role));
            TestAuthority.write(tls.resolve(role.word()), issued.get(role));
        }
        start("--masters", "3", "--servers", "2", "--front-ends", "1", "--port", "0", "--set", "tls=" + tls);
        Await.until("the board shows the cluster", this::isShownByTheBoard);
        RawTables tables = tables();
        assertThat(tables.createTable("notes")).isIn(201, 204);
        writeAll(tables, "first");
        assertDone(cleave("demo", "--dir", dir.toString(), "--ranges", "2"));
        assertDone(cluster("kill", "server", "1"));
        writeAll(tables, "second");

        String masters = String.join(",", Deployment.load(dir).masters());
        assertDone(cleave("admin", "ranges", "--dir", dir.toString()));
        String admin = tls.resolve("admin").toString();
        assertDone(cleave("admin", "leader", "--masters", masters, "--tls", admin));
        assertThat(cleave("admin", "leader", "--masters", masters)).isEqualTo(ExitCode.UNREACHABLE);
        assertThat(cleave(
                        "admin",
                        "leader",
                        "--masters",
                        masters,
                        "--tls",
                        tls.resolve("front-end").toString()))
                .isEqualTo(ExitCode.USAGE);
        assertThat(written.toString()).contains("is for the roles [front-end] but is used by admin");
        int raft = raftPort();
        assertThat(isLetInto(raft, Objects.requireNonNull(issued.get(PeerRole.MASTER))))
                .isTrue();
        for (PeerRole other : EnumSet.complementOf(EnumSet.of(PeerRole.MASTER))) {
            assertThat(isLetInto(raft, Objects.requireNonNull(issued.get(other))))
                    .as(other + " at Raft's port")
                    .isFalse();
        }
    }

    /** The board names the cluster only once a master has answered it, which here takes a viewer's certificate. */
    private boolean isShownByTheBoard() {
        Address board = Address.parse(Layout.load(dir).address(new NodeId(NodeId.Role.BOARD, 1), "port"));
        assertThat(written.toString()).contains("Board: http://" + board + "/");
        try (Connection connection = Connection.open(board.name(), board.port(), PATIENCE)) {
            String about = connection
                    .exchange(Request.of("GET", "/api/about").with("Connection", "close"))
                    .text();
            return !about.contains("\"cluster\":\"\"");
        } catch (IOException silent) {
            return false;
        }
    }

    private int raftPort() throws IOException {
        Properties master = new Properties();
        try (Reader in = Files.newBufferedReader(dir.resolve("master-1").resolve("config.properties"))) {
            master.load(in);
        }
        String listen = master.getProperty("master.raft-listen");
        return Integer.parseInt(listen.substring(listen.lastIndexOf(':') + 1));
    }

    /** A client that is let in gets the first frame of HTTP/2; in TLS 1.3 its first read shows that it is not. */
    private static boolean isLetInto(int port, Issued certificate) throws IOException {
        SslContext client = GrpcSslContexts.forClient()
                .sslProvider(SslProvider.JDK)
                .keyManager(certificate.key(), certificate.certificate(), certificate.authority())
                .trustManager(certificate.authority())
                .build();
        SSLContext context = ((JdkSslContext) client).context();
        try (SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", port)) {
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setApplicationProtocols(new String[] {"h2"});
            socket.setSSLParameters(parameters);
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0".getBytes(US_ASCII));
            return socket.getInputStream().read() >= 0;
        } catch (SSLException | SocketException refused) {
            return false;
        }
    }

    private void assertDone(int status) {
        assertThat(status).as(written::toString).isZero();
    }

    private static void awaitState(LocalCluster cluster, String state) {
        Await.until(
                state,
                () -> cluster.status().stream()
                        .filter(node -> node.role().equals("front-end"))
                        .allMatch(node -> node.state().equals(state)));
    }

    /** Writes one entity in each of ten partitions, and repeats writes that failed or whose answer was lost. */
    private static void writeAll(RawTables tables, String text) {
        for (String partitionKey : List.of("p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9")) {
            Await.until("writing " + partitionKey, () -> tables.put("notes", partitionKey, "r", text) == 204);
        }
    }
}
