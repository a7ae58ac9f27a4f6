package cleave.master.rpc;

import cleave.master.membership.MasterCalls;
import cleave.route.rpc.UnaryCalls;
import cleave.runtime.rpc.Channels;
import cleave.wire.JoinReply;
import cleave.wire.JoinRequest;
import cleave.wire.MasterGroupGrpc;
import cleave.wire.MasterGrpc;
import cleave.wire.MembersReply;
import cleave.wire.MembersRequest;
import cleave.wire.SupportedLevelsReply;
import cleave.wire.SupportedLevelsRequest;
import java.util.concurrent.CompletableFuture;

/** Calls to other masters over gRPC. Thread-safe. */
public final class GrpcMasterCalls implements MasterCalls {
    private static final long MEMBERSHIP_NANOS = 5_000_000_000L;

    private final UnaryCalls calls;

    public GrpcMasterCalls(Channels channels) {
        calls = new UnaryCalls(channels);
    }

    @Override
    public CompletableFuture<JoinReply> join(String address, JoinRequest request) {
        return calls.call(address, MasterGroupGrpc.getJoinMethod(), request, MEMBERSHIP_NANOS);
    }

    @Override
    public CompletableFuture<MembersReply> members(String address, String cluster) {
        MembersRequest request = MembersRequest.newBuilder().setCluster(cluster).build();
        return calls.call(address, MasterGroupGrpc.getListMembersMethod(), request, MEMBERSHIP_NANOS);
    }

    @Override
    public CompletableFuture<SupportedLevelsReply> supportedLevels(String address, long timeoutNanos) {
        SupportedLevelsRequest request = SupportedLevelsRequest.getDefaultInstance();
        return calls.call(address, MasterGrpc.getSupportedLevelsMethod(), request, timeoutNanos);
    }
}
