package cleave.master.rpc;

import cleave.master.core.MasterLoop;
import cleave.master.core.Operator;
import cleave.master.core.OperatorActs;
import cleave.master.core.OperatorActs.Answers;
import cleave.master.core.StatusFeed;
import cleave.master.core.StreamSink;
import cleave.master.membership.OwnMembership;
import cleave.master.state.AnswerCodec;
import cleave.master.state.CommandCodec;
import cleave.master.state.MasterAnswer;
import cleave.master.state.MasterCommand.Restore;
import cleave.master.state.SettingsCodec;
import cleave.runtime.rpc.Advertised;
import cleave.runtime.rpc.Caller;
import cleave.runtime.rpc.Callers;
import cleave.runtime.tls.PeerRole;
import cleave.wire.ActsReply;
import cleave.wire.ActsRequest;
import cleave.wire.AdminDrainRequest;
import cleave.wire.AdminGrpc.AdminImplBase;
import cleave.wire.AdminMergeRequest;
import cleave.wire.AdminMoveRequest;
import cleave.wire.AdminSplitRequest;
import cleave.wire.CancelHandoffRequest;
import cleave.wire.ChangeMastersRequest;
import cleave.wire.CommandReply;
import cleave.wire.ErrorCode;
import cleave.wire.EventsReply;
import cleave.wire.EventsRequest;
import cleave.wire.FrontEndSeen;
import cleave.wire.GroupMember;
import cleave.wire.HandoffsReply;
import cleave.wire.HandoffsRequest;
import cleave.wire.RestoreRequest;
import cleave.wire.SettingsChange;
import cleave.wire.SettingsReply;
import cleave.wire.SettingsRequest;
import cleave.wire.StatusReply;
import cleave.wire.StatusRequest;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/** The requests of operators, over gRPC. Thread-safe. */
final class AdminService extends AdminImplBase {
    private final MasterLoop master;
    private final OwnMembership membership;
    private final Operator operator;
    private final OperatorActs acts;
    private final Supplier<Told> told;

    /** What this process knows beside its core, whether it leads or not. */
    record Told(String admin, List<FrontEndSeen> frontEnds) {}

    AdminService(MasterLoop master, OwnMembership membership, Supplier<Told> told) {
        this.master = master;
        this.membership = membership;
        this.told = told;
        operator = master.operator();
        acts = master.acts();
    }

    @Override
    public void getStatus(StatusRequest request, StreamObserver<StatusReply> observer) {
        String absence = membership.absence();
        if (!absence.isEmpty()) {
            observer.onNext(StatusReply.newBuilder()
                    .setStatus(AnswerCodec.status(ErrorCode.UNAVAILABLE, absence))
                    .build());
            observer.onCompleted();
            return;
        }
        ServerCallStreamObserver<StatusReply> out = (ServerCallStreamObserver<StatusReply>) observer;
        StatusFeed feed = master.status(request, new Completed(new GrpcStreamSink<>(out), told.get()));
        out.setOnReadyHandler(feed::ready);
        out.setOnCancelHandler(() -> {
            // Without a handler a late piece would throw.
        });
    }

    /** Adds what is told to the first piece. */
    private static final class Completed implements StreamSink<StatusReply> {
        private final StreamSink<StatusReply> out;
        private final Told told;
        private boolean begun;

        Completed(StreamSink<StatusReply> out, Told told) {
            this.out = out;
            this.told = told;
        }

        @Override
        public boolean isReady() {
            return out.isReady();
        }

        @Override
        public void send(StatusReply piece) {
            out.send(
                    begun
                            ? piece
                            : piece.toBuilder()
                                    .setAdmin(told.admin())
                                    .addAllFrontEnds(told.frontEnds())
                                    .build());
            begun = true;
        }

        @Override
        public void end() {
            out.end();
        }

        @Override
        public void fail(String why) {
            out.fail(why);
        }
    }

    @Override
    public void split(AdminSplitRequest request, StreamObserver<CommandReply> observer) {
        Replies.send(observer, act("split", ActText.of(request), () -> operator.split(request)), Replies::command);
    }

    @Override
    public void merge(AdminMergeRequest request, StreamObserver<CommandReply> observer) {
        Replies.send(observer, act("merge", ActText.of(request), () -> operator.merge(request)), Replies::command);
    }

