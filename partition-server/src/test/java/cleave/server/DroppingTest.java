package cleave.server;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Key;
import cleave.model.table.Registry;
import cleave.wire.DropReply;
import cleave.wire.ErrorCode;
import cleave.wire.WriteKind;
import cleave.wire.WriteReply;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A dropped table id is refused forever, through whatever happens to the range. */
class DroppingTest {
    private static final Key OTHER = Key.of(8, "p", "a");

    private Cluster cluster;
    private Node server;

    @BeforeEach
    void serve() {
        cluster = Cluster.withCheckpointsAt(1000);
        server = cluster.start("s1");
        server.put("a", "1");
        server.write(WriteKind.INSERT, OTHER, "other");
    }

    private DropReply drop() {
        Answer<DropReply> answer = Node.drop(server.range(), 7);
        cluster.loop.runReady();
        return answer.get();
    }

    @Test
    void aDropAnswersWithItsIntervalOnceItIsDurable() {
        cluster.dfs.holdAppends(path -> true);
        Answer<DropReply> answer = Node.drop(server.range(), 7);
        cluster.loop.runReady();
        assertThat(answer.isGiven()).isFalse();
        cluster.dfs.releaseAppends();
        cluster.loop.runReady();
        assertThat(answer.get().getStatus().getCode()).isEqualTo(ErrorCode.OK);
        assertThat(answer.get().getEnd().isEmpty()).isTrue();
        assertThat(server.value("a")).isEqualTo("TABLE_DROPPED");
        assertThat(server.put("b", "1")).isEqualTo(ErrorCode.TABLE_DROPPED);
        assertThat(server.value(OTHER)).isEqualTo("other");
    }

    @Test
    void aWriteBehindADropInFlightIsRefusedInOrder() {
        cluster.dfs.holdAppends(path -> true);
        Node.drop(server.range(), 7);
        cluster.loop.runReady();
        Answer<WriteReply> write = Node.send(server.range(), Node.op(WriteKind.INSERT, Node.key("b"), "1"));
        cluster.loop.runReady();
        assertThat(write.isGiven()).isFalse();
        cluster.dfs.releaseAppends();
        cluster.loop.runReady();
        assertThat(write.get().getStatus().getCode()).isEqualTo(ErrorCode.TABLE_DROPPED);
    }

    @Test
    void aDropThatWasCutOffDidNotHappen() {
        String log = server.logPath();
        cluster.dfs.holdAppends(path -> path.equals(log));
        Answer<DropReply> answer = Node.drop(server.range(), 7);
        cluster.loop.runReady();
        cluster.dfs.breakAppends(log, 0);
        cluster.settle();
        assertThat(answer.get().getStatus().getCode()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(server.value("a")).isEqualTo("1");
    }

    @Test
    void aRepeatedDropLogsNothingNew() {
        drop();
        int appends = cluster.dfs.appends;
        assertThat(drop().getStatus().getCode()).isEqualTo(ErrorCode.OK);
        assertThat(cluster.dfs.appends).isEqualTo(appends);
    }

    @Test
    void itIsRefusedAfterATakeoverByReplayAndByManifest() {
        drop();
        Node second = cluster.start("s2");
        cluster.takeOver("s1", "s2");
        assertThat(second.value("a")).isEqualTo("TABLE_DROPPED");
        for (int i = 0; i < 40; i++) {
            second.write(WriteKind.INSERT, Key.of(8, "p", "row" + i), "1");
        }
        cluster.cutOff.clear();
        cluster.loop.advanceMillis(3000);
        cluster.takeOver("s2", "s1");
        assertThat(server.value("a")).isEqualTo("TABLE_DROPPED");
        assertThat(server.value(OTHER)).isEqualTo("other");
    }

    @Test
    void childrenOfASplitInheritIt() {
        drop();
        Answer<cleave.wire.HandoffOutcome> split =
                cluster.split("s1", cluster.masters.onlyRow(), List.of(Key.beforePartition(7, "m")), "s1", "s1");
        cluster.settle();
        assertThat(split.get().getStatus().getCode()).isEqualTo(ErrorCode.OK);
        assertThat(server.value(Key.of(7, "a", "x"))).isEqualTo("TABLE_DROPPED");
        assertThat(server.value(Key.of(7, "z", "x"))).isEqualTo("TABLE_DROPPED");
        assertThat(server.value(OTHER)).isEqualTo("other");
    }

    @Test
    void theRegistryCannotBeDropped() {
        Answer<DropReply> answer = Node.drop(server.range(), Registry.TABLE);
        cluster.loop.runReady();
        assertThat(answer.get().getStatus().getCode()).isEqualTo(ErrorCode.INVALID);
    }
}
