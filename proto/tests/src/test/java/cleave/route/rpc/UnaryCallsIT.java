package cleave.route.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.route.CallFailed;
import cleave.route.CallFailed.Fate;
import cleave.runtime.rpc.Channels;
import cleave.runtime.rpc.RpcServer;
import cleave.runtime.rpc.Transport;
import cleave.wire.DropReply;
import cleave.wire.DropRequest;
import cleave.wire.RangesGrpc;
import cleave.wire.ReadReply;
import cleave.wire.ReadRequest;
import cleave.wire.ScanReply;
import cleave.wire.ScanRequest;
import cleave.wire.WriteReply;
import cleave.wire.WriteRequest;
import com.google.protobuf.ByteString;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
final class UnaryCallsIT {
    private static final long LONG = TimeUnit.SECONDS.toNanos(30);
    private static final long SHORT = TimeUnit.MILLISECONDS.toNanos(200);
    private static final ByteString KEY = ByteString.copyFromUtf8("12345678p\0r");

    /** Answers reads, scans and drops; keeps writes. */
    private static final class Ranges extends RangesGrpc.RangesImplBase {
        private final CompletableFuture<WriteRequest> written = new CompletableFuture<>();
        private final CompletableFuture<Boolean> givenUp = new CompletableFuture<>();

        @Override
        public void write(WriteRequest request, StreamObserver<WriteReply> reply) {
            ((ServerCallStreamObserver<WriteReply>) reply).setOnCancelHandler(() -> givenUp.complete(true));
            written.complete(request);
        }

        @Override
        public void read(ReadRequest request, StreamObserver<ReadReply> reply) {
            reply.onNext(ReadReply.newBuilder().setEntity(request.getKey()).build());
            reply.onCompleted();
        }

        @Override
        public void scan(ScanRequest request, StreamObserver<ScanReply> reply) {
            reply.onNext(
                    ScanReply.newBuilder().setExaminedUntil(request.getStart()).build());
            reply.onCompleted();
        }

        @Override
        public void drop(DropRequest request, StreamObserver<DropReply> reply) {
            reply.onCompleted(); // Against the contract: no reply at all.
        }
    }

    private final Channels channels = new Channels();
    private final UnaryCalls transport = new UnaryCalls(channels);
    private final Ranges ranges = new Ranges();

    @AfterEach
    void close() {
        channels.close();
    }

    static Fate fate(CompletableFuture<?> answer) throws Exception {
        try {
            answer.get(2, TimeUnit.MINUTES);
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof CallFailed call) {
                return call.fate();
            }
            throw failed;
        }
        throw new AssertionError("the call succeeded");
    }

    private CompletableFuture<WriteReply> write(String address, long timeoutNanos) {
        return transport.write(address, WriteRequest.getDefaultInstance(), timeoutNanos);
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:0", "inproc:ranges-answers"})
    void repliesArrive(String address) throws Exception {
        try (RpcServer server = RpcServer.start(address, ranges)) {
            ReadRequest read = ReadRequest.newBuilder().setKey(KEY).build();
            assertThat(transport.read(server.address(), read, LONG).get().getEntity())
                    .isEqualTo(KEY);
            ScanRequest scan = ScanRequest.newBuilder().setStart(KEY).build();
            assertThat(transport.scan(server.address(), scan, LONG).get().getExaminedUntil())
                    .isEqualTo(KEY);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:0", "inproc:ranges-killed"})
    void callThatAKilledServerHadIsOfUnknownFateAndLaterOnesNeverLeave(String address) throws Exception {
        RpcServer server = RpcServer.start(address, ranges);
        CompletableFuture<WriteReply> under = write(server.address(), LONG);
        ranges.written.get(2, TimeUnit.MINUTES);
        server.close(Duration.ZERO);
        assertThat(fate(under)).isEqualTo(Fate.UNKNOWN);
        assertThat(fate(write(server.address(), LONG))).isEqualTo(Fate.NOT_EXECUTED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"inproc:nobody", "127.0.0.1:1", "this is no address", "no-such-host.invalid:1"})
    void callToWhereNobodyListensNeverLeaves(String address) throws Exception {
        assertThat(fate(write(address, LONG))).isEqualTo(Fate.NOT_EXECUTED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:0", "inproc:ranges-slow"})
    void callThatTimesOutAtTheServerIsOfUnknownFate(String address) throws Exception {
        try (RpcServer server = RpcServer.start(address, ranges)) {
            transport
                    .read(server.address(), ReadRequest.getDefaultInstance(), LONG)
                    .get();
            assertThat(fate(write(server.address(), SHORT))).isEqualTo(Fate.UNKNOWN);
        }
    }

    @Test
    void callThatTimesOutBeforeTheServerSpokeNeverLeaves() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            assertThat(fate(write("127.0.0.1:" + silent.getLocalPort(), SHORT))).isEqualTo(Fate.NOT_EXECUTED);
        }
    }

    @Test
    void callThatAProcessOfAnotherClusterRefusesIsNotExecuted() throws Exception {
        channels.ofCluster(() -> "a");
        try (RpcServer server = RpcServer.start(Transport.PLAIN, List.of("127.0.0.1:0"), () -> "b", ranges)) {
            assertThat(fate(write(server.address(), LONG))).isEqualTo(Fate.NOT_EXECUTED);
            assertThat(ranges.written).isNotDone();
        }
    }

    @Test
    void callWithoutAReplyIsOfUnknownFate() throws Exception {
        try (RpcServer server = RpcServer.start("127.0.0.1:0", ranges)) {
            assertThat(fate(transport.drop(server.address(), DropRequest.getDefaultInstance(), LONG)))
                    .isEqualTo(Fate.UNKNOWN);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:0", "inproc:ranges-cancel"})
    void cancelledFutureGivesTheCallUpAtTheServerToo(String address) throws Exception {
        try (RpcServer server = RpcServer.start(address, ranges)) {
            CompletableFuture<WriteReply> under = write(server.address(), LONG);
            ranges.written.get(2, TimeUnit.MINUTES);
            under.cancel(false);
            assertThat(ranges.givenUp.get(2, TimeUnit.MINUTES)).isTrue();
        }
    }
}