    @Override
    public void move(AdminMoveRequest request, StreamObserver<CommandReply> observer) {
        Replies.send(observer, act("move", ActText.of(request), () -> operator.move(request)), Replies::command);
    }

    @Override
    public void drain(AdminDrainRequest request, StreamObserver<CommandReply> observer) {
        CompletableFuture<MasterAnswer> answer = isOfTheServer(request, Callers.current())
                ? operator.drain(request)
                : act("drain", ActText.of(request), () -> operator.drain(request));
        Replies.send(observer, answer, Replies::command);
    }

    @Override
    public void cancelHandoff(CancelHandoffRequest request, StreamObserver<CommandReply> observer) {
        Replies.send(
                observer,
                act("cancel", "handoff=" + request.getHandoff(), () -> operator.cancel(request.getHandoff())),
                Replies::command);
    }

    @Override
    public void listHandoffs(HandoffsRequest request, StreamObserver<HandoffsReply> observer) {
        Replies.send(observer, operator.handoffs(), Function.identity());
    }

    @Override
    public void listEvents(EventsRequest request, StreamObserver<EventsReply> observer) {
        Replies.send(observer, operator.events(request), Function.identity());
    }

    @Override
    public void changeMasters(ChangeMastersRequest request, StreamObserver<CommandReply> observer) {
        CompletableFuture<MasterAnswer> answer = isAnywhere(request.getIn())
                ? CompletableFuture.completedFuture(MasterAnswer.failed(
                        ErrorCode.INVALID,
                        "master " + request.getIn().getId() + " is to be found at "
                                + request.getIn().getRaft() + " and "
                                + request.getIn().getRpc() + ", but a wildcard is no address that others can reach"))
                : act("masters", ActText.of(request), () -> operator.changeMasters(request));
        Replies.send(observer, answer, Replies::command);
    }

    /** The group would keep it as the address of that member, and everybody would look for it at himself. */
    private static boolean isAnywhere(GroupMember master) {
        return Advertised.isWildcard(master.getRaft()) || Advertised.isWildcard(master.getRpc());
    }

    @Override
    public void restore(RestoreRequest request, StreamObserver<CommandReply> observer) {
        CompletableFuture<MasterAnswer> answer = Replies.valid(() -> {
            Restore command = CommandCodec.fromWire(request);
            return act("restore", ActText.of(request), () -> operator.restore(command));
        });
        Replies.send(observer, answer, Replies::command);
    }

    @Override
    public void listSettings(SettingsRequest request, StreamObserver<SettingsReply> observer) {
        Replies.send(observer, operator.settings(), Function.identity());
    }

    @Override
    public void changeSettings(SettingsChange request, StreamObserver<SettingsReply> observer) {
        CompletableFuture<SettingsReply> reply = acts.run(
                asked("set", ActText.of(request)),
                () -> operator.change(SettingsCodec.fromWire(request.getSettingsList())),
                new Answers<>(
                        SettingsReply::getStatus,
                        refusal -> SettingsReply.newBuilder()
                                .setStatus(AnswerCodec.status(refusal))
                                .build()));
        Replies.send(observer, reply, Function.identity());
    }

    @Override
    public void listActs(ActsRequest request, StreamObserver<ActsReply> observer) {
        Replies.send(observer, acts.list(request), Function.identity());
    }

    /** A server that ends has itself drained. That is no operator's act, and there may be many. */
    private static boolean isOfTheServer(AdminDrainRequest request, Caller caller) {
        return request.getNumber() != 0
                && (caller.roles().isEmpty()
                        ? caller.told().isEmpty()
                        : !caller.roles().contains(PeerRole.ADMIN));
    }

    private CompletableFuture<MasterAnswer> act(
            String what, String arguments, Supplier<CompletableFuture<MasterAnswer>> todo) {
        return acts.run(asked(what, arguments), todo, new Answers<>(AnswerCodec::status, refusal -> refusal));
    }

    private static OperatorActs.Asked asked(String what, String arguments) {
        Caller caller = Callers.current();
        return new OperatorActs.Asked(caller.name(), caller.told(), what, arguments);
    }
}
