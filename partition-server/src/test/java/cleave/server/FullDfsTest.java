package cleave.server;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.dfs.Dfs;
import cleave.dfs.DfsFile.Purpose;
import cleave.model.Key;
import cleave.model.table.Registry;
import cleave.wire.DropReply;
import cleave.wire.ErrorCode;
import cleave.wire.HandoffOutcome;
import cleave.wire.WriteKind;
import java.util.List;
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

    /** The server hears of it late: the DFS itself refuses. */
    @Test
    void aWriteThatTheDfsRefusesIsNotExecutedAndTheRangeGoesOn() {
        cluster.dfs.space(Dfs.Space.ROOMY);
        cluster.dfs.refuse(Purpose.WRITE, Purpose.CHECKPOINT);

        assertThat(write(WriteKind.INSERT, Node.key("b"))).isIn(ErrorCode.UNAVAILABLE, ErrorCode.THROTTLED);
        cluster.dfs.space(Dfs.Space.LOW);
        cluster.loop.advanceMillis(1_000);

        assertThat(server.value("a")).isEqualTo("1");
        assertThat(server.value("b")).isNull();
        Answer<DropReply> drop = Node.drop(server.range(), 99);
        cluster.loop.runReady();
        assertThat(drop.get().getStatus().getCode()).isEqualTo(ErrorCode.OK);
        cluster.dfs.space(Dfs.Space.ROOMY);
        cluster.dfs.refuse();
        assertThat(server.put("b", "2")).isEqualTo(ErrorCode.OK);
    }

    /** A read needs no space, but a log that is not broken. */
    @Test
    void aLogThatBreaksOnAFullDiskIsReplacedSoThatReadsGoOn() {
        cluster.dfs.space(Dfs.Space.FULL);
        String log = server.logPath();
        cluster.dfs.breakAppends(log, 0);
        server.value("a"); // Its barrier shows that the log is broken.
        cluster.loop.advanceMillis(1_000);

        assertThat(server.value("a")).isEqualTo("1");
        assertThat(server.logPath()).isNotEqualTo(log);
        assertThat(write(WriteKind.INSERT, Node.key("b"))).isEqualTo(ErrorCode.THROTTLED);
    }

    @Test
    void onAFullDiskRangesAreTakenOver() {
        cluster.dfs.space(Dfs.Space.FULL);
        Node other = cluster.start("s2");
        cluster.takeOver("s1", "s2");

        assertThat(other.value("a")).isEqualTo("1");
    }

    /** What is left is for ranges that nobody can read without it. */
    @Test
    void onAFullDiskMovesWait() {
        cluster.start("s2");
        cluster.dfs.space(Dfs.Space.FULL);
        Answer<HandoffOutcome> move = cluster.split("s1", cluster.masters.onlyRow(), List.of(), "s2");
        cluster.loop.runReady();

        assertThat(cluster.dfs.appendsUnderWay()).isOne();
        assertThat(server.value("a")).isEqualTo("1");
        cluster.dfs.space(Dfs.Space.ROOMY);
        cluster.settle();
        assertThat(move.get().getStatus().getCode()).isEqualTo(ErrorCode.OK);
        assertThat(cluster.node("s2").value("a")).isEqualTo("1");
    }

    /** A drop would wait in the DFS for longer than its client. */
    @Test
    void onAFullDiskADropIsRefusedAtOnce() {
        cluster.dfs.space(Dfs.Space.FULL);
        Answer<DropReply> drop = Node.drop(server.range(), 7);
        cluster.loop.runReady();

        assertThat(drop.get().getStatus().getCode()).isEqualTo(ErrorCode.THROTTLED);
        assertThat(write(WriteKind.MERGE, TABLE)).isEqualTo(ErrorCode.THROTTLED);
        assertThat(server.value("a")).isEqualTo("1");
    }

    /** Any other needs space before it frees some. */
    @Test
    void onlyCheckpointsThatFreeSpaceAreMade() {
        cluster = Cluster.withCheckpointsAt(1);
        server = cluster.start("s1");
        server.write(WriteKind.INSERT, TABLE, "table");
        cluster.loop.advanceMillis(10_000);
        cluster.dfs.space(Dfs.Space.LOW);
        String log = server.logPath();

        assertThat(write(WriteKind.MERGE, TABLE)).isEqualTo(ErrorCode.OK);
        cluster.loop.advanceMillis(10_000);
        assertThat(server.logPath()).isEqualTo(log);

        cluster.dfs.space(Dfs.Space.ROOMY);
        server.put("a", "1");
        cluster.loop.advanceMillis(10_000);
        assertThat(server.logPath()).isNotEqualTo(log);
    }

    @Test
    void theLogInWhichADroppedTableWasWrittenIsFreedToo() {
        cluster = Cluster.withCheckpointsAt(1);
        server = cluster.start("s1");
        server.put("a", "1");
        cluster.loop.advanceMillis(10_000);
        cluster.dfs.space(Dfs.Space.LOW);
        String log = server.logPath(); // Of this epoch: files of earlier ones go with the masters' sweep.
        Node.drop(server.range(), 99);
        cluster.loop.advanceMillis(10_000);

        assertThat(cluster.dfs.paths("ranges/")).isNotEmpty().doesNotContain(log);
        cluster.start("s2");
        cluster.takeOver("s1", "s2");
        assertThat(cluster.node("s2").value("a")).isEqualTo("1");
    }

    /** What was brought to the DFS in vain is deleted again, which looks like space: it must not be tried on and on. */
    @Test
    void aCheckpointThatFindsNoSpaceIsTriedMoreAndMoreRarelyAndATableDroppedThenIsGivenUpSoon() {
        cluster = Cluster.withCheckpointsAt(1);
        server = cluster.start("s1");
        cluster.dfs.refuse(Purpose.CHECKPOINT);
        int appends = cluster.dfs.appends;
        server.put("a", "1");
        cluster.loop.advanceMillis(600_000);
        assertThat(cluster.dfs.appends - appends).isBetween(2, 12);
        assertThat(server.stores.compactions()).isZero(); // Nothing was dropped.

        cluster.dfs.refuse();
        String log = server.logPath();
        Node.drop(server.range(), 99);
        cluster.loop.advanceMillis(1_000);
        assertThat(server.stores.compactions()).isPositive();
        assertThat(server.logPath()).isNotEqualTo(log);
    }

    /** By the drop, nobody knew that space would be short. */
    @Test
    void beforeACheckpointIsTriedAgainForLackOfSpaceWhatWasDroppedIsGivenUp() {
        cluster = Cluster.withCheckpointsAt(1_000_000);
        server = cluster.start("s1");
        Node.drop(server.range(), 99);
        cluster.loop.advanceMillis(1_000);
        assertThat(server.stores.compactions()).isZero();

        cluster.dfs.refuse(Purpose.CHECKPOINT);
        server.put("a", "1");
        cluster.loop.advanceMillis(700_000); // A checkpoint is due by its age.
        assertThat(server.stores.compactions()).isOne();
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
