package cleave.route.rpc;

import cleave.route.MapView;
import cleave.route.rpc.MasterCall.Kind;
import cleave.runtime.loop.Backoff;
import cleave.runtime.loop.EventLoop;
import cleave.runtime.rpc.Address;
import cleave.runtime.rpc.Channels;
import cleave.wire.AllocateReply;
import cleave.wire.AllocateRequest;
import cleave.wire.CommandReply;
import cleave.wire.DropTableRequest;
import cleave.wire.Fence;
import cleave.wire.HandoffRequest;
import cleave.wire.HeartbeatReply;
import cleave.wire.HeartbeatRequest;
import cleave.wire.MasterGrpc;
import cleave.wire.PublishRequest;
import cleave.wire.RegisterReply;
import cleave.wire.RegisterRequest;
import io.grpc.MethodDescriptor;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/**
 * Commands to the leading master. Thread-safe; the futures complete inside the loop, always with a reply.
 *
 * <p>Every command is idempotent: one whose result the map already shows is answered "done", unused table ids are only lost, a second
 * registration ends the first, and a second Delete Table joins the first. So all are sent until a leader answers. At the timeout the reply
 * is UNKNOWN_OUTCOME if any attempt may have been executed, else UNAVAILABLE; never NOT_LEADER.
 */
public final class MasterClient {
    /** The patience for one attempt. */
    private static final long ANSWER_NANOS_MAX = 2_000_000_000;
    /** The patience for one attempt of a Delete Table. */
    private static final long DROP_ANSWER_NANOS_MAX = 10_000_000_000L;

    private static final Backoff BACKOFF = new Backoff(10_000_000, 200_000_000);

    private static final Kind<RegisterRequest, RegisterReply> REGISTER = new Kind<>(
            MasterGrpc.getRegisterMethod(),
            ANSWER_NANOS_MAX,
            RegisterReply::getStatus,
            status -> RegisterReply.newBuilder().setStatus(status).build());
    private static final Kind<PublishRequest, CommandReply> PUBLISH =
            command(MasterGrpc.getPublishMethod(), ANSWER_NANOS_MAX);
    private static final Kind<HandoffRequest, CommandReply> COMMIT_HANDOFF =
            command(MasterGrpc.getCommitHandoffMethod(), ANSWER_NANOS_MAX);
    private static final Kind<Fence, CommandReply> ARM_FENCE =
            command(MasterGrpc.getArmFenceMethod(), ANSWER_NANOS_MAX);
    private static final Kind<DropTableRequest, CommandReply> DROP_TABLE =
            command(MasterGrpc.getDropTableMethod(), DROP_ANSWER_NANOS_MAX);
    private static final Kind<AllocateRequest, AllocateReply> ALLOCATE = new Kind<>(
            MasterGrpc.getAllocateTableIdsMethod(),
            ANSWER_NANOS_MAX,
            AllocateReply::getStatus,
            status -> AllocateReply.newBuilder().setStatus(status).build());

    private final Channels channels;
    private final LeaderGuess leader;
    private final MasterCall.Outside outside;

    /**
     * IllegalArgumentException if there is no master, or one is no address. The random is used inside the loop only.
     *
     * @param masters the initial masters; a map names others
     */
    public MasterClient(EventLoop loop, Channels channels, List<String> masters, Random random) {
        masters.forEach(Address::parse);
        this.channels = channels;
        this.leader = new LeaderGuess(masters);
        this.outside = new MasterCall.Outside(loop, new UnaryCalls(channels), leader, BACKOFF, random);
    }

    private static <Q> Kind<Q, CommandReply> command(MethodDescriptor<Q, CommandReply> method, long answerNanosMax) {
        return new Kind<>(
                method,
                answerNanosMax,
                CommandReply::getStatus,
                status -> CommandReply.newBuilder().setStatus(status).build());
    }

    /** Learns the masters and their leader from a watched map. */
    public void follow(MapView map) {
        map.onChange(() -> leader.learn(map.current().masters()));
    }

    /** The address of the master that is assumed to lead. */
    String leader() {
        return leader.current();
    }

    public CompletableFuture<RegisterReply> register(RegisterRequest request, long timeoutNanos) {
        return new MasterCall<>(outside, REGISTER, request).begin(timeoutNanos);
    }

    public CompletableFuture<CommandReply> publish(PublishRequest request, long timeoutNanos) {
        return new MasterCall<>(outside, PUBLISH, request).begin(timeoutNanos);
    }

    public CompletableFuture<CommandReply> commitHandoff(HandoffRequest request, long timeoutNanos) {
        return new MasterCall<>(outside, COMMIT_HANDOFF, request).begin(timeoutNanos);
    }

    public CompletableFuture<CommandReply> armFence(Fence fence, long timeoutNanos) {
        return new MasterCall<>(outside, ARM_FENCE, fence).begin(timeoutNanos);
    }

    public CompletableFuture<AllocateReply> allocateTableIds(int count, long timeoutNanos) {
        AllocateRequest request = AllocateRequest.newBuilder().setCount(count).build();
        return new MasterCall<>(outside, ALLOCATE, request).begin(timeoutNanos);
    }

    public CompletableFuture<CommandReply> dropTable(DropTableRequest request, long timeoutNanos) {
        return new MasterCall<>(outside, DROP_TABLE, request).begin(timeoutNanos);
    }

    /**
     * Opens a stream of heartbeats to the master that is assumed to lead. After the end of a stream, or NOT_LEADER, another one is assumed;
     * the caller opens a new stream after a moment. The observer is called on the network's threads.
     */
    public StreamObserver<HeartbeatRequest> heartbeat(StreamObserver<HeartbeatReply> replies) {
        String address = leader.current();
        return MasterGrpc.newStub(channels.to(address)).heartbeat(new LearningObserver(leader, address, replies));
    }
}
