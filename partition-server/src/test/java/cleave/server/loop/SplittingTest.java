package cleave.server.loop;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.Row;
import cleave.wire.ErrorCode;
import cleave.wire.SplitReply;
import cleave.wire.WriteKind;
import cleave.wire.WriteReply;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The plain form of a split, from the source's side and its parts'. */
class SplittingTest {
    private static final Key AT_H = Key.beforePartition(7, "h");
    private static final Key AT_P = Key.beforePartition(7, "p");

    private Cluster cluster;
    private Node first;
    private Node second;

    @BeforeEach
    void serve() {
        cluster = Cluster.withCheckpointsAt(1500);
        first = cluster.start("s1");
        second = cluster.start("s2");
        for (char letter = 'a'; letter <= 'z'; letter++) {
            first.write(WriteKind.INSERT, keyOf(letter), String.valueOf(letter));
        }
        cluster.settle();
    }

    private static Key keyOf(char letter) {
        return Key.of(7, String.valueOf(letter), "r");
    }

    private Incarnation s1() {
        return cluster.incarnation("s1");
    }

    private Answer<SplitReply> order() {
        return Node.split(
                first.range(),
                cluster.masters.onlyRow(),
                List.of(AT_H, AT_P),
                List.of(s1(), cluster.incarnation("s2"), s1()));
    }

    @Test
    void thePartsAreServedByTheirOwnersAndHoldWhatIsTheirs() {
        Answer<SplitReply> split = order();
        cluster.settle();
        assertThat(split.get().getStatus().getCode()).isEqualTo(ErrorCode.OK);
        assertThat(cluster.masters.rows).hasSize(3);
        assertThat(first.ranges()).hasSize(2);
        assertThat(second.ranges()).hasSize(1);
        for (char letter = 'a'; letter <= 'z'; letter++) {
            Node owner = letter >= 'h' && letter < 'p' ? second : first;
            assertThat(owner.value(keyOf(letter))).isEqualTo(String.valueOf(letter));
            assertThat(owner.write(WriteKind.REPLACE, keyOf(letter), "new")
                            .getStatus()
                            .getCode())
                    .isEqualTo(ErrorCode.OK);
        }
    }

    @Test
    void aPartsCheckpointAndATakeoverKeepTheOtherPartsOut() {
        order();
        cluster.settle();
        for (int i = 0; i < 60; i++) {
            second.write(WriteKind.INSERT, Key.of(7, "k", "row" + i), "1");
        }
        cluster.cutOff.add("s2");
        cluster.masters.taker = "s1";
        cluster.masters.declareDead(cluster.incarnation("s2"));
        cluster.settle();
        assertThat(first.ranges()).hasSize(3);
        assertThat(first.value(Key.of(7, "k", "row59"))).isEqualTo("1");
        assertThat(first.value(keyOf('i'))).isEqualTo("i");
    }

    @Test
    void aSplitOfAPartGoesOnFromNarrowedIntervals() {
        order();
        cluster.settle();
        Range last = first.rangeOf(keyOf('z'));
        Row row = cluster.masters.row(last.ownership().range());
        Answer<SplitReply> again =
                Node.split(last, row, List.of(Key.beforePartition(7, "w")), List.of(s1(), cluster.incarnation("s2")));
        cluster.settle();
        assertThat(again.get().getStatus().getCode()).isEqualTo(ErrorCode.OK);
        assertThat(second.value(keyOf('z'))).isEqualTo("z");
        assertThat(first.value(keyOf('v'))).isEqualTo("v");
    }

    @Test
    void whatIsInFlightIsDrainedFirstAndWhatComesLaterIsBusy() {
        Range range = first.range();
        cluster.dfs.holdAppends(path -> path.contains("-log-"));
        Answer<WriteReply> inFlight = Node.send(range, Node.op(WriteKind.REPLACE, keyOf('a'), "new"));
        cluster.loop.runReady();
        Answer<SplitReply> split = order();
        Answer<WriteReply> late = Node.send(range, Node.op(WriteKind.REPLACE, keyOf('b'), "new"));
        cluster.loop.runReady();
        assertThat(late.get().getStatus().getCode()).isEqualTo(ErrorCode.BUSY);
        assertThat(split.isGiven()).isFalse();
        cluster.dfs.releaseAppends();
        cluster.settle();
        assertThat(inFlight.get().getStatus().getCode()).isEqualTo(ErrorCode.OK);
        assertThat(split.get().getStatus().getCode()).isEqualTo(ErrorCode.OK);
        assertThat(first.value(keyOf('a'))).isEqualTo("new");
    }

    @Test
    void aReadThatWaitsIsConfirmedBeforeTheLogIsSealed() {
        cluster.dfs.holdBarrierAnswers();
        Answer<cleave.wire.ReadReply> read = Node.read(first.range(), keyOf('a'));
        cluster.loop.runReady();
        Answer<SplitReply> split = order();
        cluster.loop.runReady();
        assertThat(split.isGiven()).isFalse();
        cluster.dfs.releaseBarrierAnswers();
        cluster.settle();
        assertThat(Node.valueOf(read.get())).isEqualTo("a");
        assertThat(split.get().getStatus().getCode()).isEqualTo(ErrorCode.OK);
    }

