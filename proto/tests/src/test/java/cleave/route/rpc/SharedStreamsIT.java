package cleave.route.rpc;

import static cleave.route.rpc.UnaryCallsIT.fate;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Limits;
import cleave.route.CallFailed.Fate;
import cleave.runtime.loop.ThreadLoop;
import cleave.runtime.rpc.Channels;
import cleave.runtime.rpc.RpcServer;
import cleave.runtime.rpc.Transport;
import cleave.wire.RangeReply;
import cleave.wire.RangeRequest;
import cleave.wire.RangesGrpc;
import cleave.wire.ReadReply;
import cleave.wire.ReadRequest;
import cleave.wire.ScanReply;
import cleave.wire.ScanRequest;
import cleave.wire.WriteOperation;
import cleave.wire.WriteReply;
import cleave.wire.WriteRequest;
import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
final class SharedStreamsIT {
    private static final int OF_A_CALL = 7;
    private static final long LONG = TimeUnit.SECONDS.toNanos(30);

    /** Keeps requests on streams for the test to answer, and answers unary calls with their key. */
    private static final class Ranges extends RangesGrpc.RangesImplBase {
        private final BlockingQueue<RangeRequest> arrived = new LinkedBlockingQueue<>();
        private final AtomicInteger unaryWrites = new AtomicInteger();
        private final AtomicInteger streams = new AtomicInteger();
        private final BlockingQueue<StreamObserver<RangeReply>> opened = new LinkedBlockingQueue<>();

        @Override
        public StreamObserver<RangeRequest> exchange(StreamObserver<RangeReply> observer) {
            streams.incrementAndGet();
            opened.add(observer);
            return new StreamObserver<>() {
                @Override
                public void onNext(RangeRequest request) {
                    arrived.add(request);
                }

                @Override
                public void onError(Throwable failure) {}

                @Override
                public void onCompleted() {
                    observer.onCompleted();
                }
            };
        }

        @Override
        public void write(WriteRequest request, StreamObserver<WriteReply> reply) {
            unaryWrites.incrementAndGet();
            reply.onNext(WriteReply.getDefaultInstance());
            reply.onCompleted();
        }

        @Override
        public void scan(ScanRequest request, StreamObserver<ScanReply> reply) {
            reply.onNext(ScanReply.newBuilder().setExamined(OF_A_CALL).build());
            reply.onCompleted();
        }

        RangeRequest next() throws InterruptedException {
            RangeRequest next = arrived.poll(2, TimeUnit.MINUTES);
            assertThat(next).isNotNull();
            return next;
        }

        /** The replies of the stream that was opened last. */
        StreamObserver<RangeReply> replies() {
            StreamObserver<RangeReply> last = null;
            for (StreamObserver<RangeReply> each : opened) {
                last = each;
            }
            if (last == null) {
                throw new AssertionError("no stream was opened");
            }
            return last;
        }

        void answerRead(RangeRequest request) {
            replies()
                    .onNext(RangeReply.newBuilder()
                            .setNumber(request.getNumber())
                            .setRead(ReadReply.newBuilder()
                                    .setEntity(request.getRead().getKey()))
                            .build());
        }
    }

    /** A server of a version that knows no streams. */
    private static final class OldRanges extends RangesGrpc.RangesImplBase {
        @Override
        public void read(ReadRequest request, StreamObserver<ReadReply> reply) {
            reply.onNext(ReadReply.newBuilder().setEntity(request.getKey()).build());
            reply.onCompleted();
        }
    }

    private final ThreadLoop loop = new ThreadLoop("front-end-loop", fault -> {});
    private final Channels channels = new Channels();
    private final SharedStreams transport = new SharedStreams(loop, channels);
    private final Ranges ranges = new Ranges();

    @AfterEach
    void close() {
        channels.close();
        loop.close();
    }

    private <T> CompletableFuture<T> inside(Supplier<CompletableFuture<T>> call) throws Exception {
        CompletableFuture<CompletableFuture<T>> begun = new CompletableFuture<>();
        loop.submit(() -> begun.complete(call.get()));
        return begun.get(2, TimeUnit.MINUTES);
    }

