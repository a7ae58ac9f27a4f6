package cleave.master.rpc;

import cleave.master.membership.Joins;
import cleave.master.membership.MemberQueries;
import cleave.route.rpc.UnaryCalls;
import cleave.runtime.rpc.Channels;
import cleave.wire.JoinReply;
import cleave.wire.JoinRequest;
import cleave.wire.MasterGroupGrpc;
import cleave.wire.MembersReply;
import cleave.wire.MembersRequest;
import java.util.concurrent.CompletableFuture;

/** Other masters over gRPC. Thread-safe. */
public final class GrpcJoins implements Joins, MemberQueries {
    private static final long TIMEOUT_NANOS = 5_000_000_000L;

    private final UnaryCalls calls;

    public GrpcJoins(Channels channels) {
        calls = new UnaryCalls(channels);
    }

    @Override
    public CompletableFuture<JoinReply> join(String address, JoinRequest request) {
        return calls.call(address, MasterGroupGrpc.getJoinMethod(), request, TIMEOUT_NANOS);
    }

    @Override
    public CompletableFuture<MembersReply> members(String address, String cluster) {
        MembersRequest request = MembersRequest.newBuilder().setCluster(cluster).build();
        return calls.call(address, MasterGroupGrpc.getListMembersMethod(), request, TIMEOUT_NANOS);
    }
}
