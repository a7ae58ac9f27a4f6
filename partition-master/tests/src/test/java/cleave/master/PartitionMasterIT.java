package cleave.master;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.dfs.Dfs;
import cleave.dfs.DfsClients;
import cleave.dfs.metrics.DfsMetrics;
import cleave.master.metrics.MasterMetrics;
import cleave.master.settings.MasterConfig;
import cleave.model.FeatureLevels;
import cleave.model.Incarnation;
import cleave.model.Row;
import cleave.model.Ticks;
import cleave.route.rpc.StatusCall;
import cleave.runtime.loop.Await;
import cleave.runtime.rpc.Channels;
import cleave.runtime.rpc.Transport;
import cleave.runtime.settings.Settings;
import cleave.wire.ActsReply;
import cleave.wire.ActsRequest;
import cleave.wire.AdminGrpc;
import cleave.wire.CommandReply;
import cleave.wire.DropTableRequest;
import cleave.wire.ErrorCode;
import cleave.wire.FrontEndSeen;
import cleave.wire.HandoffRequest;
import cleave.wire.HandoffSource;
import cleave.wire.HandoffTarget;
import cleave.wire.HeartbeatReply;
import cleave.wire.HeartbeatRequest;
import cleave.wire.MapUpdate;
import cleave.wire.MapWatchGrpc;
import cleave.wire.MasterGrpc;
import cleave.wire.OperatorAct;
import cleave.wire.PublishRequest;
import cleave.wire.RangeLoad;
import cleave.wire.RangeRow;
import cleave.wire.RegisterReply;
import cleave.wire.RegisterRequest;
import cleave.wire.Setting;
import cleave.wire.SettingsChange;
import cleave.wire.SettingsReply;
import cleave.wire.Status;
import cleave.wire.StatusReply;
import cleave.wire.StatusRequest;
import cleave.wire.WatchRequest;
import com.google.protobuf.ByteString;
import io.grpc.stub.StreamObserver;
import io.prometheus.client.CollectorRegistry;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole masters over gRPC. */
class PartitionMasterIT {
    private static final long TIMEOUT_NANOS = 30_000_000_000L;

    @TempDir
    Path dir;

    @Test
    void aMasterInsideTheProcessServesAllItsServices() {
        Settings settings = new Settings(Map.of(
                "master.listen",
                "inproc:" + dir.getFileName(),
                "master.dir",
                dir.resolve("m").toString()));
        List<Throwable> faults = new CopyOnWriteArrayList<>();
        Dfs dfs = DfsClients.open("file:" + dir.resolve("dfs"), new DfsMetrics(new CollectorRegistry()));
        PartitionMaster master = new PartitionMaster(
                MasterConfig.from(settings),
                Transport.PLAIN,
                new MasterMetrics(new CollectorRegistry()),
                dfs,
                faults::add);
        try (Channels channels = new Channels();
                master) {
            assertThat(master.readiness().ready()).isFalse();
            master.metricsAt("127.0.0.1:9");
            master.start();
            assertThat(master.found()
                            .orTimeout(120, TimeUnit.SECONDS)
                            .join()
                            .getStatus()
                            .getCode())
                    .isEqualTo(ErrorCode.OK);
            Await.until("readiness", () -> master.readiness().ready());
            Iterator<MapUpdate> watch = MapWatchGrpc.newBlockingStub(channels.to(master.address()))
                    .watch(WatchRequest.newBuilder()
                            .setFrontEnd("f1")
                            .setAdmin("127.0.0.1:8")
                            .build());
            MapUpdate first = watch.next();
            while (first.getRowsCount() == 0) {
                first = watch.next();
            }
            assertThat(first.getRowsCount()).isEqualTo(1);
            StatusReply status =
                    StatusCall.ask(channels.to(master.address()), StatusRequest.getDefaultInstance(), 30_000_000_000L);
            assertThat(status.getStatus().getCode()).isEqualTo(ErrorCode.OK);
            assertThat(status.getLeader()).isEqualTo(master.address());
            assertThat(status.getPeers(0).getRole()).isEqualTo("LEADER");
            assertThat(status.getAdmin()).isEqualTo("127.0.0.1:9");
            assertThat(status.getFrontEndsList())
                    .containsExactly(FrontEndSeen.newBuilder()
                            .setId("f1")
                            .setAdmin("127.0.0.1:8")
                            .build());
        }
        dfs.close();
        assertThat(faults).isEmpty();
    }

