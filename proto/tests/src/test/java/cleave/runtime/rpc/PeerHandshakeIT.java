package cleave.runtime.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.model.FeatureLevels;
import cleave.wire.MapUpdate;
import cleave.wire.MapWatchGrpc;
import cleave.wire.RangesGrpc;
import cleave.wire.ReadReply;
import cleave.wire.ReadRequest;
import cleave.wire.ScanRequest;
import cleave.wire.WatchRequest;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.StatusRuntimeException;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Processes of two versions, or of two clusters, over gRPC: those that can run beside each other do, and the others learn why they cannot.
 */
@Timeout(300)
final class PeerHandshakeIT {
    private static final String NAME = "peer-handshake-it";

    private final Channels channels = new Channels();

    @AfterEach
    void close() {
        channels.close();
    }

    private static final class Answering extends MapWatchGrpc.MapWatchImplBase {
        @Override
        public void watch(WatchRequest request, StreamObserver<MapUpdate> updates) {
            updates.onNext(MapUpdate.newBuilder().setVersion(42).build());
        }
    }

    private static Server serverOf(FeatureLevels levels) throws IOException {
        return InProcessServerBuilder.forName(NAME)
                .directExecutor()
                .intercept(PeerHandshake.ofServer(levels, () -> ""))
                .addService(new Answering())
                .build()
                .start();
    }

    private static long ask(ManagedChannel channel) {
        return MapWatchGrpc.newBlockingStub(channel)
                .withDeadlineAfter(60, TimeUnit.SECONDS)
                .watch(WatchRequest.getDefaultInstance())
                .next()
                .getVersion();
    }

    @Test
    void aPeerThatSharesNoLevelIsRefusedAndBothAreNamed() throws IOException {
        int above = FeatureLevels.SUPPORTED.max() + 1;
        Server newer = serverOf(new FeatureLevels(above, above + 1));
        try {
            assertThatThrownBy(() -> ask(channels.to("inproc:" + NAME)))
                    .isInstanceOf(StatusRuntimeException.class)
                    .hasMessageStartingWith("FAILED_PRECONDITION")
                    .hasMessageContaining("this process supports feature levels " + above + " to " + (above + 1))
                    .hasMessageContaining("its caller " + FeatureLevels.SUPPORTED)
                    .hasMessageContaining("upgrade by way of a version between");
        } finally {
            newer.shutdownNow();
        }
    }

    @Test
    void aPeerThatSharesALevelIsAnswered() throws IOException {
        Server newer = serverOf(new FeatureLevels(FeatureLevels.SUPPORTED.max(), 9));
        try {
            assertThat(ask(channels.to("inproc:" + NAME))).isEqualTo(42);
        } finally {
            newer.shutdownNow();
        }
    }

    @Test
    void aPeerThatSaysNothingCountsAsOneOfTheFirstLevel() throws IOException {
        ManagedChannel untold =
                InProcessChannelBuilder.forName(NAME).directExecutor().build();
        Server present = serverOf(FeatureLevels.SUPPORTED);
        try {
            assertThat(ask(untold)).isEqualTo(42);
            present.shutdownNow();
            present = serverOf(new FeatureLevels(2, 3));
            assertThatThrownBy(() -> ask(untold)).hasMessageContaining("its caller feature level 1");
        } finally {
            untold.shutdownNow();
            present.shutdownNow();
        }
    }

    private RpcServer ofCluster(String cluster) {
        return RpcServer.start(
                Transport.PLAIN, List.of("inproc:" + NAME), () -> cluster, new Answering(), new Ranges());
    }

    private static final class Ranges extends RangesGrpc.RangesImplBase {
        @Override
        public void read(ReadRequest request, StreamObserver<ReadReply> reply) {
            reply.onNext(ReadReply.getDefaultInstance());
            reply.onCompleted();
        }
    }

    private ReadReply read() {
        return RangesGrpc.newBlockingStub(channels.to("inproc:" + NAME)).read(ReadRequest.getDefaultInstance());
    }

    @Test
    void aCallerOfAnotherClusterIsRefusedBeforeTheCallIsExecuted() {
        channels.ofCluster(() -> "a");
        try (RpcServer other = ofCluster("b")) {
            assertThat(other).isNotNull();
            assertThatThrownBy(this::read)
                    .hasMessageStartingWith("FAILED_PRECONDITION")
                    .hasMessageContaining("this process belongs to cluster b, its caller to cluster a")
                    .hasMessageContaining("correct the address or its name")
                    .hasMessageContaining("restart the process that still belongs to the old one")
                    .satisfies(failure ->
                            assertThat(PeerHandshake.isRefusal(failure)).isTrue());
        }
    }

    @ParameterizedTest
    @CsvSource({"a, a", "a, ''", "'', b", "'', ''"})
    void peersOfOneClusterOrOfAnUnknownOneAreAnswered(String caller, String called) {
        channels.ofCluster(() -> caller);
        try (RpcServer peer = ofCluster(called)) {
            assertThat(peer).isNotNull();
            assertThat(read()).isEqualTo(ReadReply.getDefaultInstance());
        }
    }

    @Test
    void aMessageThatNamesTheClusterIsJudgedByItsHandler() {
        channels.ofCluster(() -> "a");
        try (RpcServer other = ofCluster("b")) {
            assertThat(other).isNotNull();
            assertThat(ask(channels.to("inproc:" + NAME))).isEqualTo(42);
        }
    }

    @Test
    void aFailureOfTheHandlerIsNoRefusal() {
        try (RpcServer server = RpcServer.start("inproc:" + NAME, new Ranges())) {
            assertThat(server).isNotNull();
            assertThatThrownBy(() -> RangesGrpc.newBlockingStub(channels.to("inproc:" + NAME))
                            .scan(ScanRequest.getDefaultInstance()))
                    .hasMessageStartingWith("UNIMPLEMENTED")
                    .satisfies(failure ->
                            assertThat(PeerHandshake.isRefusal(failure)).isFalse());
        }
    }
}
