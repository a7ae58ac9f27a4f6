package cleave.server;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.wire.ErrorCode;
import cleave.wire.WriteKind;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Opening a range: seal, fetch, replay, commit; and what stops it. */
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

    @ParameterizedTest
    @ValueSource(strings = {"-log-", "-manifest-"})
    void anOpeningLeavesTheFilesOfOthersThatItMeets(String kind) {
        Node second = cluster.start("s2");
        cluster.dfs.takeByOthers(path -> path.contains("-s2.") && path.contains(kind));
        cluster.takeOver("s1", "s2");
        assertThat(second.metrics.opens.labels("failed").get()).isPositive();
        cluster.dfs.takeByOthers(path -> false);
        cluster.loop.advanceMillis(10_000);
        assertThat(second.value("row4")).isEqualTo("v4");
        assertThat(cluster.dfs.others()).isNotEmpty();
        assertThat(cluster.dfs.paths("-s2.")).containsAll(cluster.dfs.others());
    }

    @Test
    void manyTakeoversInARowLoseNothing() {
        Node second = cluster.start("s2");
        Node at = first;
        for (int round = 0; round < 12; round++) {
            String from = round % 2 == 0 ? "s1" : "s2";
            String to = round % 2 == 0 ? "s2" : "s1";
            at = round % 2 == 0 ? second : first;
            cluster.cutOff.remove(to);
            cluster.takeOver(from, to);
            cluster.loop.advanceMillis(3000);
            assertThat(at.put("round" + round, "1")).isEqualTo(ErrorCode.OK);
        }
        for (int round = 0; round < 12; round++) {
            assertThat(at.value("round" + round)).isEqualTo("1");
        }
        assertThat(at.value("row0")).isEqualTo("v0");
        assertThat(at.write(WriteKind.INSERT, Node.key("row0"), "x").getStatus().getCode())
                .isEqualTo(ErrorCode.ALREADY_EXISTS);
    }
}
