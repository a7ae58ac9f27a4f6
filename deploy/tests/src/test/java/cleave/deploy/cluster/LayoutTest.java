package cleave.deploy.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.deploy.CommandFailure;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LayoutTest {
    @TempDir
    private Path dir;

    private Layout layout(int masters, int servers) {
        TreeMap<NodeId.Role, Integer> counts = new TreeMap<>(Map.of(
                NodeId.Role.MASTER,
                masters,
                NodeId.Role.SERVER,
                servers,
                NodeId.Role.FRONT_END,
                1,
                NodeId.Role.DFS,
                1));
        return new Layout(dir, "127.0.0.1", counts, new Ports("127.0.0.1", new Random(1)).choose(counts, 0), false);
    }

    @Test
    void isReadAsItWasSaved() {
        Layout layout = layout(3, 2);
        layout.save();

        assertThat(Layout.exists(dir)).isTrue();
        assertThat(Layout.load(dir)).isEqualTo(layout);
    }

    @Test
    void namesEachProcessOnce() {
        assertThat(layout(1, 2).nodes())
                .extracting(NodeId::toString)
                .containsExactly("dfs-1", "master-1", "server-1", "server-2", "front-end-1");
    }

    @Test
    void aProcessThatItHasNotIsRefused() {
        assertThatThrownBy(() -> layout(1, 2).node("server", 3))
                .isInstanceOf(CommandFailure.class)
                .hasMessage("there is no server 3; this cluster has 2 of them, counted from 1");
        assertThatThrownBy(() -> layout(1, 2).node("servers", 1)).isInstanceOf(CommandFailure.class);
    }

    @Test
    void countsThatMakeNoClusterAreRefused() {
        assertThatThrownBy(() -> new ClusterPlan(
                        dir, 2, 1, 1, new DfsPlan(null, null, null), 0, null, null, false, false, List.of()))
                .hasMessageContaining("majority");
        assertThatThrownBy(() -> layout(1, 0)).hasMessageContaining("from 1 to 99");
        assertThatThrownBy(() -> layout(1, 100)).hasMessageContaining("not 100");
    }

    @Test
    void aFolderWithoutAClusterSaysSo() {
        assertThatThrownBy(() -> Layout.load(dir.resolve("absent")))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("there is no cluster in");
    }
}
