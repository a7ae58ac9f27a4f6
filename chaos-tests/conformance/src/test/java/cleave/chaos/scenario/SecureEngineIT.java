package cleave.chaos.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.process.AdminPort;
import cleave.chaos.process.ChildProcess;
import cleave.chaos.process.ClassArchive;
import cleave.chaos.process.Patience;
import cleave.chaos.system.Folders;
import cleave.deploy.cluster.Jvm;
import cleave.deploy.cluster.Launch;
import cleave.deploy.cluster.NodeProcess;
import cleave.dfs.Dfs;
import cleave.dfs.DfsClients;
import cleave.dfs.DfsFile;
import cleave.dfs.metrics.DfsMetrics;
import cleave.runtime.rpc.TestPorts;
import cleave.runtime.rpc.Transport;
import cleave.runtime.tls.PeerRole;
import cleave.runtime.tls.TestAuthority;
import com.google.protobuf.ByteString;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The processes of {@code cleave engine} with the setting {@code tls}: an ensemble of ZooKeeper, bookies and autorecovery. */
@Timeout(600)
@Tag("nightly")
class SecureEngineIT {
    private static final Patience PATIENCE = Patience.ofSeconds(180);
    private static final Jvm JVM = ClassArchive.jvm(List.of(
            "-XX:+UseSerialGC",
            "-Xmx160m",
            "-XX:MaxDirectMemorySize=160m",
            "-Dio.netty.allocator.numDirectArenas=1",
            "-Dzookeeper.jmx.log4j.disable=true",
            "-DCLEAVE_BOOKKEEPER_LOG=INFO"));

    private final Path dir = Folders.fresh("secure-engine");
    private final List<ChildProcess> running = new ArrayList<>();
    private final int[] clients = {TestPorts.free(), TestPorts.free()};
    private final String zookeepers = "localhost:" + clients[0] + ";127.0.0.1:" + clients[1];
    private final TestAuthority authority = new TestAuthority(folder("authority"));
    private final Path tls = TestAuthority.write(dir.resolve("tls"), authority.issueFor("dfs", PeerRole.DFS));

    @AfterEach
    void end() {
        running.forEach(ChildProcess::endQuietly);
    }

