package cleave.server;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.wire.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checkpoints, rolls and publishes, and what is deleted after them. */
class PublishingTest {
    private Cluster cluster;
    private Node server;

    @BeforeEach
    void serve() {
        cluster = Cluster.withCheckpointsAt(1000);
        server = cluster.start("s1");
    }

    private void writeSome(int from, int count) {
        for (int i = from; i < from + count; i++) {
            assertThat(server.put("row" + i, "value " + i)).isEqualTo(ErrorCode.OK);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-log-", "-manifest-"})
    void aPublishLeavesTheFilesOfOthersThatItMeets(String kind) {
        List<String> met = new ArrayList<>();
        cluster.dfs.takeByOthers(path -> path.contains(kind) && met.size() < 2 && met.add(path));
        writeSome(0, 100);
        cluster.loop.advanceMillis(5000);
        writeSome(100, 100);
        cluster.settle();
        assertThat(cluster.dfs.others()).hasSize(2);
        assertThat(cluster.dfs.paths(kind)).containsAll(cluster.dfs.others());
    }
}
