package cleave.frontend;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.metrics.FrontEndMetrics;
import cleave.frontend.settings.FrontEndConfig;
import cleave.model.Incarnation;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.runtime.loop.Await;
import cleave.runtime.rpc.RpcServer;
import cleave.runtime.rpc.TestPorts;
import cleave.runtime.rpc.Transport;
import cleave.runtime.settings.Settings;
import cleave.wire.ErrorCode;
import cleave.wire.MapUpdate;
import cleave.wire.MapWatchGrpc;
import cleave.wire.RangesGrpc;
import cleave.wire.ReadReply;
import cleave.wire.ReadRequest;
import cleave.wire.ServerInfo;
import cleave.wire.Status;
import cleave.wire.WatchRequest;
import io.grpc.stub.StreamObserver;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** The whole front end over real gRPC, before a cluster that is one seed and one server. */
class FrontEndIT {
    /** Gives the map once, and then has nothing to say. */
    private static final class Seed extends MapWatchGrpc.MapWatchImplBase {
        private final String address;
        private final String cluster;
        /** The last request of a watcher. */
        private volatile WatchRequest asked = WatchRequest.getDefaultInstance();

        Seed(String address, String cluster) {
            this.address = address;
            this.cluster = cluster;
        }

        @Override
        public void watch(WatchRequest request, StreamObserver<MapUpdate> updates) {
            asked = request;
            Incarnation owner = new Incarnation("s1", 4);
            updates.onNext(MapUpdate.newBuilder()
                    .setVersion(9)
                    .setCluster(cluster)
                    .setWhole(true)
                    .addRows(new Row(Row.id(1, 0), KeyRange.ALL, owner, null, 9, 9).toWire())
                    .addServers(ServerInfo.newBuilder()
                            .setIncarnation(owner.toWire())
                            .setAddress(address))
                    .build());
        }
    }

    /** An empty range. */
    private static final class Empty extends RangesGrpc.RangesImplBase {
        @Override
        public void read(ReadRequest request, StreamObserver<ReadReply> reply) {
            reply.onNext(ReadReply.newBuilder()
                    .setStatus(Status.newBuilder().setCode(ErrorCode.NOT_FOUND))
                    .build());
            reply.onCompleted();
        }
    }

    private static FrontEnd frontEnd(int seedPort) throws IOException {
        return new FrontEnd(
                FrontEndConfig.from(new Settings(Map.of(
                        "front-end.listen", "127.0.0.1:0",
                        "front-end.loops", "2",
                        "front-end.development-account", "true",
                        "front-end.map-silence", "100ms",
                        "front-end.close-timeout", "1s",
                        "seeds", "127.0.0.1:" + seedPort))),
                Transport.PLAIN,
                new FrontEndMetrics(new CollectorRegistry()));
    }

    private static void await(BooleanSupplier condition) {
        Await.until("the condition", condition::getAsBoolean);
    }

    @Test
    void itIsReadyWhileItHasAMapAndHearsFromASeed() throws IOException {
        int port = TestPorts.free();
        String address = "127.0.0.1:" + port;
        try (FrontEnd frontEnd = frontEnd(port)) {
            assertThat(frontEnd.readiness().missing()).contains("not listening yet");
            frontEnd.metricsAt("127.0.0.1:9");
            frontEnd.start();
            assertThat(frontEnd.readiness().ready()).isFalse();
            assertThat(frontEnd.readiness().missing()).contains("no partition map received yet");
            Seed seed = new Seed(address, "a");
            try (RpcServer cluster = RpcServer.start(address, seed, new Empty())) {
                assertThat(cluster).isNotNull();
                await(() -> frontEnd.readiness().ready());
                assertThat(seed.asked.getFrontEnd()).isEqualTo("127.0.0.1:" + frontEnd.port());
                assertThat(seed.asked.getAdmin()).isEqualTo("127.0.0.1:9");
                try (RawClient client = new RawClient(frontEnd.port())) {
                    assertThat(client.ask("GET", "/Tables('Orders')", "").status())
                            .isEqualTo(404);
                }
            }
            await(() -> !frontEnd.readiness().ready());
            assertThat(frontEnd.readiness().missing()).contains("no connection to any seed of the partition map");
            try (RpcServer restored = RpcServer.start(address, new Seed(address, "b"), new Empty())) {
                assertThat(restored).isNotNull();
                await(() -> frontEnd.readiness().missing().contains("is of cluster b"));
                assertThat(frontEnd.readiness().missing())
                        .contains("this process follows the map of cluster a", "restart this front end");
            }
            try (RpcServer back = RpcServer.start(address, new Seed(address, "a"), new Empty())) {
                assertThat(back).isNotNull();
                await(() -> frontEnd.readiness().ready());
            }
        }
    }

    /** The name of a server leads to a server of another cluster, which would answer as if it were its own. */
    @Test
    void aServerOfAnotherClusterAnswersNoRequest() throws IOException {
        int seedPort = TestPorts.free();
        int serverPort = TestPorts.free();
        try (RpcServer seed = RpcServer.start("127.0.0.1:" + seedPort, new Seed("127.0.0.1:" + serverPort, "a"));
                FrontEnd frontEnd = frontEnd(seedPort)) {
            assertThat(seed).isNotNull();
            frontEnd.start();
            await(() -> frontEnd.readiness().ready());
            try (RawClient client = new RawClient(frontEnd.port())) {
                try (RpcServer other = serverOf("b", serverPort)) {
                    assertThat(other).isNotNull();
                    assertThat(client.ask("GET", "/Tables('Orders')?timeout=1", "")
                                    .status())
                            .isEqualTo(503);
                }
                try (RpcServer own = serverOf("a", serverPort)) {
                    assertThat(own).isNotNull();
                    assertThat(client.ask("GET", "/Tables('Orders')", "").status())
                            .isEqualTo(404);
                }
            }
        }
    }

    private static RpcServer serverOf(String cluster, int port) {
        return RpcServer.start(Transport.PLAIN, List.of("127.0.0.1:" + port), () -> cluster, new Empty());
    }

    @Test
    void withoutAClusterARequestIsServerBusyAtItsDeadline() throws IOException {
        try (FrontEnd frontEnd = frontEnd(TestPorts.free())) {
            frontEnd.start();
            try (RawClient client = new RawClient(frontEnd.port())) {
                assertThat(client.ask("GET", "/Tables('Orders')?timeout=1", "").status())
                        .isEqualTo(503);
            }
        }
    }
}
