package cleave.chaos.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.process.Patience;
import cleave.chaos.system.Folders;
import cleave.deploy.Cleave;
import cleave.deploy.access.Deployment;
import cleave.dfs.Dfs;
import cleave.dfs.DfsClients;
import cleave.dfs.metrics.DfsMetrics;
import cleave.runtime.rpc.Transport;
import cleave.runtime.tls.PeerRole;
import cleave.runtime.tls.TestAuthority;
import com.azure.data.tables.TableClient;
import com.azure.data.tables.TableClientBuilder;
import com.azure.data.tables.models.TableEntity;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A local cluster on BookKeeper, all of whose processes, an ensemble of ZooKeeper among them, talk with mutual TLS and serve nobody else. */
@Timeout(600)
@Tag("nightly")
class SecureBookKeeperIT {
    private final Path dir = Folders.fresh("secure-bookkeeper").resolve("cluster");
    private final TestAuthority authority = new TestAuthority(folder("authority"));
    private final StringWriter said = new StringWriter();

    private Path folder(String name) {
        try {
            return Files.createDirectories(dir.resolveSibling(name));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private void cluster(String... words) {
        List<String> arguments = new ArrayList<>(List.of("cluster"));
        arguments.addAll(List.of(words));
        arguments.addAll(List.of("--dir", dir.toString()));
        PrintWriter writer = new PrintWriter(said, true);
        int status = Cleave.commandLine().setOut(writer).setErr(writer).execute(arguments.toArray(String[]::new));
        assertThat(status).as(said.toString()).isZero();
    }

    @AfterEach
    void stop() {
        cluster("stop");
    }

    private TableClient table() {
        Deployment deployment = Deployment.load(dir);
        return new TableClientBuilder()
                .connectionString(deployment.tables().connectionString())
                .tableName("notes")
                .buildClient();
    }

    private static void write(TableClient table, String text) {
        for (int i = 0; i < 10; i++) {
            table.upsertEntity(new TableEntity("p" + i, text).addProperty("Text", text));
        }
    }

    private String dfs() {
        return Objects.requireNonNull(Deployment.load(dir).dfs());
    }

    /** The answer of the first ZooKeeper server to a caller in the clear. */
    private String askInTheClear() throws IOException {
        URI first = URI.create(dfs().replaceFirst(",.*", ""));
        try (Socket socket = new Socket(first.getHost(), first.getPort())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write("srvr\n\n".getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    private void assertRefused(Transport transport) {
        try (Dfs dfs = DfsClients.open(dfs(), transport, new DfsMetrics(new CollectorRegistry()))) {
            Patience.ofSeconds(180)
                    .until(
                            "it is refused",
                            () -> dfs.seal("logs/1")
                                    .handle((length, failure) -> String.valueOf(failure))
                                    .join()
                                    .contains("BookKeeper was not reached yet (ZooKeeper: "));
        }
    }

    @Test
    void allOfItTalksWithMutualTlsAndServesNobodyElse() throws IOException {
        Path tls = dir.resolveSibling("tls");
        for (PeerRole role : PeerRole.values()) {
            TestAuthority.write(tls.resolve(role.word()), authority.issueFor(role.word(), role));
        }
        cluster(
                "--wait",
                "240",
                "--dfs",
                "bookkeeper",
                "--zookeepers",
                "3",
                "--masters",
                "1",
                "--servers",
                "1",
                "--front-ends",
                "1",
                "--port",
                "0",
                "--set",
                "tls=" + tls);
        TableClient table = table();
        table.createTable();
        write(table, "first");

        assertThat(askInTheClear()).doesNotContain("Mode");
        assertRefused(Transport.PLAIN);
        TestAuthority stranger = new TestAuthority(folder("stranger"));
        try (Transport transport = Transport.mutualTls(
                TestAuthority.write(dir.resolveSibling("unknown"), stranger.issueFor("server", PeerRole.SERVER)),
                PeerRole.SERVER)) {
            assertRefused(transport);
        }

        cluster("kill", "bookie", "1");
        write(table, "second");
        cluster("start", "bookie", "1");
        cluster("status");
        assertThat(table.listEntities().stream().count()).isEqualTo(20);
    }
}
