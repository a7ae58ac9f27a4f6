package cleave.chaos.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.system.Folders;
import cleave.deploy.terminal.Wait;
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
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The processes of {@code cleave engine} with the setting {@code tls}: an ensemble of ZooKeeper, bookies and autorecovery. */
@Timeout(600)
@Tag("nightly")
class SecureEngineIT {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Duration POLL = Duration.ofMillis(200);
    private static final Path ENGINE =
            Path.of("..", "..", "dfs-stub", "bookkeeper", "target", "engine").toAbsolutePath();

    private final Path dir = Folders.fresh("secure-engine");
    private final Deque<Process> running = new ArrayDeque<>();
    private final int[] clients = {TestPorts.free(), TestPorts.free()};
    private final String zookeepers = "localhost:" + clients[0] + ";127.0.0.1:" + clients[1];
    private final TestAuthority authority = new TestAuthority(folder("authority"));
    private final Path tls = TestAuthority.write(dir.resolve("dfs"), authority.issueFor("dfs", PeerRole.DFS));

    @AfterEach
    void end() throws InterruptedException {
        running.forEach(Process::destroyForcibly);
        for (Process process : running) {
            process.waitFor();
        }
    }

    private Path folder(String name) {
        try {
            return Files.createDirectories(dir.resolve(name));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** A process of its own, whose settings are these. */
    private Process start(String part, List<String> words, Map<String, String> settings) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-Xmx160m",
                "-XX:MaxDirectMemorySize=160m",
                "-Dio.netty.allocator.numDirectArenas=1",
                "-Dzookeeper.jmx.log4j.disable=true",
                "-DCLEAVE_BOOKKEEPER_LOG=INFO",
                "-Djava.io.tmpdir=" + folder(part + String.join("", words) + "-tmp"),
                "-cp",
                classPath(),
                "cleave.deploy.Cleave",
                "engine",
                part));
        command.addAll(words);
        settings.forEach((key, value) -> command.addAll(List.of("--set", key + "=" + value)));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(
                        dir.resolve(part + String.join("", words) + ".log").toFile())
                .start();
        running.push(process);
        return process;
    }

    private static String classPath() throws IOException {
        try (Stream<Path> jars = Files.list(ENGINE)) {
            return System.getProperty("java.class.path")
                    + File.pathSeparator
                    + String.join(
                            File.pathSeparator,
                            jars.map(Path::toString).sorted().toList());
        }
    }

    /** Starts one and returns its admin port. */
    private int node(String part, String name, Map<String, String> settings) throws IOException {
        int admin = TestPorts.free();
        Map<String, String> all = new TreeMap<>(settings);
        all.put("admin.listen", "127.0.0.1:" + admin);
        all.put("tls", tls.toString());
        start(part, List.of("--name", name), all);
        return admin;
    }

    private int zookeeper(String name, List<String> servers) throws IOException {
        return node(
                "zookeeper",
                name,
                Map.of(
                        "dataDir",
                        dir.resolve("zookeeper-" + name).toString(),
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

    private int bookie(String name, int port) throws IOException {
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

    private static String ready(int admin) {
        try {
            HttpURLConnection asked = (HttpURLConnection)
                    URI.create("http://127.0.0.1:" + admin + "/readyz").toURL().openConnection();
            return asked.getResponseCode() == HttpURLConnection.HTTP_OK
                    ? "ready"
                    : new String(asked.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException notYet) {
            return notYet.toString();
        }
    }

    private static void awaitReady(int admin) {
        assertThat(Wait.until(() -> ready(admin).equals("ready"), PATIENCE, POLL))
                .as("%s", ready(admin))
                .isTrue();
    }

    private Dfs open(Transport transport, String query) {
        return DfsClients.open(
                "bookkeeper://" + zookeepers.replace(';', ',') + "/cleave" + query,
                transport,
                new DfsMetrics(new CollectorRegistry()));
    }

    private static void await(BooleanSupplier condition) {
        assertThat(Wait.until(condition, PATIENCE, POLL)).isTrue();
    }

    /** Why a file cannot be sealed; empty if it can. */
    private static String failure(Dfs dfs) {
        return dfs.seal("logs/1")
                .handle((length, failure) -> failure == null ? "" : String.valueOf(failure.getMessage()))
                .join();
    }

    /** What a port answers in the clear, to someone without a certificate. */
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
        int first = zookeeper("localhost", servers);
        int second = zookeeper("127", servers);
        await(() -> ready(first).contains("it is blank"));
        assertThat(askInTheClear(clients[0])).doesNotContain("blank");

        Process format = start(
                "format",
                List.of(),
                Map.of(
                        "metadataServiceUri",
                        "zk+longhierarchical://" + zookeepers + "/ledgers",
                        "tls",
                        tls.toString()));
        assertThat(format.waitFor())
                .as(Files.readString(dir.resolve("format.log")))
                .isZero();
        awaitReady(first);
        awaitReady(second);
        int port = TestPorts.free();
        for (int admin : List.of(bookie("b1", port), bookie("b2", TestPorts.free()), bookie("b3", TestPorts.free()))) {
            awaitReady(admin);
        }
        awaitReady(node("autorecovery", "a1", member()));

        Path server = TestAuthority.write(dir.resolve("server"), authority.issueFor("server", PeerRole.SERVER));
        try (Transport transport = Transport.mutualTls(server, PeerRole.SERVER);
                Dfs dfs = open(transport, "")) {
            await(() -> dfs.probe().join().ready());
            DfsFile file = dfs.create("logs/1").join();
            file.append(ByteString.copyFromUtf8("abc")).join();
            assertThat(dfs.seal("logs/1").join()).isEqualTo(3);
        }
        assertThat(askInTheClear(clients[0])).doesNotContain("Mode");
        assertThat(askInTheClear(clients[1])).doesNotContain("Mode");
        try (Dfs dfs = open(Transport.PLAIN, "")) {
            await(() -> failure(dfs).contains("BookKeeper was not reached yet (ZooKeeper: "));
        }
        TestAuthority stranger = new TestAuthority(folder("stranger"));
        Path unknown = TestAuthority.write(dir.resolve("unknown"), stranger.issueFor("server", PeerRole.SERVER));
        try (Transport transport = Transport.mutualTls(unknown, PeerRole.SERVER);
                Dfs dfs = open(transport, "")) {
            await(() -> failure(dfs).contains("BookKeeper was not reached yet (ZooKeeper: "));
        }
    }
}
