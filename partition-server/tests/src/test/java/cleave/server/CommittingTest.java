package cleave.server;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.server.range.Range;
import cleave.wire.ErrorCode;
import cleave.wire.ReadReply;
import cleave.wire.WriteKind;
import cleave.wire.WriteOperation;
import cleave.wire.WriteReply;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The committer and the confirmer of a range: what exercises and bounds name. The transcripts have the rest. */
class CommittingTest {
    private Cluster cluster;
    private Node server;
    private Range range;

    @BeforeEach
    void serve() {
        cluster = new Cluster();
        server = cluster.start("s1");
        range = server.range();
    }

    private void turn() {
        cluster.loop.runReady();
    }

    private static ErrorCode code(Answer<WriteReply> answer) {
        return answer.get().getStatus().getCode();
    }

    @Test
    void ifMatchComparesTheStoredTimestamp() {
        long timestamp = server.write(WriteKind.INSERT, Node.key("a"), "1").getTimestamps(0);
        WriteOperation stale = Node.op(WriteKind.REPLACE, Node.key("a"), "2").toBuilder()
                .setIfMatch(timestamp - 1)
                .build();
        WriteOperation right = stale.toBuilder().setIfMatch(timestamp).build();
        Answer<WriteReply> refused = Node.send(range, stale);
        Answer<WriteReply> done = Node.send(range, right);
        turn();
        assertThat(code(refused)).isEqualTo(ErrorCode.CONDITION_FAILED);
        assertThat(code(done)).isEqualTo(ErrorCode.OK);
        assertThat(server.value("a")).isEqualTo("2");
    }

    @Test
    void requestsThatWaitShareOneRecord() {
        int before = cluster.dfs.appends;
        List<Answer<WriteReply>> answers = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            answers.add(Node.send(range, Node.op(WriteKind.INSERT, Node.key("row" + i), "1")));
        }
        turn();
        assertThat(answers).allMatch(answer -> code(answer) == ErrorCode.OK);
        assertThat(cluster.dfs.appends - before).isEqualTo(1);
        assertThat(answers.stream().map(answer -> answer.get().getTimestamps(0)).toList())
                .doesNotHaveDuplicates()
                .isSorted();
    }

    @Test
    void aReadNeverJoinsABarrierThatIsUnderWay() {
        server.put("a", "1");
        int before = cluster.dfs.barriers;
        cluster.dfs.barrierAnswers.hold();
        Answer<ReadReply> first = Node.read(range, Node.key("a"));
        turn();
        Answer<ReadReply> second = Node.read(range, Node.key("a"));
        turn();
        assertThat(cluster.dfs.barriers - before).isEqualTo(1);
        cluster.dfs.barrierAnswers.release();
        turn();
        assertThat(first.isGiven() && second.isGiven()).isTrue();
        assertThat(cluster.dfs.barriers - before).isEqualTo(2);
    }

    @Test
    void aFullQueueAnswersBusy() {
        cluster.dfs.holdAppends(path -> true);
        List<Answer<WriteReply>> answers = new ArrayList<>();
        for (int i = 0; i < Cluster.SETTINGS.queueRequests() + 1; i++) {
            answers.add(Node.send(range, Node.op(WriteKind.INSERT, Node.key("row" + i), "1")));
        }
        assertThat(answers.get(answers.size() - 1).get().getStatus().getCode()).isEqualTo(ErrorCode.BUSY);
        cluster.dfs.releaseAppends();
        turn();
        assertThat(answers.stream()
                        .filter(answer -> code(answer) == ErrorCode.OK)
                        .count())
                .isEqualTo(Cluster.SETTINGS.queueRequests());
    }

    @Test
    void whatIsNotWellFormedIsRefusedAndCostsNobodyElseAnything() {
        WriteOperation garbage = WriteOperation.newBuilder()
                .setKind(WriteKind.INSERT)
                .setKey(Node.key("bad").toWire())
                .setEntity(ByteString.copyFromUtf8("no entity"))
                .build();
        Answer<WriteReply> good = Node.send(range, Node.op(WriteKind.INSERT, Node.key("good"), "1"));
        Answer<WriteReply> bad = Node.send(range, garbage);
        Answer<WriteReply> bound = Node.send(
                range,
                garbage.toBuilder()
                        .setKey(cleave.model.Key.beforeTable(7).toWire())
                        .build());
        Answer<WriteReply> empty = Node.send(range);
        Answer<WriteReply> twoPartitions = Node.send(
                range,
                Node.op(WriteKind.INSERT, Node.key("x"), "1"),
                Node.op(WriteKind.INSERT, cleave.model.Key.of(7, "other", "x"), "1"));
        turn();
        assertThat(List.of(code(bad), code(bound), code(empty), code(twoPartitions)))
                .containsOnly(ErrorCode.INVALID);
        assertThat(code(good)).isEqualTo(ErrorCode.OK);
    }

    @Test
    void aRequestForAnotherEpochOrOutsideOfTheBoundsIsTurnedAwayBeforeTheQueue() {
        Answer<WriteReply> answer = new Answer<>();
        range.requests()
                .write(
                        cleave.wire.WriteRequest.newBuilder()
                                .setRoute(cleave.wire.Route.newBuilder()
                                        .setRange(range.ownership().range())
                                        .setEpoch(range.ownership().epoch() - 1))
                                .addOperations(Node.op(WriteKind.INSERT, Node.key("a"), "1"))
                                .build(),
                        answer);
        assertThat(answer.get().getStatus().getCode()).isEqualTo(ErrorCode.NOT_OWNER);
    }
}
