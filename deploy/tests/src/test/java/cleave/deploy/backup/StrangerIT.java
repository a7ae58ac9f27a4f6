package cleave.deploy.backup;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.deploy.ExitCode;
import cleave.deploy.TestTerminal;
import cleave.deploy.admin.AdminClient;
import cleave.dfs.DfsNode;
import cleave.dfs.metrics.DfsMetrics;
import cleave.dfs.settings.DfsNodeConfig;
import cleave.runtime.rpc.RpcServer;
import cleave.runtime.rpc.Transport;
import cleave.runtime.settings.Settings;
import cleave.runtime.tls.PeerRole;
import cleave.runtime.tls.TestAuthority;
import cleave.runtime.tls.TestAuthority.Issued;
import cleave.wire.AdminGrpc;
import cleave.wire.ErrorCode;
import cleave.wire.Status;
import cleave.wire.StatusReply;
import cleave.wire.StatusRequest;
import io.grpc.stub.StreamObserver;
import io.prometheus.client.CollectorRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Without an admin's certificate nobody can back up or restore, and the error says what is missing. */
class StrangerIT {
    @TempDir
    private Path dir;

    private TestAuthority authority;
    private final TestTerminal terminal = new TestTerminal();

    private static final class Master extends AdminGrpc.AdminImplBase {
        @Override
        public void getStatus(StatusRequest request, StreamObserver<StatusReply> answer) {
            answer.onNext(StatusReply.newBuilder()
                    .setStatus(Status.newBuilder().setCode(ErrorCode.OK))
                    .setCluster("c1")
                    .setNextTable(1)
                    .setDropsMark(1)
                    .build());
            answer.onCompleted();
        }
    }

    @BeforeEach
    void found() throws Exception {
        authority = new TestAuthority(Files.createDirectory(dir.resolve("authority")));
    }

    private Path issued(PeerRole role) {
        return TestAuthority.write(dir.resolve(role.word()), authority.issueFor(role.word(), role));
    }

    private int backup(String master, String dfs, Path certificates) {
        return terminal.run(
                "backup",
                dir.resolve("backups").toString(),
                "--masters",
                master,
                "--dfs",
                dfs,
                "--tls",
                certificates.toString());
    }

    /** Runs a command with time for a machine that is slow to load TLS. */
    private static String cluster(String master, Path certificates) throws Exception {
        Transport transport = Transport.mutualTls(certificates, PeerRole.ADMIN);
        try (AdminClient masters = new AdminClient(List.of(master), transport, Duration.ofMinutes(2))) {
            return masters.status().getCluster();
        }
    }

    @Test
    void aCertificateOfAnotherRoleIsRefusedBeforeAnythingIsAsked() {
        Path frontEnd = issued(PeerRole.FRONT_END);
        assertThat(backup("127.0.0.1:1", "dfs:127.0.0.1:1", frontEnd)).isEqualTo(ExitCode.USAGE);
        assertThat(terminal.said())
                .contains("the certificates in " + frontEnd, "is for the roles [front-end] but is used by admin")
                .contains("there must be a URI such as spiffe://example.org/cleave/admin");
        assertThat(dir.resolve("backups")).doesNotExist();
    }

    /** The masters believe its authority, and the DFS does not. */
    @Test
    @Tag("nightly")
    void anAdminOfAnotherAuthorityIsRefusedByTheDfs() throws Exception {
        TestAuthority another = new TestAuthority(Files.createDirectory(dir.resolve("another")));
        Issued stranger = another.issueFor("stranger", PeerRole.ADMIN);
        Path masters = issued(PeerRole.MASTER);
        Path nodes = issued(PeerRole.DFS);
        Path strangers = TestAuthority.write(dir.resolve("stranger"), stranger);
        String believed = Files.readString(masters.resolve("ca.crt"));
        Files.writeString(masters.resolve("ca.crt"), believed + Files.readString(strangers.resolve("ca.crt")));
        Files.writeString(strangers.resolve("ca.crt"), believed);
        DfsNodeConfig config = DfsNodeConfig.from(
                new Settings(Map.of("dfs-node.dir", dir.resolve("dfs").toString(), "dfs-node.listen", "127.0.0.1:0")));
        try (Transport ofMasters = Transport.mutualTls(masters, PeerRole.MASTER);
                Transport ofNodes = Transport.mutualTls(nodes, PeerRole.DFS);
                RpcServer master = RpcServer.start(ofMasters, "127.0.0.1:0", new Master());
                DfsNode node = new DfsNode(config, ofNodes, new DfsMetrics(new CollectorRegistry()))) {
            node.start();
            assertThat(cluster(master.address(), strangers)).isEqualTo("c1");
            assertThat(backup(master.address(), "dfs:" + node.address(), strangers))
                    .as(terminal::said)
                    .isEqualTo(ExitCode.UNREACHABLE);
            assertThat(terminal.said()).contains("the DFS does not answer, or refuses an admin: ");
            assertThat(dir.resolve("backups")).doesNotExist();
        }
    }
}
