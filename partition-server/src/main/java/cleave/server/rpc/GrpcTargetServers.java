package cleave.server.rpc;

import cleave.route.rpc.UnaryCalls;
import cleave.runtime.rpc.Channels;
import cleave.server.outside.TargetServers;
import cleave.wire.FinishReply;
import cleave.wire.FinishRequest;
import cleave.wire.PrepareReply;
import cleave.wire.PrepareRequest;
import cleave.wire.RangesGrpc;
import java.util.concurrent.CompletableFuture;

/** The owners of a handoff's targets over gRPC. Thread-safe. */
public final class GrpcTargetServers implements TargetServers {
    private final UnaryCalls calls;

    public GrpcTargetServers(Channels channels) {
        this.calls = new UnaryCalls(channels);
    }

    @Override
    public CompletableFuture<PrepareReply> prepare(String address, PrepareRequest request, long timeoutNanos) {
        return calls.call(address, RangesGrpc.getPrepareMethod(), request, timeoutNanos);
    }

    @Override
    public CompletableFuture<FinishReply> finish(String address, FinishRequest request, long timeoutNanos) {
        return calls.call(address, RangesGrpc.getFinishMethod(), request, timeoutNanos);
    }
}
