package cleave.route.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.route.ManualMapView;
import cleave.runtime.loop.ThreadLoop;
import cleave.runtime.rpc.Channels;
import cleave.runtime.rpc.RpcServer;
import cleave.wire.AllocateReply;
import cleave.wire.AllocateRequest;
import cleave.wire.CommandReply;
import cleave.wire.DropTableRequest;
import cleave.wire.ErrorCode;
import cleave.wire.HandoffRequest;
import cleave.wire.HeartbeatReply;
import cleave.wire.HeartbeatRequest;
import cleave.wire.MapUpdate;
import cleave.wire.MasterGrpc;
import cleave.wire.MasterList;
import cleave.wire.PublishRequest;
import cleave.wire.RegisterReply;
import cleave.wire.RegisterRequest;
import cleave.wire.Status;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class MasterClientIT {
    private static final long LONG = TimeUnit.SECONDS.toNanos(30);
    private static final long SHORT = TimeUnit.MILLISECONDS.toNanos(300);

    /** Answers the n-th command (from 1) as given; a null status breaks the call. */
    private static final class FakeMaster extends MasterGrpc.MasterImplBase {
        private final IntFunction<Status> answers;
        private final AtomicInteger commands = new AtomicInteger();
        private final BlockingQueue<StreamObserver<HeartbeatReply>> heartbeats = new LinkedBlockingQueue<>();

        FakeMaster(IntFunction<Status> answers) {
            this.answers = answers;
        }

        private Status next() {
            Status status = answers.apply(commands.incrementAndGet());
            if (status.getCode() == ErrorCode.INVALID) {
                throw new IllegalStateException("the test breaks this call");
            }
            return status;
        }

        @Override
        public void publish(PublishRequest request, StreamObserver<CommandReply> reply) {
            reply.onNext(CommandReply.newBuilder().setStatus(next()).build());
            reply.onCompleted();
        }

        @Override
        public void commitHandoff(HandoffRequest request, StreamObserver<CommandReply> reply) {
            reply.onNext(CommandReply.newBuilder().setStatus(next()).build());
            reply.onCompleted();
        }

        @Override
        public void dropTable(DropTableRequest request, StreamObserver<CommandReply> reply) {
            reply.onNext(CommandReply.newBuilder().setStatus(next()).build());
            reply.onCompleted();
        }

        @Override
        public void register(RegisterRequest request, StreamObserver<RegisterReply> reply) {
            reply.onNext(RegisterReply.newBuilder().setStatus(next()).build());
            reply.onCompleted();
        }

        @Override
        public void allocateTableIds(AllocateRequest request, StreamObserver<AllocateReply> reply) {
            reply.onNext(AllocateReply.newBuilder()
                    .setStatus(next())
                    .setFirst(100L * request.getCount())
                    .build());
            reply.onCompleted();
        }

        @Override
        public StreamObserver<HeartbeatRequest> heartbeat(StreamObserver<HeartbeatReply> replies) {
            heartbeats.add(replies);
            return new StreamObserver<>() {
                @Override
                public void onNext(HeartbeatRequest request) {
                    replies.onNext(HeartbeatReply.newBuilder().setStatus(next()).build());
                }

                @Override
                public void onError(Throwable failure) {}

                @Override
                public void onCompleted() {}
            };
        }
    }

    private static Status status(ErrorCode code, String message) {
        return Status.newBuilder().setCode(code).setMessage(message).build();
    }

    private static final Status DONE = status(ErrorCode.OK, "");
    /** Makes the fake break the call. */
    private static final Status BREAK = status(ErrorCode.INVALID, "");

    private final Channels channels = new Channels();
    private final ThreadLoop loop = new ThreadLoop("master-client-it", fault -> {});

    @AfterEach
    void close() {
        loop.close();
        channels.close();
    }

    private MasterClient client(String... masters) {
        return new MasterClient(loop, channels, List.of(masters), new Random(1));
    }

    private static <A> A get(CompletableFuture<A> answer) throws Exception {
        return answer.get(60, TimeUnit.SECONDS);
    }

    private static ErrorCode publish(MasterClient client, long timeoutNanos) throws Exception {
        return get(client.publish(PublishRequest.getDefaultInstance(), timeoutNanos))
                .getStatus()
                .getCode();
    }

    @Test
    void leaderIsFoundByTheNameInTheRefusal() throws Exception {
        FakeMaster leader = new FakeMaster(n -> DONE);
        FakeMaster idle = new FakeMaster(n -> DONE);
        FakeMaster follower = new FakeMaster(n -> status(ErrorCode.NOT_LEADER, "the leader is inproc:m-three"));
        try (RpcServer one = RpcServer.start("inproc:m-one", follower);
                RpcServer two = RpcServer.start("inproc:m-two", idle);
                RpcServer three = RpcServer.start("inproc:m-three", leader)) {
            MasterClient client = client(one.address(), two.address(), three.address());
            assertThat(publish(client, LONG)).isEqualTo(ErrorCode.OK);
            assertThat(client.leader()).isEqualTo(three.address());
            assertThat(publish(client, LONG)).isEqualTo(ErrorCode.OK);
            assertThat(follower.commands).hasValue(1);
            assertThat(idle.commands).hasValue(0);
        }
    }

    @Test
    void everyCommandGoesThroughDeadMastersAndBrokenCalls() throws Exception {
        FakeMaster leader = new FakeMaster(n -> n % 2 == 1 ? BREAK : DONE);
        try (RpcServer server = RpcServer.start("127.0.0.1:0", leader)) {
            MasterClient client = client("127.0.0.1:1", server.address());
            assertThat(publish(client, LONG)).isEqualTo(ErrorCode.OK);
            assertThat(get(client.commitHandoff(HandoffRequest.getDefaultInstance(), LONG))
                            .getStatus())
                    .isEqualTo(DONE);
            assertThat(get(client.dropTable(DropTableRequest.getDefaultInstance(), LONG))
                            .getStatus())
                    .isEqualTo(DONE);
            assertThat(get(client.register(RegisterRequest.getDefaultInstance(), LONG))
                            .getStatus())
                    .isEqualTo(DONE);
            assertThat(get(client.allocateTableIds(3, LONG)).getFirst()).isEqualTo(300);
        }
    }

    @Test
    void refusalsThatAreTheTruthArePassedOn() throws Exception {
        FakeMaster leader = new FakeMaster(n -> status(ErrorCode.STALE_VERSION, "7 after 9"));
        try (RpcServer server = RpcServer.start("inproc:m-stale", leader)) {
            assertThat(publish(client(server.address()), LONG)).isEqualTo(ErrorCode.STALE_VERSION);
            assertThat(leader.commands).hasValue(1);
        }
    }

    @Test
    void withoutAnyMasterACommandIsNotExecuted() throws Exception {
        assertThat(publish(client("127.0.0.1:1", "inproc:nobody"), SHORT)).isEqualTo(ErrorCode.UNAVAILABLE);
    }

    @Test
    void commandWhoseCallBrokeIsOfUnknownOutcomeAtTheTimeout() throws Exception {
        try (RpcServer server = RpcServer.start("inproc:m-breaks", new FakeMaster(n -> BREAK))) {
            assertThat(publish(client(server.address()), SHORT)).isEqualTo(ErrorCode.UNKNOWN_OUTCOME);
        }
    }

    @Test
    void commandThatOnlyFollowersRefusedIsUnavailableAndNeverNotLeader() throws Exception {
        FakeMaster follower = new FakeMaster(n -> status(ErrorCode.NOT_LEADER, ""));
        try (RpcServer server = RpcServer.start("inproc:m-follows", follower)) {
            assertThat(publish(client(server.address()), SHORT)).isEqualTo(ErrorCode.UNAVAILABLE);
            assertThat(follower.commands.get()).isGreaterThan(1);
        }
    }

    @Test
    void mapTellsWhoLeads() {
        ManualMapView map = new ManualMapView();
        MasterClient client = client("m:1", "m:2");
        client.follow(map);
        map.apply(MapUpdate.newBuilder().setVersion(1).setLeader("m:2").build());
        assertThat(client.leader()).isEqualTo("m:2");
    }

    @Test
    void commandReachesALeaderThatOnlyTheMapTellsOf() throws Exception {
        try (RpcServer server = RpcServer.start("inproc:m-learnt", new FakeMaster(n -> DONE))) {
            ManualMapView map = new ManualMapView();
            MasterClient client = client("inproc:m-long-gone");
            client.follow(map);
            map.apply(MapUpdate.newBuilder()
                    .setVersion(1)
                    .setMasters(MasterList.newBuilder().setVersion(1).addAddresses(server.address()))
                    .build());
            assertThat(publish(client, LONG)).isEqualTo(ErrorCode.OK);
        }
    }

    @Test
    void heartbeatsLearnWhoLeadsFromRefusalsAndBrokenStreams() throws Exception {
        FakeMaster follower = new FakeMaster(n -> status(ErrorCode.NOT_LEADER, "ask inproc:m-beat-two"));
        FakeMaster leader = new FakeMaster(n -> DONE);
        RpcServer two = RpcServer.start("inproc:m-beat-two", leader);
        try (RpcServer one = RpcServer.start("inproc:m-beat-one", follower)) {
            MasterClient client = client(one.address(), two.address());
            Replies first = new Replies();
            client.heartbeat(first).onNext(HeartbeatRequest.getDefaultInstance());
            assertThat(first.next()).isEqualTo("NOT_LEADER");
            assertThat(client.leader()).isEqualTo(two.address());
            Replies second = new Replies();
            client.heartbeat(second).onNext(HeartbeatRequest.getDefaultInstance());
            assertThat(second.next()).isEqualTo("OK");
            two.close(Duration.ZERO);
            assertThat(second.next()).isEqualTo("broken");
            assertThat(client.leader()).isEqualTo(one.address());
        }
    }

    private static final class Replies implements StreamObserver<HeartbeatReply> {
        private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();

        String next() throws InterruptedException {
            String what = heard.poll(60, TimeUnit.SECONDS);
            return what == null ? "nothing" : what;
        }

        @Override
        public void onNext(HeartbeatReply reply) {
            heard.add(reply.getStatus().getCode().name());
        }

        @Override
        public void onError(Throwable failure) {
            heard.add("broken");
        }

        @Override
        public void onCompleted() {
            heard.add("ended");
        }
    }
}
