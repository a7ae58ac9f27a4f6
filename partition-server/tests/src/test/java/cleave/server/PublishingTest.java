package cleave.server;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.manifest.Manifest;
import cleave.server.range.ManifestFiles;
import cleave.wire.ErrorCode;
import cleave.wire.PublishRequest;
import cleave.wire.WriteKind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
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

    private Manifest published() {
        String path = cluster.masters.onlyRow().manifest();
        if (path == null) {
            throw new AssertionError("nothing is published");
        }
        return new ManifestFiles(cluster.dfs).read(path).getNow(null);
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

    @Test
    void aDuplicatedPublishAfterTruncationChangesNothing() {
        long version = cluster.masters.onlyRow().version();
        writeSome(0, 16);
        PublishRequest first = PublishRequest.newBuilder()
                .setIncarnation(cluster.incarnation("s1").toWire())
                .setRange(cluster.masters.onlyRow().id())
                .setVersion(version)
                .setManifest(String.valueOf(cluster.masters.onlyRow().manifest()))
                .build();
        writeSome(16, 30);
        String current = String.valueOf(cluster.masters.onlyRow().manifest());
        assertThat(current).isNotEqualTo(first.getManifest());
        assertThat(cluster.masters.publishNow(first).getStatus().getCode()).isEqualTo(ErrorCode.STALE_VERSION);
        assertThat(cluster.masters.onlyRow().manifest()).isEqualTo(current);
        writeSome(46, 1);
    }

    @Test
    void aPublishedLogThatFailsBeforeItIsReachedIsReplaced() {
        String log = server.logPath();
        // The first append under way keeps the current log from being drained, so that the roll waits for it.
        cluster.dfs.holdAppends(path -> path.equals(log));
        cluster.masters.holdCommands();
        for (int i = 0; i < 4; i++) {
            Node.send(server.range(), Node.op(WriteKind.INSERT, Node.key("row" + i), "x".repeat(400)));
            cluster.loop.runReady();
        }
        for (int i = 0; i < 3; i++) {
            cluster.dfs.releaseOneAppend(log);
            cluster.loop.runReady();
        }
        cluster.masters.releaseCommands();
        cluster.loop.runReady();
        String next = server.logPath();
        assertThat(next).isNotEqualTo(log);
        cluster.dfs.seal(next);
        Answer<cleave.wire.ReadReply> read = Node.read(server.range(), Node.key("row0"));
        cluster.settle();
        assertThat(Node.valueOf(read.get())).isEqualTo("UNAVAILABLE");
        cluster.dfs.releaseAppends();
        cluster.settle();
        assertThat(server.put("later", "1")).isEqualTo(ErrorCode.OK);
        assertThat(published().logs().stream().map(Manifest.Log::path)).doesNotContain(next);
        assertThat(server.value("row0")).startsWith("x");
    }
}
