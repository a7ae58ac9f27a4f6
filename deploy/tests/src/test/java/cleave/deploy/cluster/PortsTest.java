package cleave.deploy.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class PortsTest {
    private static final TreeMap<NodeId.Role, Integer> COUNTS = new TreeMap<>(
            Map.of(NodeId.Role.MASTER, 3, NodeId.Role.SERVER, 20, NodeId.Role.FRONT_END, 2, NodeId.Role.DFS, 1));

    @Test
    void allPortsDifferAndLieBelowThoseOfOutgoingConnections() {
        SortedMap<String, Integer> ports = new Ports("127.0.0.1", new Random(7)).choose(COUNTS, 0);

        assertThat(ports).hasSize(26 * 2 + 3);
        assertThat(ports.values()).doesNotHaveDuplicates().allMatch(port -> port >= 15_000 && port < 32_000);
    }

    @Test
    void aFirstPortForFrontEndsThatIsTakenIsRefused() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> new Ports("127.0.0.1", new Random(7)).choose(COUNTS, taken.getLocalPort()))
                    .isInstanceOfSatisfying(
                            CommandFailure.class,
                            failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.TAKEN))
                    .hasMessageContaining("--port");
        }
    }
}