    @Test
    void whatOperatorsDidIsKnownToTheNextLeaderWithTheirNames() {
        try (Masters masters = new Masters(dir, 3);
                Channels channels = new Channels()) {
            channels.asOperator(() -> "alice@laptop");
            masters.startAll();
            masters.watcher.start();
            Await.until(
                    "the level", () -> acts(channels, masters.leader(), masters).getRecorded());
            String leader = masters.leader();
            Setting split = Setting.newBuilder()
                    .setName("balancer.split")
                    .setValue("false")
                    .build();
            SettingsReply changed = AdminGrpc.newBlockingStub(channels.to(masters.address(leader)))
                    .withDeadlineAfter(TIMEOUT_NANOS, TimeUnit.NANOSECONDS)
                    .changeSettings(
                            SettingsChange.newBuilder().addSettings(split).build());
            assertThat(changed.getStatus().getCode()).isEqualTo(ErrorCode.OK);

            masters.stop(leader);

            Await.until(
                    "the next leader",
                    () -> !masters.leader().equals(leader)
                            && acts(channels, masters.leader(), masters).getActsCount() == 1);
            OperatorAct act = acts(channels, masters.leader(), masters).getActs(0);
            assertThat(act.getCaller()).isEqualTo("loopback");
            assertThat(act.getTold()).isEqualTo("alice@laptop");
            assertThat(act.getWhat()).isEqualTo("set");
            assertThat(act.getArguments()).isEqualTo("balancer.split=false");
            assertThat(act.getOutcome()).isEqualTo("OK");
            assertThat(Ticks.toInstant(act.getTicks())).isBefore(Instant.now());
        }
    }

    /** None while nobody leads. */
    private static ActsReply acts(Channels channels, String leader, Masters masters) {
        return AdminGrpc.newBlockingStub(channels.to(masters.address(leader)))
                .withDeadlineAfter(TIMEOUT_NANOS, TimeUnit.NANOSECONDS)
                .listActs(ActsRequest.getDefaultInstance());
    }

    @Test
    void aServersLifeGoesOnUnderTheNextLeader() {
        try (Masters masters = new Masters(dir, 3)) {
            masters.startAll();
            masters.watcher.start();
            Incarnation server = register(masters, "s1", "127.0.0.1:1");
            Orders orders = new Orders(masters, server);
            Row row = Row.fromWire(orders.next());
            assertThat(takeOver(masters, server, row).getStatus().getCode()).isEqualTo(ErrorCode.OK);
            String leader = masters.leader();

            masters.stop(leader);

            Await.until(
                    "the watcher to see the owner",
                    () -> server.equals(only(masters).owner()));
            Row owned = only(masters);
            CommandReply published = masters.client
                    .publish(
                            PublishRequest.newBuilder()
                                    .setIncarnation(server.toWire())
                                    .setRange(owned.id())
                                    .setVersion(owned.version())
                                    .setManifest("m/2")
                                    .build(),
                            TIMEOUT_NANOS)
                    .join();
            assertThat(published.getStatus().getCode()).isEqualTo(ErrorCode.OK);
            Await.until(
                    "the watcher to see it", () -> "m/2".equals(only(masters).manifest()));
            masters.start(leader);
            masters.awaitAllReady();
        }
    }

    @Test
    void aLeaderThatEndsHandsItsLeadershipOverFirst() {
        try (Masters masters = new Masters(dir, 3)) {
            masters.startAll();
            masters.watcher.start();
            String leader = masters.leader();

            assertThat(handsOver(masters, leader)).isTrue();

            assertThat(handsOver(masters, leader)).isTrue(); // It does not lead any more.
            Await.until("another leader", () -> !masters.leader().equals(leader));
        }
    }

    @Test
    void aMasterThatIsAloneEndsAsALeader() {
        try (Masters masters = new Masters(dir, 1)) {
            masters.startAll();
            assertThat(handsOver(masters, "m1")).isFalse();
        }
    }

    private static boolean handsOver(Masters masters, String id) {
        return masters.master(id).handOver().orTimeout(120, TimeUnit.SECONDS).join();
    }

    @Test
    void aMasterWithoutQuorumIsNotReadyAndAnswersNoCommand() {
        try (Masters masters = new Masters(dir, 3)) {
            masters.startAll();
            List.of("m1", "m2", "m3").forEach(masters::stop);
            masters.start("m1");
            RegisterReply reply = MasterGrpc.newBlockingStub(masters.channels.to(masters.address("m1")))
                    .register(registration(masters, "s1", "127.0.0.1:1"));
            assertThat(reply.getStatus().getCode()).isEqualTo(ErrorCode.NOT_LEADER);
            assertThat(masters.master("m1").readiness().ready()).isFalse();
            masters.start("m2");
            masters.awaitReady("m1");
            masters.stop("m2");
            Await.until(
                    "the loss to be seen",
                    () -> !masters.master("m1").readiness().ready());
        }
    }