    private CompletableFuture<ReadReply> read(String address, String key) throws Exception {
        ReadRequest request =
                ReadRequest.newBuilder().setKey(ByteString.copyFromUtf8(key)).build();
        return inside(() -> transport.read(address, request, LONG));
    }

    private CompletableFuture<WriteReply> write(String address, int bytes) throws Exception {
        WriteRequest request = WriteRequest.newBuilder()
                .addOperations(WriteOperation.newBuilder().setEntity(ByteString.copyFrom(new byte[bytes])))
                .build();
        return inside(() -> transport.write(address, request, LONG));
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:0", "inproc:streams-answer"})
    void repliesFindTheirRequestsInAnyOrderOnOneStream(String address) throws Exception {
        try (RpcServer server = RpcServer.start(address, ranges)) {
            List<CompletableFuture<ReadReply>> answers = new ArrayList<>();
            List<RangeRequest> arrived = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                answers.add(read(server.address(), "key-" + i));
                arrived.add(ranges.next());
            }
            for (int i = 9; i >= 0; i--) {
                ranges.answerRead(arrived.get(i));
            }
            for (int i = 0; i < 10; i++) {
                assertThat(answers.get(i).get(2, TimeUnit.MINUTES).getEntity().toStringUtf8())
                        .isEqualTo("key-" + i);
            }
            assertThat(ranges.streams).hasValue(1);
        }
    }

    @Test
    void aLargeWriteHasACallOfItsOwn() throws Exception {
        try (RpcServer server = RpcServer.start("127.0.0.1:0", ranges)) {
            write(server.address(), 70_000).get(2, TimeUnit.MINUTES);
            assertThat(ranges.unaryWrites).hasValue(1);
            write(server.address(), 1_000);
            assertThat(ranges.next().getWrite().getOperations(0).getEntity().size())
                    .isEqualTo(1_000);
        }
    }

    private CompletableFuture<ScanReply> scan(String address, int bytesMax) throws Exception {
        ScanRequest request = ScanRequest.newBuilder().setBytesMax(bytesMax).build();
        return inside(() -> transport.scan(address, request, LONG));
    }

    @Test
    void aScanIsOnTheStreamIfItsReplyIsCut() throws Exception {
        try (RpcServer server = RpcServer.start("127.0.0.1:0", ranges)) {
            for (int large : new int[] {0, Limits.SHARED_SCAN_BYTES_MAX + 1}) {
                assertThat(scan(server.address(), large)
                                .get(2, TimeUnit.MINUTES)
                                .getExamined())
                        .isEqualTo(OF_A_CALL);
            }
            CompletableFuture<ScanReply> small = scan(server.address(), Limits.SHARED_SCAN_BYTES_MAX);
            RangeRequest request = ranges.next();
            ranges.replies()
                    .onNext(RangeReply.newBuilder()
                            .setNumber(request.getNumber())
                            .setScan(ScanReply.newBuilder().setExamined(3))
                            .build());
            assertThat(small.get(2, TimeUnit.MINUTES).getExamined()).isEqualTo(3);
        }
    }

    /** It answers what it does not know with a number alone. */
    @Test
    void aServerWithoutScansOnStreamsGetsUnaryCallsForThem() throws Exception {
        try (RpcServer server = RpcServer.start("127.0.0.1:0", ranges)) {
            CompletableFuture<ScanReply> first = scan(server.address(), 1);
            RangeRequest request = ranges.next();
            ranges.replies()
                    .onNext(RangeReply.newBuilder()
                            .setNumber(request.getNumber())
                            .build());
            assertThat(fate(first)).isEqualTo(Fate.NOT_EXECUTED);
            assertThat(scan(server.address(), 1).get(2, TimeUnit.MINUTES).getExamined())
                    .isEqualTo(OF_A_CALL);
            read(server.address(), "on the stream");
            assertThat(ranges.next().hasRead()).isTrue();
        }
    }

    @Test
    void whatWasSentToAServerThatDiesMayHaveBeenExecuted() throws Exception {
        CompletableFuture<WriteReply> written;
        try (RpcServer server = RpcServer.start("127.0.0.1:0", ranges)) {
            written = write(server.address(), 10);
            ranges.next();
            server.close(Duration.ZERO);
        }
        assertThat(fate(written)).isEqualTo(Fate.UNKNOWN);
    }

