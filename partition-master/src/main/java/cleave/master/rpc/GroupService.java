package cleave.master.rpc;

import cleave.master.core.Operator;
import cleave.master.membership.Founding;
import cleave.master.membership.Joining;
import cleave.master.state.AnswerCodec;
import cleave.model.ClusterId;
import cleave.runtime.rpc.Callers;
import cleave.wire.ErrorCode;
import cleave.wire.FoundReply;
import cleave.wire.FoundRequest;
import cleave.wire.JoinReply;
import cleave.wire.JoinRequest;
import cleave.wire.MasterGroupGrpc.MasterGroupImplBase;
import cleave.wire.MembersReply;
import cleave.wire.MembersRequest;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How a master becomes a member, over gRPC. Thread-safe. */
final class GroupService extends MasterGroupImplBase {
    /** There is no log of Raft yet to record it in. */
    private static final Logger LOG = LoggerFactory.getLogger("cleave.acts");

    private final Founding founding;
    private final Joining joining;
    private final Operator operator;

    GroupService(Founding founding, Joining joining, Operator operator) {
        this.founding = founding;
        this.joining = joining;
        this.operator = operator;
    }

    @Override
    public void listMembers(MembersRequest request, StreamObserver<MembersReply> observer) {
        Replies.send(observer, operator.members(request.getCluster()), Function.identity());
    }

    @Override
    public void found(FoundRequest request, StreamObserver<FoundReply> observer) {
        LOG.info("founding asked for caller={} resume={}", Callers.current(), request.getResume());
        CompletableFuture<FoundReply> answer = Replies.valid(
                () -> founding.found(request.getResume().isEmpty() ? null : new ClusterId(request.getResume())),
                message -> FoundReply.newBuilder()
                        .setStatus(AnswerCodec.status(ErrorCode.INVALID, message))
                        .build());
        Replies.send(observer, answer, Function.identity());
    }

    @Override
    public void join(JoinRequest request, StreamObserver<JoinReply> observer) {
        CompletableFuture<JoinReply> answer = Replies.valid(
                () -> joining.join(request),
                message -> JoinReply.newBuilder()
                        .setStatus(AnswerCodec.status(ErrorCode.INVALID, message))
                        .build());
        Replies.send(observer, answer, Function.identity());
    }
}
