package cleave.chaos.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.system.Folders;
import cleave.deploy.Cleave;
import cleave.deploy.access.Deployment;
import cleave.runtime.tls.PeerRole;
import cleave.runtime.tls.TestAuthority;
import com.azure.data.tables.TableClient;
import com.azure.data.tables.TableClientBuilder;
import com.azure.data.tables.models.TableEntity;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
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

/** A local cluster on BookKeeper, all of whose processes talk with mutual TLS. */
@Timeout(400)
@Tag("nightly")
class SecureBookKeeperIT {
    private final Path dir = Folders.fresh("secure-bookkeeper").resolve("cluster");
    private final StringWriter said = new StringWriter();

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

    /** ZooKeeper's answer to anybody. */
    private String askInTheClear() throws IOException {
        URI uri = URI.create(Objects.requireNonNull(Deployment.load(dir).dfs()));
        try (Socket socket = new Socket(uri.getHost(), uri.getPort())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write("srvr\n\n".getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    @Test
    void allOfItTalksWithMutualTls() throws IOException {
        TestAuthority authority = new TestAuthority(Files.createDirectories(dir.resolveSibling("authority")));
        Path tls = dir.resolveSibling("tls");
        for (PeerRole role : PeerRole.values()) {
            TestAuthority.write(tls.resolve(role.word()), authority.issueFor(role.word(), role));
        }
        cluster(
                "--wait",
                "240",
                "--dfs",
                "bookkeeper",
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

        cluster("kill", "bookie", "1");
        write(table, "second");
        cluster("start", "bookie", "1");
        cluster("status");
        assertThat(table.listEntities().stream().count()).isEqualTo(20);
    }
}
