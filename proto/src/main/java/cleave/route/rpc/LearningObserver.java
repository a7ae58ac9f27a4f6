package cleave.route.rpc;

import cleave.wire.ErrorCode;
import cleave.wire.HeartbeatReply;
import io.grpc.stub.StreamObserver;

/** Passes the replies of a stream on, and learns from them and from its end who leads. Thread-safe as its receiver is. */
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
