package cleave.runtime.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.model.FeatureLevels;
import cleave.wire.MapUpdate;
import cleave.wire.MapWatchGrpc;
import cleave.wire.WatchRequest;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.StatusRuntimeException;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Processes of two versions over gRPC: those that can run beside each other do, and others are told why they cannot. */
@Timeout(300)
final class LevelHandshakeIT {
    private static final String NAME = "level-handshake-it";

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
                .intercept(new LevelHandshake(levels))
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
}
