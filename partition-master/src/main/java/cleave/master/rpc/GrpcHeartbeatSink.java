package cleave.master.rpc;

import cleave.master.servers.HeartbeatSink;
import cleave.wire.ErrorCode;
import cleave.wire.HeartbeatReply;
import io.grpc.stub.ServerCallStreamObserver;

/**
 * Sends replies on a heartbeat stream over gRPC. Called from the master loop. A slow receiver misses orders, not
 * refusals.
 */
final class GrpcHeartbeatSink implements HeartbeatSink {
    private final ServerCallStreamObserver<HeartbeatReply> out;
    private boolean closed;

    GrpcHeartbeatSink(ServerCallStreamObserver<HeartbeatReply> out) {
        this.out = out;
        out.setOnCancelHandler(() -> {
            // The request side handles this; without a handler here a late reply would throw.
        });
    }

    @Override
    public void send(HeartbeatReply reply) {
        boolean mustArrive = reply.getStatus().getCode() != ErrorCode.OK;
        if (!closed && !out.isCancelled() && (mustArrive || out.isReady())) {
            out.onNext(reply);
        }
    }

    @Override
    public void close() {
        if (!closed && !out.isCancelled()) {
            out.onCompleted();
        }
        closed = true;
    }
}