    @Test
    void aRefusedSplitGoesOnInANewLog() {
        Range range = first.range();
        String log = first.logPath();
        cluster.masters.refuseSplits();
        Answer<SplitReply> split = order();
        cluster.settle();
        assertThat(split.get().getStatus().getCode()).isEqualTo(ErrorCode.INVALID);
        assertThat(first.range()).isSameAs(range);
        assertThat(cluster.dfs.isSealed(log)).isTrue();
        assertThat(first.write(WriteKind.REPLACE, keyOf('a'), "new").getStatus().getCode())
                .isEqualTo(ErrorCode.OK);
    }

    @Test
    void aSplitOfUnknownOutcomeServesNothingUntilItsPublishTellsThatItHappened() {
        cluster.masters.answersToLose = 1;
        Range range = first.range();
        Answer<SplitReply> split = order();
        cluster.loop.runReady();
        assertThat(split.get().getStatus().getCode()).isEqualTo(ErrorCode.UNKNOWN_OUTCOME);
        Answer<WriteReply> write = Node.send(range, Node.op(WriteKind.REPLACE, keyOf('a'), "zombie"));
        cluster.loop.runReady();
        assertThat(write.get().getStatus().getCode()).isIn(ErrorCode.UNAVAILABLE, ErrorCode.NOT_OWNER);
        cluster.settle();
        assertThat(cluster.masters.rows).hasSize(3);
        assertThat(first.value(keyOf('a'))).isEqualTo("a");
        assertThat(second.value(keyOf('i'))).isEqualTo("i");
    }

    @Test
    void aCommitThatComesLateAfterTheSourceWentOnIsRefused() {
        Range range = first.range();
        cluster.masters.holdCommands();
        Answer<SplitReply> split = order();
        cluster.loop.runReady();
        // The commit is delayed; the source hears that it failed, and goes on by a publish that arrives before it.
        Runnable commit = cluster.masters.giveUpOldest();
        cluster.masters.releaseCommands();
        cluster.settle();
        assertThat(split.get().getStatus().getCode()).isEqualTo(ErrorCode.UNKNOWN_OUTCOME);
        assertThat(first.write(WriteKind.REPLACE, keyOf('a'), "new").getStatus().getCode())
                .isEqualTo(ErrorCode.OK);
        commit.run();
        cluster.settle();
        assertThat(cluster.masters.rows).hasSize(1);
        assertThat(first.range()).isSameAs(range);
        assertThat(first.value(keyOf('a'))).isEqualTo("new");
    }

    @Test
    void aLogThatCannotBeSealedInTimeEndsTheSplit() {
        cluster.dfs.unavailableSeals = 1000;
        Answer<SplitReply> split = order();
        cluster.loop.advanceMillis(600);
        assertThat(split.get().getStatus().getCode()).isEqualTo(ErrorCode.UNAVAILABLE);
        cluster.dfs.unavailableSeals = 0;
        cluster.loop.advanceMillis(5000);
        assertThat(first.write(WriteKind.REPLACE, keyOf('a'), "new").getStatus().getCode())
                .isEqualTo(ErrorCode.OK);
    }

    @Test
    void aLogThatFailsDuringTheDrainEndsTheSplit() {
        cluster.dfs.holdAppends(path -> path.contains("-log-"));
        Answer<WriteReply> inFlight = Node.send(first.range(), Node.op(WriteKind.REPLACE, keyOf('a'), "new"));
        cluster.loop.runReady();
        Answer<SplitReply> split = order();
        cluster.loop.runReady();
        cluster.dfs.breakAppends(first.logPath(), 0);
        cluster.dfs.releaseAppends();
        cluster.settle();
        assertThat(inFlight.get().getStatus().getCode()).isEqualTo(ErrorCode.UNKNOWN_OUTCOME);
        assertThat(split.get().getStatus().getCode()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(first.value(keyOf('a'))).isEqualTo("a");
    }

    @Test
    void ordersThatDoNotFitTheRowAreRefused() {
        Row row = cluster.masters.onlyRow();
        Row stale = new Row(row.id(), row.range(), row.owner(), row.manifest(), row.version() - 1, row.epoch());
        assertThat(refusal(stale, List.of(AT_H), 2)).isEqualTo(ErrorCode.STALE_VERSION);
        assertThat(refusal(row, List.of(AT_H), 1)).isEqualTo(ErrorCode.INVALID);
        assertThat(refusal(row, List.of(AT_P, AT_H), 3)).isEqualTo(ErrorCode.INVALID);
        assertThat(refusal(row, List.of(keyOf('h')), 2)).isEqualTo(ErrorCode.INVALID);
        assertThat(refusal(row, List.of(), 1)).isEqualTo(ErrorCode.INVALID);
        assertThat(first.put("a", "1")).isEqualTo(ErrorCode.OK);
    }

    private ErrorCode refusal(Row row, List<Key> at, int owners) {
        Answer<SplitReply> answer = Node.split(first.range(), row, at, java.util.Collections.nCopies(owners, s1()));
        cluster.loop.runReady();
        return answer.get().getStatus().getCode();
    }
}