    @Test
    void badRequestsGetAnErrorAndHurtNobody() {
        try (Masters masters = new Masters(dir, 1)) {
            masters.startAll();
            Incarnation server = register(masters, "s1", "127.0.0.1:1");
            var stub = MasterGrpc.newBlockingStub(masters.channels.to(masters.address("m1")));
            Status badName =
                    stub.register(registration(masters, "bad name", "a:1")).getStatus();
            assertThat(badName.getCode()).as(badName.getMessage()).isEqualTo(ErrorCode.INVALID);
            assertThat(stub.register(registration(masters, "s2", "a:1").toBuilder()
                                    .setLevels(FeatureLevels.SUPPORTED.toWire())
                                    .setClockTicks(0)
                                    .build())
                            .getStatus()
                            .getCode())
                    .isEqualTo(ErrorCode.INVALID);
            HandoffRequest backwards = HandoffRequest.newBuilder()
                    .setBy(server.toWire())
                    .addTargets(HandoffTarget.newBuilder()
                            .setStart(ByteString.copyFromUtf8("b"))
                            .setEnd(ByteString.copyFromUtf8("a")))
                    .build();
            assertThat(stub.commitHandoff(backwards).getStatus().getCode()).isEqualTo(ErrorCode.INVALID);
            assertThat(stub.commitHandoff(HandoffRequest.getDefaultInstance())
                            .getStatus()
                            .getCode())
                    .isEqualTo(ErrorCode.DEAD_INCARNATION);
            assertThat(stub.dropTable(DropTableRequest.getDefaultInstance())
                            .getStatus()
                            .getCode())
                    .isEqualTo(ErrorCode.INVALID);
            assertThat(stub.publish(PublishRequest.getDefaultInstance())
                            .getStatus()
                            .getCode())
                    .isEqualTo(ErrorCode.DEAD_INCARNATION);
            HandoffRequest tooLarge = HandoffRequest.newBuilder()
                    .setBy(server.toWire())
                    .addTargets(HandoffTarget.newBuilder().setManifest("x".repeat(2 << 20)))
                    .build();
            assertThat(stub.commitHandoff(tooLarge).getStatus().getCode()).isEqualTo(ErrorCode.INVALID);
            assertThat(register(masters, "s3", "127.0.0.1:3").server()).isEqualTo("s3");
        }
    }

    private static Row only(Masters masters) {
        return masters.watcher.current().rows().iterator().next();
    }

    private static RegisterRequest registration(Masters masters, String server, String address) {
        return RegisterRequest.newBuilder()
                .setServer(server)
                .setAddress(address)
                .setCluster(masters.cluster())
                .setDfs(masters.dfsId())
                .setLevels(FeatureLevels.SUPPORTED.toWire())
                .setClockTicks(Ticks.of(Instant.now()))
                .build();
    }

    private static Incarnation register(Masters masters, String server, String address) {
        RegisterReply reply = masters.client
                .register(registration(masters, server, address), TIMEOUT_NANOS)
                .join();
        assertThat(reply.getStatus().getCode()).isEqualTo(ErrorCode.OK);
        return Incarnation.fromWire(reply.getIncarnation());
    }

    private static CommandReply takeOver(Masters masters, Incarnation by, Row row) {
        HandoffRequest request = HandoffRequest.newBuilder()
                .setBy(by.toWire())
                .addSources(HandoffSource.newBuilder().setRange(row.id()).setVersion(row.version()))
                .addTargets(HandoffTarget.newBuilder()
                        .setStart(row.range().startToWire())
                        .setEnd(row.range().endToWire())
                        .setOwner(by.toWire())
                        .setManifest("m/of-" + by))
                .build();
        return masters.client.commitHandoff(request, TIMEOUT_NANOS).join();
    }

    /** A server's heartbeat stream, kept up as long as it lives. */
    private static final class Orders implements StreamObserver<HeartbeatReply> {
        private final Masters masters;
        private final Incarnation server;
        private final CompletableFuture<RangeRow> first = new CompletableFuture<>();
        private final String dfs;
        private volatile StreamObserver<HeartbeatRequest> up;

        Orders(Masters masters, Incarnation server) {
            this.masters = masters;
            this.server = server;
            this.dfs = masters.dfsId();
            this.up = masters.client.heartbeat(this);
            masters.loop.submit(this::beat);
        }

        private void beat() {
            HeartbeatRequest.Builder heartbeat = HeartbeatRequest.newBuilder()
                    .setIncarnation(server.toWire())
                    .setDfs(dfs)
                    .setWhole(true);
            for (Row row : masters.watcher.current().rows()) {
                if (server.equals(row.owner())) {
                    heartbeat.addRanges(
                            RangeLoad.newBuilder().setRange(row.id()).setEpoch(row.epoch()));
                }
            }
            up.onNext(heartbeat.build());
            masters.loop.schedule(100_000_000, this::beat);
        }

        RangeRow next() {
            return first.orTimeout(120, TimeUnit.SECONDS).join();
        }

        @Override
        public void onNext(HeartbeatReply reply) {
            if (reply.getOpenCount() > 0) {
                first.complete(reply.getOpen(0));
            }
        }

        @Override
        public void onError(Throwable failure) {
            reopen();
        }

        @Override
        public void onCompleted() {
            reopen();
        }

        private void reopen() {
            masters.loop.schedule(50_000_000, () -> up = masters.client.heartbeat(this));
        }
    }
}