    @Test
    void whatNeverHadAConnectionWasNotExecuted() throws Exception {
        String address;
        try (RpcServer server = RpcServer.start("127.0.0.1:0", ranges)) {
            address = server.address();
        }
        assertThat(fate(write(address, 10))).isEqualTo(Fate.NOT_EXECUTED);
        assertThat(fate(write("no address", 10))).isEqualTo(Fate.NOT_EXECUTED);
        assertThat(ranges.arrived).isEmpty();
    }

    @Test
    void whatAServerDidNotAnswerBeforeItEndedTheStreamWasNotExecutedAndTheNextRequestOpensAnother() throws Exception {
        try (RpcServer server = RpcServer.start("127.0.0.1:0", ranges)) {
            CompletableFuture<WriteReply> written = write(server.address(), 10);
            ranges.next();
            ranges.replies().onCompleted();
            assertThat(fate(written)).isEqualTo(Fate.NOT_EXECUTED);
            CompletableFuture<ReadReply> after = read(server.address(), "after");
            ranges.answerRead(ranges.next());
            assertThat(after.get(2, TimeUnit.MINUTES).getEntity().toStringUtf8())
                    .isEqualTo("after");
            assertThat(ranges.streams).hasValue(2);
        }
    }

    @Test
    void aStreamThatFailsLeavesTheOutcomeUnknown() throws Exception {
        try (RpcServer server = RpcServer.start("127.0.0.1:0", ranges)) {
            CompletableFuture<WriteReply> written = write(server.address(), 10);
            ranges.next();
            ranges.replies().onError(Status.INTERNAL.asRuntimeException());
            assertThat(fate(written)).isEqualTo(Fate.UNKNOWN);
        }
    }

    @Test
    void aServerWithoutStreamsGetsUnaryCalls() throws Exception {
        try (RpcServer server = RpcServer.start("127.0.0.1:0", new OldRanges())) {
            assertThat(fate(read(server.address(), "first"))).isEqualTo(Fate.NOT_EXECUTED);
            assertThat(read(server.address(), "second")
                            .get(2, TimeUnit.MINUTES)
                            .getEntity()
                            .toStringUtf8())
                    .isEqualTo("second");
        }
    }

    @Test
    void aServerOfAnotherClusterExecutesNothing() throws Exception {
        channels.ofCluster(() -> "11111111-1111-1111-1111-111111111111");
        try (RpcServer server = RpcServer.start(
                Transport.PLAIN, List.of("127.0.0.1:0"), () -> "22222222-2222-2222-2222-222222222222", ranges)) {
            assertThat(fate(write(server.address(), 10))).isEqualTo(Fate.NOT_EXECUTED);
            assertThat(ranges.arrived).isEmpty();
        }
    }

    @Test
    void aReplyWithoutContentIsNoSuccess() throws Exception {
        try (RpcServer server = RpcServer.start("127.0.0.1:0", ranges)) {
            CompletableFuture<WriteReply> written = write(server.address(), 10);
            RangeRequest request = ranges.next();
            ranges.replies()
                    .onNext(RangeReply.newBuilder()
                            .setNumber(request.getNumber())
                            .build());
            assertThat(fate(written)).isEqualTo(Fate.NOT_EXECUTED);
        }
    }

    @Test
    void theReplyToACancelledRequestConcernsNobody() throws Exception {
        try (RpcServer server = RpcServer.start("127.0.0.1:0", ranges)) {
            CompletableFuture<ReadReply> cancelled = read(server.address(), "cancelled");
            RangeRequest first = ranges.next();
            cancelled.cancel(false);
            CompletableFuture<ReadReply> other = read(server.address(), "other");
            ranges.answerRead(first);
            ranges.answerRead(ranges.next());
            assertThat(other.get(2, TimeUnit.MINUTES).getEntity().toStringUtf8())
                    .isEqualTo("other");
            assertThat(cancelled).isCancelled();
        }
    }
}
