package cleave.route.rpc;

import cleave.wire.ErrorCode;
import cleave.wire.HeartbeatReply;
import io.grpc.stub.StreamObserver;

/** Forwards the replies of a stream, and learns from them and from its end which master leads. As thread-safe as its receiver. */
record LearningObserver(LeaderGuess leader, String address, StreamObserver<HeartbeatReply> receiver)
        implements StreamObserver<HeartbeatReply> {
    @Override
    public void onNext(HeartbeatReply reply) {
        if (reply.getStatus().getCode() == ErrorCode.NOT_LEADER) {
            leader.refused(address, reply.getStatus().getMessage());
        }
        receiver.onNext(reply);
    }

    @Override
    public void onError(Throwable failure) {
        leader.refused(address, "");
        receiver.onError(failure);
    }

    @Override
    public void onCompleted() {
        leader.refused(address, "");
        receiver.onCompleted();
    }
}
