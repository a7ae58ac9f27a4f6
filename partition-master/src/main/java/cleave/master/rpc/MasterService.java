package cleave.master.rpc;

import cleave.master.core.Heartbeats;
import cleave.master.core.MasterLoop;
import cleave.master.membership.OwnMembership;
import cleave.master.servers.Session;
import cleave.master.state.AnswerCodec;
import cleave.master.state.CommandCodec;
import cleave.master.state.Drop;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand;
import cleave.model.Incarnation;
import cleave.model.KnownFields;
import cleave.wire.AllocateReply;
import cleave.wire.AllocateRequest;
import cleave.wire.CommandReply;
import cleave.wire.DropTableRequest;
import cleave.wire.Fence;
import cleave.wire.HandoffRequest;
import cleave.wire.HeartbeatReply;
import cleave.wire.HeartbeatRequest;
import cleave.wire.MasterGrpc.MasterImplBase;
import cleave.wire.PublishRequest;
import cleave.wire.RegisterReply;
import cleave.wire.RegisterRequest;
import cleave.wire.SupportedLevelsReply;
import cleave.wire.SupportedLevelsRequest;
import com.google.protobuf.MessageOrBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/** The requests of partition servers and front ends to the leader, over gRPC. Thread-safe. */
final class MasterService extends MasterImplBase {
    private final MasterLoop master;
    private final OwnMembership membership;

    MasterService(MasterLoop master, OwnMembership membership) {
        this.master = master;
        this.membership = membership;
    }

    @Override
    public void register(RegisterRequest request, StreamObserver<RegisterReply> observer) {
        Replies.send(observer, Replies.valid(() -> master.registration().register(request)), this::registered);
    }

    private RegisterReply registered(MasterAnswer answer) {
        RegisterReply.Builder reply =
                RegisterReply.newBuilder().setStatus(AnswerCodec.status(answer)).setLevel(master.clusterLevel());
        Incarnation incarnation = answer.incarnation();
        return incarnation == null
                ? reply.build()
                : reply.setIncarnation(incarnation.toWire()).build();
    }

    @Override
    public void supportedLevels(SupportedLevelsRequest request, StreamObserver<SupportedLevelsReply> observer) {
        CompletableFuture<SupportedLevelsReply> answer = membership
                .askCluster()
                .thenApply(cluster ->
                        master.supportedLevels().toBuilder().setCluster(cluster).build());
        Replies.send(observer, answer, Function.identity());
    }

    @Override
    public StreamObserver<HeartbeatRequest> heartbeat(StreamObserver<HeartbeatReply> observer) {
        GrpcHeartbeatSink sink = new GrpcHeartbeatSink((ServerCallStreamObserver<HeartbeatReply>) observer);
        Heartbeats heartbeats = master.heartbeats();
        Session session = heartbeats.open(sink);
        return new StreamObserver<>() {
            @Override
            public void onNext(HeartbeatRequest heartbeat) {
                heartbeats.heard(session, heartbeat);
            }

            @Override
            public void onError(Throwable broken) {
                heartbeats.broken(session);
            }

            @Override
            public void onCompleted() {
                heartbeats.broken(session);
            }
        };
    }

    @Override
    public void publish(PublishRequest request, StreamObserver<CommandReply> observer) {
        execute(() -> CommandCodec.fromWire(understood(request)), observer);
    }

    @Override
    public void commitHandoff(HandoffRequest request, StreamObserver<CommandReply> observer) {
        execute(() -> CommandCodec.fromWire(understood(request)), observer);
    }

    @Override
    public void armFence(Fence request, StreamObserver<CommandReply> observer) {
        execute(() -> CommandCodec.fromWire(understood(request)), observer);
    }

    /** Refuses a command with fields that this version does not know. */
    private static <T extends MessageOrBuilder> T understood(T request) {
        KnownFields.check("the request", request);
        return request;
    }

    private void execute(Supplier<MasterCommand> command, StreamObserver<CommandReply> observer) {
        Replies.send(observer, Replies.valid(() -> master.execute(command.get())), Replies::command);
    }

    @Override
    public void allocateTableIds(AllocateRequest request, StreamObserver<AllocateReply> observer) {
        Replies.send(
                observer,
                Replies.valid(() -> master.execute(CommandCodec.fromWire(understood(request)))),
                answer -> AllocateReply.newBuilder()
                        .setStatus(AnswerCodec.status(answer))
                        .setFirst(answer.firstTable())
                        .build());
    }

    @Override
    public void dropTable(DropTableRequest request, StreamObserver<CommandReply> observer) {
        CompletableFuture<MasterAnswer> answer = Replies.valid(() -> {
            Drop asked = CommandCodec.fromWire(understood(request)).drop();
            return master.dropTable(new Drop(asked.account(), asked.name().toLowerCase(Locale.ROOT), asked.table()));
        });
        Replies.send(observer, answer, Replies::command);
    }
}
