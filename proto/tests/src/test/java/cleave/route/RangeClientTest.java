package cleave.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.model.Incarnation;
import cleave.model.Invariant;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.route.CallFailed.Fate;
import cleave.runtime.loop.ManualLoop;
import cleave.wire.DropReply;
import cleave.wire.ErrorCode;
import cleave.wire.MapUpdate;
import cleave.wire.RangeRow;
import cleave.wire.ReadReply;
import cleave.wire.ScanReply;
import cleave.wire.ScanRequest;
import cleave.wire.ServerInfo;
import cleave.wire.Status;
import cleave.wire.WriteOperation;
import cleave.wire.WriteReply;
import cleave.wire.WriteRequest;
import com.google.protobuf.ByteString;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class RangeClientTest {
    private static final Key KEY = Key.of(1, "p", "r");
    private static final Incarnation A = new Incarnation("a", 1);
    private static final Incarnation B = new Incarnation("b", 2);
    private static final List<WriteOperation> OPERATIONS =
            List.of(WriteOperation.newBuilder().setKey(KEY.toWire()).build());
    private static final long SECOND = 1_000_000_000;

    private final ManualLoop loop = new ManualLoop();
    private final ManualTransport transport = new ManualTransport();
    private final ManualMapView map = new ManualMapView();
    private final RangeClient client = new RangeClient(loop, transport, map, new Random(1));

    private static Row row(long version, @Nullable Incarnation owner) {
        return new Row(Row.id(1, 0), KeyRange.ALL, owner, null, version, version);
    }

    private static Status status(ErrorCode code) {
        return Status.newBuilder().setCode(code).setMessage("from the test").build();
    }

    private static WriteReply written(ErrorCode code) {
        return WriteReply.newBuilder().setStatus(status(code)).build();
    }

    private static ReadReply read(ErrorCode code) {
        return ReadReply.newBuilder().setStatus(status(code)).build();
    }

    private static WriteReply notOwner(RangeRow current) {
        return WriteReply.newBuilder()
                .setStatus(status(ErrorCode.NOT_OWNER))
                .setCurrent(current)
                .build();
    }

    private CompletableFuture<WriteReply> write(long timeoutNanos) {
        return loop.call(() -> client.write(OPERATIONS, loop.nanos() + timeoutNanos));
    }

    private CompletableFuture<ReadReply> read(long timeoutNanos) {
        return loop.call(() -> client.read(KEY, loop.nanos() + timeoutNanos));
    }

    private ManualTransport.Call<WriteRequest, WriteReply> lastWrite() {
        return transport.writes.get(transport.writes.size() - 1);
    }

    /** Passes a reply, and the time that a retry takes at most. */
    private void answerWrite(WriteReply reply) {
        lastWrite().answer().complete(reply);
        loop.advanceMillis(100);
    }

    /** Gives every sending the same reply at once, until the request is done. */
    private void answerEvery(WriteReply reply, CompletableFuture<WriteReply> answer) {
        while (!answer.isDone()) {
            lastWrite().answer().complete(reply);
            loop.advanceMillis(1);
        }
    }

    private static ErrorCode code(CompletableFuture<WriteReply> answer) {
        assertThat(answer).isCompleted();
        return answer.getNow(WriteReply.getDefaultInstance()).getStatus().getCode();
    }

    private static ErrorCode readCode(CompletableFuture<ReadReply> answer) {
        assertThat(answer).isCompleted();
        return answer.getNow(ReadReply.getDefaultInstance()).getStatus().getCode();
    }

    @AfterEach
    void nothingIsLeftBehindByWhatHasEnded() {
        loop.advance(60 * SECOND);
        loop.run(() -> assertThat(client.underWay()).isZero());
        assertThat(loop.timers()).isZero();
    }

    @Test
    void requestGoesToTheOwnerThatTheMapNames() {
        map.set(7, row(5, A));
        CompletableFuture<WriteReply> answer = write(SECOND);
        assertThat(lastWrite().address()).isEqualTo("a.1:1");
        assertThat(lastWrite().request().getRoute().getRange()).isEqualTo(Row.id(1, 0));
        assertThat(lastWrite().request().getRoute().getEpoch()).isEqualTo(5);
        assertThat(lastWrite().request().getOperationsList()).isEqualTo(OPERATIONS);
        assertThat(lastWrite().request().getDeadlineMillis()).isBetween(900, 1000);
        lastWrite().answer().complete(written(ErrorCode.OK));
        loop.runReady();
        assertThat(code(answer)).isEqualTo(ErrorCode.OK);
    }

    @ParameterizedTest
    @EnumSource(names = {"NOT_OWNER", "BUSY", "UNAVAILABLE"})
    void writeThatWasNotExecutedIsSentAgain(ErrorCode refusal) {
        map.set(7, row(5, A));
        CompletableFuture<WriteReply> answer = write(SECOND);
        answerWrite(written(refusal));
        assertThat(transport.writes).hasSize(2);
        answerWrite(written(ErrorCode.OK));
        assertThat(code(answer)).isEqualTo(ErrorCode.OK);
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"NOT_OWNER", "BUSY", "UNAVAILABLE", "UNRECOGNIZED"})
    void everyOtherAnswerToAWriteIsPassedOn(ErrorCode code) {
        map.set(7, row(5, A));
        CompletableFuture<WriteReply> answer = write(SECOND);
        answerWrite(written(code));
        assertThat(code(answer)).isEqualTo(code);
        assertThat(transport.writes).hasSize(1);
    }

    @Test
    void writeWhoseCallBrokeIsNeverSentAgain() {
        map.set(7, row(5, A));
        CompletableFuture<WriteReply> answer = write(SECOND);
        lastWrite().fail(Fate.UNKNOWN);
        loop.advance(SECOND);
        assertThat(code(answer)).isEqualTo(ErrorCode.UNKNOWN_OUTCOME);
        assertThat(transport.writes).hasSize(1);
    }

    @Test
    void writeThatFailedInAnUnexpectedWayIsNeverSentAgain() {
        map.set(7, row(5, A));
        CompletableFuture<WriteReply> answer = write(SECOND);
        lastWrite().answer().completeExceptionally(new IllegalStateException("odd"));
        loop.advance(SECOND);
        assertThat(code(answer)).isEqualTo(ErrorCode.UNKNOWN_OUTCOME);
        assertThat(transport.writes).hasSize(1);
    }

    @Test
    void writeThatNeverLeftIsSentAgainAndReachesTheNewOwner() {
        map.set(7, row(5, A));
        CompletableFuture<WriteReply> answer = write(5 * SECOND);
        lastWrite().fail(Fate.NOT_EXECUTED);
        loop.runReady();
        map.set(9, row(9, B));
        loop.runReady();
        assertThat(lastWrite().address()).isEqualTo("b.2:1");
        answerWrite(written(ErrorCode.OK));
        assertThat(code(answer)).isEqualTo(ErrorCode.OK);
    }

    @Test
    void newerRowFromAServerIsFollowedAtOnce() {
        map.set(7, row(5, A));
        map.apply(cleave.wire.MapUpdate.newBuilder()
                .setVersion(8)
                .addServers(cleave.wire.ServerInfo.newBuilder()
                        .setIncarnation(A.toWire())
                        .setAddress("a.1:1"))
                .addServers(cleave.wire.ServerInfo.newBuilder()
                        .setIncarnation(B.toWire())
                        .setAddress("b.2:1"))
                .build());
        CompletableFuture<WriteReply> answer = write(SECOND);
        lastWrite().answer().complete(notOwner(row(9, B).toWire()));
        loop.runReady();
        assertThat(lastWrite().address()).isEqualTo("b.2:1");
        assertThat(lastWrite().request().getRoute().getEpoch()).isEqualTo(9);
        answerWrite(written(ErrorCode.OK));
        assertThat(code(answer)).isEqualTo(ErrorCode.OK);
    }

    @Test
    void olderOrSenselessRowFromAServerIsNotFollowed() {
        map.set(7, row(5, A));
        CompletableFuture<WriteReply> answer = write(2 * SECOND);
        answerWrite(notOwner(row(4, B).toWire()));
        assertThat(lastWrite().address()).isEqualTo("a.1:1");
        answerWrite(notOwner(RangeRow.newBuilder().setVersion(10).setEpoch(11).build()));
        assertThat(lastWrite().address()).isEqualTo("a.1:1");
        answerWrite(notOwner(new Row(Row.id(9, 0), KeyRange.ofTable(2), A, null, 9, 9).toWire()));
        assertThat(lastWrite().address()).isEqualTo("a.1:1");
        answerWrite(written(ErrorCode.OK));
        assertThat(code(answer)).isEqualTo(ErrorCode.OK);
    }

    @Test
    void serversThatNameEachOtherAreNotAskedInATightCircle() {
        map.set(7, row(5, A));
        write(SECOND);
        for (int i = 0; i < 20; i++) {
            lastWrite().answer().complete(notOwner(row(5, B).toWire()));
            loop.runReady();
        }
        assertThat(transport.writes).hasSize(1);
    }

    @Test
    void requestWaitsForAMapAndThenGoesAtOnce() {
        CompletableFuture<WriteReply> answer = write(SECOND);
        loop.advanceMillis(300);
        assertThat(transport.writes).isEmpty();
        map.set(7, row(5, null));
        loop.runReady();
        assertThat(transport.writes).isEmpty();
        map.set(8, row(8, A));
        loop.runReady();
        assertThat(lastWrite().address()).isEqualTo("a.1:1");
        answerWrite(written(ErrorCode.OK));
        assertThat(code(answer)).isEqualTo(ErrorCode.OK);
    }

    @Test
    void lastRefusalStandsAtTheDeadline() {
        map.set(7, row(5, A));
        CompletableFuture<WriteReply> answer = write(SECOND);
        answerEvery(written(ErrorCode.BUSY), answer);
        assertThat(code(answer)).isEqualTo(ErrorCode.BUSY);
        assertThat(transport.writes.size()).isBetween(10, 30);
    }

    @Test
    void aRangeThatStaysBusyIsGivenUpLongBeforeTheDeadline() {
        map.set(7, row(5, A));
        long began = loop.nanos();
        CompletableFuture<WriteReply> answer = write(30 * SECOND);
        answerEvery(written(ErrorCode.BUSY), answer);
        assertThat(code(answer)).isEqualTo(ErrorCode.BUSY);
        assertThat(loop.nanos() - began).isBetween(2 * SECOND, 3 * SECOND);
    }

    @Test
    void callersNeverSeeNotOwner() {
        map.set(7, row(5, A));
        CompletableFuture<WriteReply> answer = write(SECOND);
        answerEvery(written(ErrorCode.NOT_OWNER), answer);
        assertThat(code(answer)).isEqualTo(ErrorCode.UNAVAILABLE);
    }

    @Test
    void writeInFlightAtTheDeadlineIsOfUnknownOutcomeAndIsGivenUp() {
        map.set(7, row(5, A));
        CompletableFuture<WriteReply> answer = write(SECOND);
        loop.advance(SECOND - 1);
        assertThat(answer).isNotDone();
        loop.advance(1);
        assertThat(code(answer)).isEqualTo(ErrorCode.UNKNOWN_OUTCOME);
        assertThat(lastWrite().answer()).isCancelled();
    }

    @Test
    void requestAfterItsDeadlineIsNotSent() {
        map.set(7, row(5, A));
        assertThat(code(write(0))).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(code(write(-SECOND))).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(transport.writes).isEmpty();
    }

    @Test
    void writeToAnOwnerThatLostTheRangeEndsSoonButItsAnswerMayStillArrive() {
        map.set(7, row(5, A));
        CompletableFuture<WriteReply> slow = write(30 * SECOND);
        CompletableFuture<WriteReply> silent = write(30 * SECOND);
        map.set(9, row(9, B));
        loop.advanceMillis(500);
        assertThat(slow).isNotDone();
        transport.writes.get(0).answer().complete(written(ErrorCode.OK));
        loop.advanceMillis(500);
        assertThat(code(slow)).isEqualTo(ErrorCode.OK);
        assertThat(code(silent)).isEqualTo(ErrorCode.UNKNOWN_OUTCOME);
        assertThat(transport.writes).hasSize(2);
    }

    @Test
    void writeToAnOwnerThatHandsTheRangeOverIsWaitedForAndFollowsIt() {
        map.set(7, row(5, A));
        CompletableFuture<WriteReply> answer = write(40 * SECOND);
        mapWithBoth(9, row(9, B));
        loop.advance(2 * SECOND);
        assertThat(answer).isNotDone();
        lastWrite().answer().complete(notOwner(row(9, B).toWire()));
        loop.runReady();
        assertThat(lastWrite().address()).isEqualTo("b.2:1");
        lastWrite().answer().complete(written(ErrorCode.OK));
        loop.runReady();
        assertThat(code(answer)).isEqualTo(ErrorCode.OK);
    }

    @Test
    void writeToAnOwnerThatDiesWhileItHandsTheRangeOverEndsSoon() {
        map.set(7, row(5, A));
        CompletableFuture<WriteReply> answer = write(40 * SECOND);
        mapWithBoth(9, row(9, B));
        loop.advance(SECOND);
        map.set(10, row(9, B));
        loop.advance(SECOND);
        assertThat(code(answer)).isEqualTo(ErrorCode.UNKNOWN_OUTCOME);
    }

    private void mapWithBoth(long version, Row row) {
        MapUpdate.Builder update =
                MapUpdate.newBuilder().setVersion(version).setWhole(true).addRows(row.toWire());
        for (Incarnation server : List.of(A, B)) {
            update.addServers(
                    ServerInfo.newBuilder().setIncarnation(server.toWire()).setAddress(ManualMapView.address(server)));
        }
        map.apply(update.build());
    }

    @Test
    void publishOfTheSameOwnerDisturbsNoWrite() {
        map.set(7, row(5, A));
        CompletableFuture<WriteReply> answer = write(30 * SECOND);
        map.set(9, new Row(Row.id(1, 0), KeyRange.ALL, A, "manifest", 9, 5));
        loop.advance(SECOND);
        assertThat(answer).isNotDone();
        answerWrite(written(ErrorCode.OK));
        assertThat(code(answer)).isEqualTo(ErrorCode.OK);
    }

    @Test
    void readsAreSentAgainAfterABrokenCallAndFollowTheRange() {
        map.set(7, row(5, A));
        CompletableFuture<ReadReply> answer = read(5 * SECOND);
        transport.reads.get(0).fail(Fate.UNKNOWN);
        loop.advanceMillis(100);
        assertThat(transport.reads).hasSize(2);
        map.set(9, row(9, B));
        loop.runReady();
        assertThat(transport.reads.get(1).answer()).isCancelled();
        assertThat(transport.reads.get(2).address()).isEqualTo("b.2:1");
        transport.reads.get(2).answer().complete(read(ErrorCode.NOT_FOUND));
        loop.runReady();
        assertThat(readCode(answer)).isEqualTo(ErrorCode.NOT_FOUND);
    }

    @Test
    void readOfUnknownOutcomeIsAskedAgain() {
        map.set(7, row(5, A));
        CompletableFuture<ReadReply> answer = read(5 * SECOND);
        transport.reads.get(0).answer().complete(read(ErrorCode.UNKNOWN_OUTCOME));
        loop.advanceMillis(100);
        transport.reads.get(1).answer().complete(read(ErrorCode.OK));
        loop.runReady();
        assertThat(readCode(answer)).isEqualTo(ErrorCode.OK);
    }

    @Test
    void readWithoutAnAnswerIsUnavailableAtTheDeadline() {
        map.set(7, row(5, A));
        CompletableFuture<ReadReply> answer = read(SECOND);
        loop.advance(SECOND);
        assertThat(readCode(answer)).isEqualTo(ErrorCode.UNAVAILABLE);
    }

    @Test
    void scanGoesToTheOwnerOfItsStart() {
        Key middle = Key.beforeTable(5);
        Row left = new Row(Row.id(3, 0), new KeyRange(Key.MIN, middle), A, null, 3, 3);
        Row right = new Row(Row.id(3, 1), new KeyRange(middle, null), B, null, 3, 3);
        map.set(7, left, right);
        ScanRequest.Builder scan =
                ScanRequest.newBuilder().setStart(middle.toWire()).setEnd(ByteString.EMPTY);
        CompletableFuture<ScanReply> answer = loop.call(() -> client.scan(scan, loop.nanos() + SECOND));
        assertThat(transport.scans.get(0).address()).isEqualTo("b.2:1");
        assertThat(transport.scans.get(0).request().getRoute().getRange()).isEqualTo(right.id());
        transport
                .scans
                .get(0)
                .answer()
                .complete(ScanReply.newBuilder().setExamined(3).build());
        loop.runReady();
        assertThat(answer.getNow(ScanReply.getDefaultInstance()).getExamined()).isEqualTo(3);
    }

    @Test
    void dropIsRepeatedUntilItIsAnswered() {
        map.set(7, row(5, A));
        CompletableFuture<DropReply> answer =
                loop.call(() -> client.drop(Key.beforeTable(4), 4, loop.nanos() + SECOND));
        transport.drops.get(0).fail(Fate.UNKNOWN);
        loop.advanceMillis(100);
        assertThat(transport.drops.get(1).request().getTable()).isEqualTo(4);
        transport
                .drops
                .get(1)
                .answer()
                .complete(DropReply.newBuilder().setStart(KEY.toWire()).build());
        loop.runReady();
        assertThat(answer.getNow(DropReply.getDefaultInstance()).getStart()).isEqualTo(KEY.toWire());
    }

    @Test
    void equalSeedsGiveEqualRuns() {
        assertThat(timesOfRetries()).isEqualTo(new RangeClientTest().timesOfRetries());
    }

    private List<Long> timesOfRetries() {
        map.set(7, row(5, A));
        List<Long> times = new java.util.ArrayList<>();
        CompletableFuture<WriteReply> answer = write(SECOND);
        while (!answer.isDone()) {
            int before = transport.writes.size();
            lastWrite().answer().complete(written(ErrorCode.BUSY));
            loop.advanceUntil(() -> answer.isDone() || transport.writes.size() > before, SECOND);
            times.add(loop.nanos());
        }
        return times;
    }

    @Test
    void useOutsideOfTheLoopIsABug() {
        assertThatThrownBy(() -> client.read(KEY, SECOND)).isInstanceOf(Invariant.Violation.class);
    }
}