    private Path folder(String name) {
        try {
            return Files.createDirectories(dir.resolve(name));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private List<String> engine(List<String> words, Map<String, String> settings) {
        List<String> arguments = new ArrayList<>(List.of("engine"));
        arguments.addAll(words);
        arguments.addAll(List.of("--set", "tls=" + tls));
        settings.forEach((key, value) -> arguments.addAll(List.of("--set", key + "=" + value)));
        return arguments;
    }

    /** Starts another process. */
    private ChildProcess node(String part, String name, Map<String, String> settings) {
        AdminPort admin = new AdminPort(TestPorts.free());
        Map<String, String> all = new TreeMap<>(settings);
        all.put("admin.listen", "127.0.0.1:" + admin.port());
        ChildProcess node =
                new ChildProcess(folder(part + "-" + name), JVM, engine(List.of(part, "--name", name), all), admin);
        running.add(node);
        node.start();
        return node;
    }

    private ChildProcess zookeeper(String name, List<String> servers) {
        return node(
                "zookeeper",
                name,
                Map.of(
                        "dataDir",
                        dir.resolve("data-" + name).toString(),
                        "tickTime",
                        "2000",
                        "initLimit",
                        "30",
                        "syncLimit",
                        "10",
                        "admin.enableServer",
                        "false",
                        "4lw.commands.whitelist",
                        "srvr,dump,mntr",
                        "server.1",
                        servers.get(0),
                        "server.2",
                        servers.get(1)));
    }

    private ChildProcess bookie(String name, int port) {
        Path disk = dir.resolve(name);
        Map<String, String> settings = new TreeMap<>(member());
        settings.putAll(Map.of(
                "bookiePort",
                Integer.toString(port),
                "listeningInterface",
                "lo",
                "advertisedAddress",
                "localhost",
                "journalDirectories",
                disk.resolve("journal").toString(),
                "ledgerDirectories",
                disk.resolve("ledgers").toString(),
                "journalPreAllocSizeMB",
                "4",
                "diskUsageThreshold",
                "0.99",
                "diskUsageWarnThreshold",
                "0.99"));
        return node("bookie", name, settings);
    }

    private Map<String, String> member() {
        return Map.of(
                "metadataServiceUri",
                "zk+longhierarchical://" + zookeepers + "/ledgers",
                "allowLoopback",
                "true",
                "autoRecoveryDaemonEnabled",
                "false",
                "httpServerEnabled",
                "false",
                "zkTimeout",
                "30000");
    }

    private Dfs open(Transport transport, String query) {
        return DfsClients.open(
                "bookkeeper://" + zookeepers.replace(';', ',') + "/cleave" + query,
                transport,
                new DfsMetrics(new CollectorRegistry()));
    }

    /** Why a file cannot be sealed; empty if it can. */
    private static String failure(Dfs dfs) {
        return dfs.seal("logs/1")
                .handle((length, failure) -> failure == null ? "" : String.valueOf(failure.getMessage()))
                .join();
    }

    /** The answer of a port in the clear, to a caller without a certificate. */
    private static String askInTheClear(int port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write("srvr\n\n".getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        } catch (IOException broken) {
            return "";
        }
    }

    @Test
    void allOfItTalksWithMutualTlsAndServesNobodyElse() throws Exception {
        List<String> servers = List.of(
                "localhost:" + TestPorts.free() + ":" + TestPorts.free() + ";" + clients[0],
                "127.0.0.1:" + TestPorts.free() + ":" + TestPorts.free() + ";" + clients[1]);
        ChildProcess first = zookeeper("localhost", servers);
        ChildProcess second = zookeeper("127", servers);
        PATIENCE.until("ZooKeeper is blank", () -> first.readiness().missing().contains("it is blank"));
        assertThat(askInTheClear(clients[0])).doesNotContain("blank");

        NodeProcess format = new NodeProcess("format", folder("format"));
        int status = format.start(Launch.cleave(
                        JVM,
                        engine(
                                List.of("format"),
                                Map.of("metadataServiceUri", "zk+longhierarchical://" + zookeepers + "/ledgers"))))
                .waitFor();
        assertThat(status).as(format.lastLines(20)).isZero();
        first.awaitReady(PATIENCE);
        second.awaitReady(PATIENCE);
        for (String name : List.of("b1", "b2", "b3")) {
            bookie(name, TestPorts.free()).awaitReady(PATIENCE);
        }
        node("autorecovery", "a1", member()).awaitReady(PATIENCE);

        Path server = TestAuthority.write(dir.resolve("server"), authority.issueFor("server", PeerRole.SERVER));
        try (Transport transport = Transport.mutualTls(server, PeerRole.SERVER);
                Dfs dfs = open(transport, "")) {
            PATIENCE.until("the DFS answers", () -> dfs.probe().join().ready());
            DfsFile file = dfs.create("logs/1").join();
            file.append(ByteString.copyFromUtf8("abc")).join();
            assertThat(dfs.seal("logs/1").join()).isEqualTo(3);
        }
        assertThat(askInTheClear(clients[0])).doesNotContain("Mode");
        assertThat(askInTheClear(clients[1])).doesNotContain("Mode");
        try (Dfs dfs = open(Transport.PLAIN, "")) {
            PATIENCE.until("it is refused", () -> failure(dfs).contains("BookKeeper was not reached yet (ZooKeeper: "));
        }
        TestAuthority stranger = new TestAuthority(folder("stranger"));
        Path unknown = TestAuthority.write(dir.resolve("unknown"), stranger.issueFor("server", PeerRole.SERVER));
        try (Transport transport = Transport.mutualTls(unknown, PeerRole.SERVER);
                Dfs dfs = open(transport, "")) {
            PATIENCE.until("it is refused", () -> failure(dfs).contains("BookKeeper was not reached yet (ZooKeeper: "));
        }
    }
}
