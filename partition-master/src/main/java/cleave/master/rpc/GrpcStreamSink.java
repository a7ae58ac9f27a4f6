package cleave.master.rpc;

import cleave.master.core.StreamSink;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;

/** A {@link StreamSink} over gRPC. A receiver that has left gets nothing more. */
record GrpcStreamSink<T>(ServerCallStreamObserver<T> out) implements StreamSink<T> {
    @Override
    public boolean isReady() {
        return out.isReady() && !out.isCancelled();
    }

    @Override
    public void send(T message) {
        out.onNext(message);
    }

    @Override
    public void end() {
        if (!out.isCancelled()) {
            out.onCompleted();
        }
    }

    @Override
    public void fail(String why) {
        if (!out.isCancelled()) {
            out.onError(Status.UNAVAILABLE.withDescription(why).asRuntimeException());
        }
    }
}
