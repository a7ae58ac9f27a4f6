package cleave.runtime.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.model.Limits;
import cleave.wire.MapUpdate;
import cleave.wire.MapWatchGrpc;
import cleave.wire.WatchRequest;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
final class RpcIT {
    /** Answers each watch with one update, and leaves the stream open. */
    private static final class OneUpdate extends MapWatchGrpc.MapWatchImplBase {
        @Override
        public void watch(WatchRequest request, StreamObserver<MapUpdate> updates) {
            updates.onNext(
                    MapUpdate.newBuilder().setVersion(request.getVersion() + 1).build());
        }
    }

    private final Channels channels = new Channels();

    @AfterEach
    void close() {
        channels.close();
    }

    private Iterator<MapUpdate> watch(String address) {
        return MapWatchGrpc.newBlockingStub(channels.to(address))
                .withDeadlineAfter(60, TimeUnit.SECONDS)
                .watch(WatchRequest.newBuilder().setVersion(41).build());
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:0", "inproc:rpc-it"})
    void serverAnswersWhereItListens(String address) {
        try (RpcServer server = RpcServer.start(address, new OneUpdate())) {
            assertThat(watch(server.address()).next().getVersion()).isEqualTo(42);
            assertThat(server.port()).isNotZero();
        }
    }

    @Test
    void aMessageThatIsTooLargeIsNotTakenInAndTheConnectionGoesOn() {
        ByteString large = ByteString.copyFrom(new byte[Limits.MESSAGE_BYTES_MAX]);
        MapWatchGrpc.MapWatchImplBase tooMuch = new MapWatchGrpc.MapWatchImplBase() {
            @Override
            public void watch(WatchRequest request, StreamObserver<MapUpdate> updates) {
                MapUpdate.Builder update = MapUpdate.newBuilder().setVersion(42);
                if (request.getVersion() == 41) {
                    update.setUnknownFields(UnknownFieldSet.newBuilder()
                            .addField(
                                    1_000,
                                    UnknownFieldSet.Field.newBuilder()
                                            .addLengthDelimited(large)
                                            .build())
                            .build());
                }
                updates.onNext(update.build());
            }
        };
        try (RpcServer server = RpcServer.start("127.0.0.1:0", tooMuch)) {
            Iterator<MapUpdate> updates = watch(server.address());
            assertThatThrownBy(updates::next).hasMessageContaining("RESOURCE_EXHAUSTED");
            assertThat(MapWatchGrpc.newBlockingStub(channels.to(server.address()))
                            .withDeadlineAfter(60, TimeUnit.SECONDS)
                            .watch(WatchRequest.newBuilder().setVersion(1).build())
                            .next()
                            .getVersion())
                    .isEqualTo(42);
        }
    }

    @Test
    void oneServerListensOnManyAddresses() {
        try (RpcServer server = RpcServer.start(
                Transport.PLAIN, List.of("127.0.0.1:0", "inproc:rpc-it-many"), () -> "", new OneUpdate())) {
            assertThat(server.addresses()).hasSize(2).contains("inproc:rpc-it-many");
            for (String address : server.addresses()) {
                assertThat(watch(address).next().getVersion()).isEqualTo(42);
            }
        }
    }

    @Test
    void takenAddressIsToldAndNothingIsListenedOn() {
        try (RpcServer first = RpcServer.start("127.0.0.1:0", new OneUpdate())) {
            List<String> both = List.of("inproc:rpc-it-taken", first.address());
            assertThatThrownBy(() -> RpcServer.start(Transport.PLAIN, both, () -> "", new OneUpdate()))
                    .isInstanceOf(UncheckedIOException.class)
                    .hasMessageContaining(first.address());
        }
        RpcServer.start("inproc:rpc-it-taken", new OneUpdate()).close();
    }

    @Test
    void whatIsNoAddressIsRefused() {
        assertThatThrownBy(() -> RpcServer.start("nowhere")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> channels.to("nowhere")).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:0", "inproc:rpc-it-close"})
    void closeEndsStreamsThatNobodyEnds(String address) {
        RpcServer server = RpcServer.start(address, new OneUpdate());
        Iterator<MapUpdate> updates = watch(server.address());
        updates.next();
        server.close(Duration.ofMillis(1));
        assertThatThrownBy(updates::hasNext).isInstanceOf(StatusRuntimeException.class);
    }

    @Test
    void channelFindsAServerThatCameBack() {
        RpcServer first = RpcServer.start("127.0.0.1:" + TestPorts.free(), new OneUpdate());
        watch(first.address()).next();
        first.close(Duration.ZERO);
        assertThatThrownBy(() -> watch(first.address()).next()).isInstanceOf(StatusRuntimeException.class);
        try (RpcServer second = RpcServer.start(first.address(), new OneUpdate())) {
            Iterator<MapUpdate> updates = MapWatchGrpc.newBlockingStub(channels.to(second.address()))
                    .withWaitForReady()
                    .withDeadlineAfter(60, TimeUnit.SECONDS)
                    .watch(WatchRequest.getDefaultInstance());
            assertThat(updates.next().getVersion()).isEqualTo(1);
        }
    }

    @Test
    void closedChannelsRefuseEveryCallAndThrowNothing() {
        channels.to("127.0.0.1:1");
        channels.close();
        channels.close();
        assertThatThrownBy(() -> watch("127.0.0.1:1").next()).isInstanceOf(StatusRuntimeException.class);
        assertThatThrownBy(() -> watch("127.0.0.1:2").next()).isInstanceOf(StatusRuntimeException.class);
    }
}
