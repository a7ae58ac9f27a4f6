package cleave.server.loop;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.dfs.Dfs;
import cleave.model.Key;
import cleave.model.Registry;
import cleave.wire.DropReply;
import cleave.wire.ErrorCode;
import cleave.wire.WriteKind;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A range on a DFS that is short of space. */
class FullDfsTest {
    private static final Key TABLE = Key.of(Registry.TABLE, "account", "table");

    private Cluster cluster;
    private Node server;

    @BeforeEach
    void serve() {
        cluster = Cluster.withCheckpointsAt(1_000_000);
        server = cluster.start("s1");
        server.put("a", "1");
        server.write(WriteKind.INSERT, TABLE, "table");
        cluster.dfs.space(Dfs.Space.LOW);
    }

    private ErrorCode write(WriteKind kind, Key key) {
        return server.write(kind, key, kind == WriteKind.DELETE ? null : "2")
                .getStatus()
                .getCode();
    }

    @Test
    void writesOfClientsAreNotExecutedAndReadsAre() {
        int appends = cluster.dfs.appends;

        assertThat(write(WriteKind.INSERT, Node.key("b"))).isEqualTo(ErrorCode.THROTTLED);
        assertThat(write(WriteKind.INSERT_OR_REPLACE, Node.key("a"))).isEqualTo(ErrorCode.THROTTLED);
        assertThat(write(WriteKind.DELETE, Node.key("a"))).isEqualTo(ErrorCode.THROTTLED);
        assertThat(write(WriteKind.INSERT, Key.of(Registry.TABLE, "account", "other")))
                .isEqualTo(ErrorCode.THROTTLED);

        assertThat(cluster.dfs.appends).isEqualTo(appends);
        assertThat(server.value("a")).isEqualTo("1");
        cluster.dfs.space(Dfs.Space.ROOMY);
        assertThat(server.put("a", "2")).isEqualTo(ErrorCode.OK);
    }

    @Test
    void whatDeleteTableNeedsIsDoneAndWhatHeldTheTableIsGivenUpSoon() {
        String log = server.logPath();

        assertThat(write(WriteKind.MERGE, TABLE)).isEqualTo(ErrorCode.OK);
        Answer<DropReply> drop = Node.drop(server.range(), 7);
        cluster.loop.runReady();
        assertThat(drop.get().getStatus().getCode()).isEqualTo(ErrorCode.OK);
        assertThat(write(WriteKind.DELETE, TABLE)).isEqualTo(ErrorCode.OK);

        cluster.loop.advanceMillis(1_000);
        assertThat(server.logPath()).isNotEqualTo(log); // A checkpoint was published, long before one was due.
        assertThat(server.stores.compactions()).isPositive();
    }
}
