package cleave.server;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Key;
import cleave.server.range.Range;
import cleave.wire.ErrorCode;
import cleave.wire.HandoffOutcome;
import cleave.wire.WriteKind;
import cleave.wire.WriteReply;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Planned handoffs: splits, merges and moves while requests come, and what becomes of them when something fails. */
class HandoffTest {
    private Cluster cluster;
    private Node first;

    @BeforeEach
    void serve() {
        cluster = Cluster.withCheckpointsAt(1500);
        first = cluster.start("s1");
        cluster.start("s2");
        for (char letter = 'a'; letter <= 'z'; letter++) {
            first.write(WriteKind.INSERT, keyOf(letter), String.valueOf(letter));
        }
        cluster.settle();
    }

    private static Key keyOf(char letter) {
        return Key.of(7, String.valueOf(letter), "r");
    }

    private Answer<HandoffOutcome> move() {
        return cluster.split("s1", cluster.masters.onlyRow(), List.of(), "s2");
    }

    private static ErrorCode code(Answer<HandoffOutcome> outcome) {
        return outcome.get().getStatus().getCode();
    }

    /** Begins a move whose switch does not end before the appends are released. */
    private Answer<HandoffOutcome> moveThatDrains() {
        cluster.dfs.holdAppends(path -> path.equals(first.logPath()));
        Node.send(first.range(), Node.op(WriteKind.REPLACE, keyOf('c'), "c"));
        cluster.loop.runReady();
        Answer<HandoffOutcome> move = move();
        cluster.loop.advanceMillis(20);
        assertThat(cluster.masters.onlyRow().owner()).isEqualTo(cluster.incarnation("s2"));
        return move;
    }

    @Test
    void moreRequestsThanMayWaitInTheSwitchAreBusy() {
        Range range = first.range();
        Answer<HandoffOutcome> move = moveThatDrains();
        List<Answer<WriteReply>> writes = new ArrayList<>();
        for (int i = 0; i < Cluster.SETTINGS.queueRequests(); i++) { // One is in the log already.
            writes.add(Node.send(range, Node.op(WriteKind.REPLACE, keyOf('a'), "new")));
        }
        cluster.loop.runReady();

        Answer<WriteReply> last = writes.remove(writes.size() - 1);
        assertThat(last.get().getStatus().getCode()).isEqualTo(ErrorCode.BUSY);
        assertThat(writes).noneMatch(Answer::isGiven);
        cluster.dfs.releaseAppends();
        cluster.loop.runReady();
        assertThat(code(move)).isEqualTo(ErrorCode.OK);
        assertThat(writes).allMatch(write -> write.get().getStatus().getCode() == ErrorCode.NOT_OWNER);
    }

    /** Each write makes a checkpoint due, and each checkpoint a log that is left and takes a while to be sealed. */
    @Test
    void aBusyRangeWhoseLogsAreSealedSlowlyIsHeld() {
        cluster = Cluster.withCheckpointsAt(1);
        first = cluster.start("s1");
        cluster.start("s2");
        cluster.dfs.sealAnswers.hold();
        first.write(WriteKind.INSERT, keyOf('a'), "0");
        Answer<HandoffOutcome> move = move();
        for (int writes = 0; !move.isGiven() && writes < 200; writes++) {
            Node.send(first.range(), Node.op(WriteKind.REPLACE, keyOf('a'), "new"));
            cluster.loop.advanceMillis(5);
            cluster.dfs.sealAnswers.release();
            cluster.dfs.sealAnswers.hold();
        }
        assertThat(code(move)).isEqualTo(ErrorCode.OK);
    }
}
