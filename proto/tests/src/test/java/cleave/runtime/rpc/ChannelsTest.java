package cleave.runtime.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.wire.MapUpdate;
import cleave.wire.MapWatchGrpc;
import cleave.wire.WatchRequest;
import io.grpc.ManagedChannel;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class ChannelsTest {
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    private final List<ManagedChannel> made = new ArrayList<>();
    private final Channels channels = new Channels((address, handshake) -> {
        ManagedChannel channel =
                InProcessChannelBuilder.forName(address).directExecutor().build();
        made.add(channel);
        return channel;
    });
    private long now = System.nanoTime();

    @AfterEach
    void close() {
        channels.close();
    }

    private void minutes(int count) {
        for (int i = 0; i < count; i++) {
            now += MINUTE;
            channels.sweep(now);
        }
    }

    private long open() {
        return made.stream().filter(channel -> !channel.isShutdown()).count();
    }

    @Test
    void aThousandRestartsUnderNewAddressesLeaveAFewChannels() {
        for (int i = 0; i < 1_000; i++) {
            String address = "server-of-life-" + i;
            channels.keep(() -> Set.of(address));
            channels.to(address);
            minutes(1);
        }
        assertThat(made).hasSize(1_000);
        minutes(3);
        assertThat(channels.size()).isEqualTo(1);
        assertThat(open()).isEqualTo(1);
    }

    @Test
    void channelOfAPeerStaysThoughNobodyUsesIt() {
        channels.keep(() -> Set.of("peer"));
        ManagedChannel channel = channels.to("peer");
        minutes(60);
        assertThat(channel.isShutdown()).isFalse();
        assertThat(channels.to("peer")).isSameAs(channel);
    }

    @Test
    void channelThatIsUsedStaysThoughNothingNamesIt() {
        ManagedChannel channel = channels.to("seed");
        now = System.nanoTime();
        channels.sweep(now + TimeUnit.SECONDS.toNanos(10));
        assertThat(channels.to("seed")).isSameAs(channel);
        assertThat(channel.isShutdown()).isFalse();
    }

    /** A caller that got the channel just before that has time to begin its call. */
    @Test
    void channelIsClosedOnlyAWhileAfterItIsGivenToNobodyAnyMore() {
        ManagedChannel channel = channels.to("gone");
        minutes(1);
        assertThat(channel.isShutdown()).isFalse();
        assertThat(channels.to("gone")).isNotSameAs(channel);
        minutes(1);
        assertThat(channel.isShutdown()).isTrue();
    }

    @Test
    void callUnderWayOutlivesTheClosing() throws Exception {
        CompletableFuture<StreamObserver<MapUpdate>> stream = new CompletableFuture<>();
        MapWatchGrpc.MapWatchImplBase service = new MapWatchGrpc.MapWatchImplBase() {
            @Override
            public void watch(WatchRequest request, StreamObserver<MapUpdate> updates) {
                stream.complete(updates);
            }
        };
        CompletableFuture<Long> told = new CompletableFuture<>();
        try (RpcServer server = RpcServer.start("inproc:channels-outlive", service)) {
            assertThat(server.address()).isEqualTo("inproc:channels-outlive");
            ManagedChannel channel = channels.to("channels-outlive");
            MapWatchGrpc.newStub(channel).watch(WatchRequest.getDefaultInstance(), new StreamObserver<>() {
                @Override
                public void onNext(MapUpdate update) {
                    told.complete(update.getVersion());
                }

                @Override
                public void onError(Throwable failure) {
                    told.completeExceptionally(failure);
                }

                @Override
                public void onCompleted() {}
            });
            minutes(3);
            assertThat(channel.isShutdown()).isTrue();
            assertThat(channel.isTerminated()).isFalse();
            StreamObserver<MapUpdate> updates = stream.get(30, TimeUnit.SECONDS);
            updates.onNext(MapUpdate.newBuilder().setVersion(7).build());
            assertThat(told.get(30, TimeUnit.SECONDS)).isEqualTo(7);
            updates.onCompleted();
            assertThat(channel.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
            minutes(1);
            assertThat(channels.size()).isZero();
        }
    }
}
