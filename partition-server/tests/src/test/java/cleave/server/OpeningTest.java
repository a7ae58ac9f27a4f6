package cleave.server;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Key;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
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

    /** A server has more orders than it opens at a time. */
    @Test
    void theNextRangeIsBegunAsSoonAsOneIsOpen() {
        List<Key> at = IntStream.range(10, 30).mapToObj(i -> Key.beforeTable(i)).toList();
        String[] owners = Collections.nCopies(at.size() + 1, "s1").toArray(String[]::new);
        cluster.split("s1", cluster.masters.onlyRow(), at, owners);
        cluster.settle();
        Node second = cluster.start("s2");
        assertThat(first.ranges()).hasSize(owners.length);

        cluster.cutOff.add("s1");
        cluster.masters.taker = "s2";
        cluster.masters.declareDead(cluster.incarnation("s1"));
        cluster.loop.advanceMillis(200);

        assertThat(second.ranges()).as("after one heartbeat").hasSize(owners.length);
        assertThat(second.value("row4")).isEqualTo("v4");
    }
}
