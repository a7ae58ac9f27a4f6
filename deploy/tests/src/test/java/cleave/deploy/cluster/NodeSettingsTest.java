package cleave.deploy.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.deploy.CommandFailure;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class NodeSettingsTest {
    private static final TreeMap<NodeId.Role, Integer> COUNTS = new TreeMap<>(
            Map.of(NodeId.Role.MASTER, 1, NodeId.Role.SERVER, 2, NodeId.Role.FRONT_END, 1, NodeId.Role.DFS, 1));

    private static Layout layout() {
        TreeMap<String, Integer> ports = new TreeMap<>();
        int port = 20_000;
        for (String node : new String[] {"dfs-1", "master-1", "server-1", "server-2", "front-end-1"}) {
            ports.put(node + ".port", port++);
            ports.put(node + ".admin", port++);
        }
        ports.put("master-1.raft", port);
        return new Layout(Path.of("/c"), "127.0.0.1", COUNTS, ports, true);
    }

    private static Map<String, String> of(String role, int number, Map<String, String> given) {
        return new NodeSettings(layout(), Path.of("/c/accounts"), given).of(layout().node(role, number));
    }

    @Test
    void aServerKnowsTheMastersAndTheDfs() {
        assertThat(of("server", 2, Map.of()))
                .isEqualTo(Map.of(
                        "admin.listen", "127.0.0.1:20007",
                        "server.id", "server-2",
                        "server.listen", "127.0.0.1:20006",
                        "server.dir", "/c/server-2/data",
                        "masters", "127.0.0.1:20002",
                        "dfs", "dfs:127.0.0.1:20000"));
    }

    @Test
    void aSettingGoesToTheRoleThatItsKeyBeginsWith() {
        Map<String, String> given = Map.of("server.loops", "1", "master.snapshot-every", "10");

        assertThat(of("server", 1, given))
                .containsEntry("server.loops", "1")
                .doesNotContainKey("master.snapshot-every");
        assertThat(of("master", 1, given))
                .containsEntry("master.snapshot-every", "10")
                .doesNotContainKey("server.loops");
    }

    @Test
    void eachThrottleGoesToTheRoleThatEnforcesIt() {
        Map<String, String> given = Map.of(
                "throttle.partition-entities-per-second", "2000", "throttle.account-entities-per-second", "20000");

        assertThat(of("server", 1, given))
                .containsEntry("throttle.partition-entities-per-second", "2000")
                .doesNotContainKey("throttle.account-entities-per-second");
        assertThat(of("front-end", 1, given))
                .containsEntry("throttle.account-entities-per-second", "20000")
                .doesNotContainKey("throttle.partition-entities-per-second");
    }

    @Test
    void aSettingOfNoRoleIsRefused() {
        assertThatThrownBy(() -> of("server", 1, Map.of("loops", "1")))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("belongs to no role");
    }
}
