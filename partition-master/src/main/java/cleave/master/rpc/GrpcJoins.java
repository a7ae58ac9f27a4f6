package cleave.master.rpc;

import cleave.master.loop.Joins;
import cleave.route.rpc.UnaryCalls;
import cleave.rpc.Channels;
import cleave.wire.JoinReply;
import cleave.wire.JoinRequest;
import cleave.wire.MasterGroupGrpc;
import java.util.concurrent.CompletableFuture;

/** Other masters over gRPC. Thread-safe. */
public final class GrpcJoins implements Joins {
    private static final long TIMEOUT_NANOS = 5_000_000_000L;

    private final UnaryCalls calls;

    public GrpcJoins(Channels channels) {
        calls = new UnaryCalls(channels);
    }

    @Override
    public CompletableFuture<JoinReply> join(String address, JoinRequest request) {
        return calls.call(address, MasterGroupGrpc.getJoinMethod(), request, TIMEOUT_NANOS);
    }
}
