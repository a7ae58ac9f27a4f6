package cleave.server;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Key;
import cleave.wire.ErrorCode;
import cleave.wire.ReadReply;
import cleave.wire.ScanReply;
import cleave.wire.ScanRequest;
import cleave.wire.WriteKind;
import cleave.wire.WriteReply;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A server that holds 64 KiB of requests and answers, and is asked for more. */
class AdmissionTest {
    private static final int ROOM = 64 << 10;

    private Cluster cluster;
    private Node server;

    @BeforeEach
    void serve() {
        cluster = Cluster.withRoomFor(ROOM);
        server = cluster.start("s1");
    }

    private static ErrorCode code(Answer<WriteReply> answer) {
        return answer.get().getStatus().getCode();
    }

    private double held() {
        return server.metrics.bytesHeld.get();
    }

    private Answer<ScanReply> scan(int deadlineMillis) {
        return Node.scan(
                server.range(),
                ScanRequest.newBuilder()
                        .setStart(Key.beforeTable(7).toWire())
                        .setEnd(Key.beforeTable(8).toWire())
                        .setDeadlineMillis(deadlineMillis));
    }

    @Test
    void whatDoesNotFitIsToldAtOnceAndAllIsGivenBack() {
        cluster.dfs.holdAppends(path -> true);
        String large = "x".repeat(3000);
        List<Answer<WriteReply>> answers = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            answers.add(Node.send(server.range(), Node.op(WriteKind.INSERT, Node.key("row" + i), large)));
        }
        List<Answer<WriteReply>> waiting =
                answers.stream().filter(answer -> !answer.isGiven()).toList();
        assertThat(waiting).hasSizeBetween(10, 20);
        assertThat(held()).isBetween(ROOM - 1.0, ROOM + 5000.0);
        assertThat(answers.stream().filter(Answer::isGiven)).allMatch(answer -> code(answer) == ErrorCode.BUSY);
        cluster.dfs.releaseAppends();
        cluster.settle();
        assertThat(waiting).allMatch(answer -> code(answer) == ErrorCode.OK);
        assertThat(held()).isZero();
        assertThat(server.put("after", "1")).isEqualTo(ErrorCode.OK);
    }

    @Test
    void whatWasReadTakesRoomUntilItIsConfirmed() {
        server.put("a", "x".repeat(3000));
        cluster.dfs.barrierAnswers.hold();
        List<Answer<ReadReply>> answers = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            answers.add(Node.read(server.range(), Node.key("a")));
            cluster.loop.runReady();
        }
        assertThat(held()).isBetween(ROOM - 1.0, ROOM + 5000.0);
        assertThat(answers.stream().filter(Answer::isGiven))
                .isNotEmpty()
                .allMatch(answer -> answer.get().getStatus().getCode() == ErrorCode.BUSY);
        cluster.dfs.barrierAnswers.release();
        cluster.settle();
        assertThat(answers).allMatch(Answer::isGiven);
        assertThat(held()).isZero();
    }

    @Test
    void noScanIsWalkedThatHasNoRoomForItsAnswer() {
        server.put("a", "x".repeat(3000));
        server.readersBusyNanos = 10_000_000;
        Answer<ScanReply> waiting = scan(0);
        cluster.loop.runReady();
        server.memory.take(0, ROOM);
        cluster.loop.advanceMillis(20);
        assertThat(waiting.get().getStatus().getCode()).isEqualTo(ErrorCode.BUSY);
        server.memory.give(0, ROOM);
        assertThat(held()).isZero();
    }

    @Test
    void aScanThatWaitedForAThreadStillHasAllItsTimeToLook() {
        for (int i = 0; i < 100; i++) {
            server.put("row" + i, "1");
        }
        server.readersBusyNanos = 2_000_000_000;
        Answer<ScanReply> patient = scan(30_000);
        Answer<ScanReply> late = scan(1_000);
        cluster.loop.advanceMillis(2_001);
        assertThat(patient.get().getRowsCount()).isEqualTo(100);
        assertThat(late.get().getStatus().getCode()).isEqualTo(ErrorCode.BUSY);
        assertThat(held()).isZero();
    }
}
