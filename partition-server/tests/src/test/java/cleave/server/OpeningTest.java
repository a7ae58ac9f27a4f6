package cleave.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The case of opening a range that an exercise names. The transcripts have the rest. */
class OpeningTest {
    private Cluster cluster;
    private Node first;

    @BeforeEach
    void serve() {
        cluster = new Cluster();
        first = cluster.start("s1");
        for (int i = 0; i < 5; i++) {
            first.put("row" + i, "v" + i);
        }
    }

    @Test
    void aFailedAttemptIsRepeatedWhileTheOrderStands() {
        Node second = cluster.start("s2");
        cluster.dfs.unavailableSealsOf(first.logPath(), 2);
        cluster.takeOver("s1", "s2");
        cluster.settle();
        assertThat(second.value("row4")).isEqualTo("v4");
        assertThat(second.metrics.opens.labels("failed").get()).isEqualTo(2);
        assertThat(cluster.dfs.paths("-s2.").stream().filter(path -> path.contains("-log-")))
                .as("failed attempts leave nothing behind")
                .hasSize(1);
    }
}
