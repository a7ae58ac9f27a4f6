package cleave.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.server.metrics.ServerMetrics;
import cleave.server.range.AccountShares;
import cleave.wire.ErrorCode;
import cleave.wire.RangeReply;
import cleave.wire.RangeRequest;
import cleave.wire.ReadReply;
import cleave.wire.ReadRequest;
import cleave.wire.ScanReply;
import cleave.wire.ScanRequest;
import cleave.wire.WriteReply;
import cleave.wire.WriteRequest;
import com.google.protobuf.ByteString;
import io.grpc.stub.ServerCallStreamObserver;
import io.prometheus.client.CollectorRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

final class RequestStreamTest {
    private final ServerMetrics metrics = new ServerMetrics(new CollectorRegistry());
    private final Receiver receiver = new Receiver();
    private final List<Consumer<WriteReply>> writes = new ArrayList<>();
    private final List<Consumer<ReadReply>> reads = new ArrayList<>();
    private final List<Consumer<ScanReply>> scans = new ArrayList<>();
    private final List<RequestStream> gone = new ArrayList<>();
    private final RequestStream stream = new RequestStream(
            receiver,
            (request, reply) -> writes.add(reply),
            (request, reply) -> reads.add(reply),
            (request, reply) -> scans.add(reply),
            AccountShares.ofMemory(1 << 20, metrics),
            gone::add);

    /** The network towards the front end. */
    private static final class Receiver extends ServerCallStreamObserver<RangeReply> {
        private final List<RangeReply> sent = new ArrayList<>();
        private Runnable whenReady = () -> {};
        private Runnable whenClosed = () -> {};
        private boolean ready = true;
        private boolean completed;

        @Override
        public void onNext(RangeReply reply) {
            assertThat(completed).as("completed before %s", reply).isFalse();
            sent.add(reply);
        }

        @Override
        public void onError(Throwable failure) {
            throw new AssertionError(failure);
        }

        @Override
        public void onCompleted() {
            assertThat(completed).isFalse();
            completed = true;
        }

        @Override
        public boolean isReady() {
            return ready;
        }

        @Override
        public void setOnReadyHandler(Runnable handler) {
            whenReady = handler;
        }

        @Override
        public void setOnCloseHandler(Runnable handler) {
            whenClosed = handler;
        }

        @Override
        public void setOnCancelHandler(Runnable handler) {}

        @Override
        public boolean isCancelled() {
            return false;
        }

        @Override
        public void setCompression(String compression) {}

        @Override
        public void disableAutoInboundFlowControl() {}

        @Override
        public void request(int count) {}

        @Override
        public void setMessageCompression(boolean enable) {}
    }

    private static RangeRequest read(long number) {
        return RangeRequest.newBuilder()
                .setNumber(number)
                .setRead(ReadRequest.newBuilder().setAccount(7))
                .build();
    }

    private static RangeRequest write(long number) {
        return RangeRequest.newBuilder()
                .setNumber(number)
                .setWrite(WriteRequest.newBuilder().setAccount(7))
                .build();
    }

    private static RangeRequest scan(long number) {
        return RangeRequest.newBuilder()
                .setNumber(number)
                .setScan(ScanRequest.newBuilder().setAccount(7))
                .build();
    }

    private static ReadReply entity(int bytes) {
        return ReadReply.newBuilder()
                .setEntity(ByteString.copyFrom(new byte[bytes]))
                .build();
    }

    @Test
    void repliesLeaveWithTheNumbersOfTheirRequestsWhenTheyCome() {
        stream.onNext(write(1));
        stream.onNext(read(2));
        stream.onNext(scan(3));
        reads.get(0).accept(entity(5));
        writes.get(0).accept(WriteReply.newBuilder().addTimestamps(9).build());
        scans.get(0).accept(ScanReply.newBuilder().setExamined(4).build());
        assertThat(receiver.sent).extracting(RangeReply::getNumber).containsExactly(2L, 1L, 3L);
        assertThat(receiver.sent.get(2).getScan().getExamined()).isEqualTo(4);
        assertThat(receiver.sent.get(0).getRead().getEntity().size()).isEqualTo(5);
        assertThat(receiver.sent.get(1).getWrite().getTimestamps(0)).isEqualTo(9);
        assertThat(metrics.bytesHeld.get()).isZero();
    }

