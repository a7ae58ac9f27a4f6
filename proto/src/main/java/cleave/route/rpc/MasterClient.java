package cleave.route.rpc;

import cleave.route.MapView;
import cleave.route.RetryPolicy;
import cleave.runtime.loop.EventLoop;
import cleave.runtime.rpc.Address;
import cleave.runtime.rpc.Channels;
import cleave.wire.AllocateReply;
import cleave.wire.AllocateRequest;
import cleave.wire.CommandReply;
import cleave.wire.DropTableRequest;
import cleave.wire.ErrorCode;
import cleave.wire.HandoffRequest;
import cleave.wire.HeartbeatReply;
import cleave.wire.HeartbeatRequest;
import cleave.wire.MasterGrpc;
import cleave.wire.PublishRequest;
import cleave.wire.RegisterReply;
import cleave.wire.RegisterRequest;
import cleave.wire.Status;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/**
 * Commands to whichever master leads. Thread-safe; the futures complete inside the loop, always with a reply.
 *
 * <p>Every command may be sent again, with the same content, whatever became of it: one whose result the map already shows
 * answers "done", unused table ids are only lost, a second registration ends the first, and a second Delete Table
 * joins the first. So all are sent until a leader answers. At the timeout the reply is UNKNOWN_OUTCOME if any sending may have
 * been executed, else UNAVAILABLE; never NOT_LEADER.
 */
public final class MasterClient {
    /** For one answer; the next sending goes to another master then. */
    private static final long ANSWER_NANOS_MAX = 2_000_000_000;
    /** The end of a Delete Table is waited for longer. */
    private static final long DROP_ANSWER_NANOS_MAX = 10_000_000_000L;

    private static final RetryPolicy POLICY = new RetryPolicy(10_000_000, 200_000_000);

    private final EventLoop loop;
    private final Channels channels;
    private final UnaryCalls calls;
    private final LeaderGuess leader;
    private final Random random;

    /**
     * IllegalArgumentException if there is no master, or one is no address. The random is used inside the loop only.
     *
     * @param masters those to begin with; others are learnt from a map
     */
    public MasterClient(EventLoop loop, Channels channels, List<String> masters, Random random) {
        masters.forEach(Address::parse);
        this.loop = loop;
        this.channels = channels;
        this.calls = new UnaryCalls(channels);
        this.leader = new LeaderGuess(masters);
        this.random = random;
    }

    /** Learns from a watched map who the masters are, and which of them leads. */
    public void follow(MapView map) {
        map.onChange(() -> leader.learn(map.current().masters()));
    }

    /** The address of the master that is believed to lead. */
    String leader() {
        return leader.current();
    }

    public CompletableFuture<RegisterReply> register(RegisterRequest request, long timeoutNanos) {
        MasterCall.Sender<RegisterReply> sender = (address, nanos) ->
                calls.call(address, MasterGrpc.getRegisterMethod(), request, Math.min(nanos, ANSWER_NANOS_MAX));
        return run(sender, RegisterReply::getStatus, MasterClient::registerReply, timeoutNanos);
    }

    public CompletableFuture<CommandReply> publish(PublishRequest request, long timeoutNanos) {
        MasterCall.Sender<CommandReply> sender = (address, nanos) ->
                calls.call(address, MasterGrpc.getPublishMethod(), request, Math.min(nanos, ANSWER_NANOS_MAX));
        return run(sender, CommandReply::getStatus, MasterClient::commandReply, timeoutNanos);
    }

    public CompletableFuture<CommandReply> commitHandoff(HandoffRequest request, long timeoutNanos) {
        MasterCall.Sender<CommandReply> sender = (address, nanos) ->
                calls.call(address, MasterGrpc.getCommitHandoffMethod(), request, Math.min(nanos, ANSWER_NANOS_MAX));
        return run(sender, CommandReply::getStatus, MasterClient::commandReply, timeoutNanos);
    }

    public CompletableFuture<AllocateReply> allocateTableIds(int count, long timeoutNanos) {
        AllocateRequest request = AllocateRequest.newBuilder().setCount(count).build();
        MasterCall.Sender<AllocateReply> sender = (address, nanos) ->
                calls.call(address, MasterGrpc.getAllocateTableIdsMethod(), request, Math.min(nanos, ANSWER_NANOS_MAX));
        return run(sender, AllocateReply::getStatus, MasterClient::allocateReply, timeoutNanos);
    }

    public CompletableFuture<CommandReply> dropTable(DropTableRequest request, long timeoutNanos) {
        MasterCall.Sender<CommandReply> sender = (address, nanos) ->
                calls.call(address, MasterGrpc.getDropTableMethod(), request, Math.min(nanos, DROP_ANSWER_NANOS_MAX));
        return run(sender, CommandReply::getStatus, MasterClient::commandReply, timeoutNanos);
    }

    /**
     * Opens a stream of heartbeats to the master that is believed to lead. A stream that ends, or that answers NOT_LEADER,
     * moves the belief on: the caller just opens another one, after a moment. The observer is called on the network's threads.
     */
    public StreamObserver<HeartbeatRequest> heartbeat(StreamObserver<HeartbeatReply> replies) {
        String address = leader.current();
        return MasterGrpc.newStub(channels.to(address)).heartbeat(new LearningObserver(leader, address, replies));
    }

    private <A> CompletableFuture<A> run(
            MasterCall.Sender<A> sender, MasterCall.StatusOf<A> status, MasterCall.Made<A> made, long timeoutNanos) {
        CompletableFuture<A> answer = new CompletableFuture<>();
        MasterCall<A> call = new MasterCall<>(
                new MasterCall.Surroundings(loop, leader, POLICY, random), sender, status, made, answer);
        loop.submit(() -> call.begin(timeoutNanos));
        return answer;
    }

    private static Status status(ErrorCode code, String message) {
        return Status.newBuilder().setCode(code).setMessage(message).build();
    }

    private static RegisterReply registerReply(ErrorCode code, String message) {
        return RegisterReply.newBuilder().setStatus(status(code, message)).build();
    }

    private static CommandReply commandReply(ErrorCode code, String message) {
        return CommandReply.newBuilder().setStatus(status(code, message)).build();
    }

    private static AllocateReply allocateReply(ErrorCode code, String message) {
        return AllocateReply.newBuilder().setStatus(status(code, message)).build();
    }
}