    @Test
    void repliesToASlowReceiverAreCountedAndLeaveInOrderWhenItIsReady() {
        stream.onNext(read(1));
        stream.onNext(read(2));
        receiver.ready = false;
        reads.get(0).accept(entity(1_000));
        receiver.ready = true; // But what waits goes first.
        reads.get(1).accept(entity(10));
        assertThat(receiver.sent).isEmpty();
        assertThat(metrics.bytesHeld.get()).isGreaterThan(1_000);
        receiver.whenReady.run();
        assertThat(receiver.sent).extracting(RangeReply::getNumber).containsExactly(1L, 2L);
        assertThat(metrics.bytesHeld.get()).isZero();
    }

    @Test
    void repliesToScansWaitForAllOthers() {
        for (long number = 1; number <= 2; number++) {
            stream.onNext(scan(number));
        }
        stream.onNext(read(3));
        stream.onNext(write(4));
        receiver.ready = false;
        scans.get(0).accept(ScanReply.getDefaultInstance());
        reads.get(0).accept(entity(10));
        writes.get(0).accept(WriteReply.getDefaultInstance());
        receiver.ready = true;
        scans.get(1).accept(ScanReply.getDefaultInstance());
        assertThat(receiver.sent).isEmpty();
        receiver.whenReady.run();
        assertThat(receiver.sent).extracting(RangeReply::getNumber).containsExactly(3L, 4L, 1L, 2L);
        assertThat(metrics.bytesHeld.get()).isZero();
    }

    @Test
    void whatWaitsForAReceiverThatIsGoneIsGivenBackAndLaterRepliesConcernNobody() {
        stream.onNext(read(1));
        stream.onNext(read(2));
        receiver.ready = false;
        reads.get(0).accept(entity(1_000));
        receiver.whenClosed.run();
        reads.get(1).accept(entity(1_000));
        assertThat(metrics.bytesHeld.get()).isZero();
        assertThat(receiver.sent).isEmpty();
        assertThat(gone).contains(stream);
    }

    @Test
    void aStreamIsEndedOnlyWhenAllThatWasExecutedIsAnswered() {
        stream.onNext(write(1));
        stream.leave();
        stream.onNext(write(2));
        stream.onNext(scan(3));
        assertThat(writes).hasSize(1);
        assertThat(scans).isEmpty();
        assertThat(receiver.sent.get(0).getNumber()).isEqualTo(2);
        assertThat(receiver.sent.get(0).getWrite().getStatus().getCode()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(receiver.sent.get(1).getScan().getStatus().getCode()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(receiver.completed).isFalse();
        receiver.ready = false;
        writes.get(0).accept(WriteReply.getDefaultInstance());
        assertThat(receiver.completed).isFalse();
        receiver.ready = true;
        receiver.whenReady.run();
        assertThat(receiver.sent).extracting(RangeReply::getNumber).containsExactly(2L, 3L, 1L);
        assertThat(receiver.completed).isTrue();
        assertThat(gone).containsExactly(stream);
    }

    @Test
    void anIdleStreamEndsWhenItsCallerOrTheServerEndsIt() {
        stream.onCompleted();
        stream.leave();
        assertThat(receiver.completed).isTrue();
    }

    @Test
    void aRequestOfAnUnknownKindIsAnsweredWithoutContent() {
        stream.onNext(RangeRequest.newBuilder().setNumber(3).build());
        assertThat(receiver.sent)
                .containsExactly(RangeReply.newBuilder().setNumber(3).build());
    }
}
