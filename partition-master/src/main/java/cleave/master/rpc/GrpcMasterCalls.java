package cleave.master.rpc;

import cleave.master.membership.MasterCalls;
import cleave.route.rpc.UnaryCalls;
import cleave.runtime.rpc.Channels;
import cleave.wire.MasterGrpc;
import cleave.wire.SupportedLevelsReply;
import cleave.wire.SupportedLevelsRequest;
import java.util.concurrent.CompletableFuture;

/** Calls to other masters. Thread-safe. */
public final class GrpcMasterCalls implements MasterCalls {
    private final UnaryCalls calls;

    public GrpcMasterCalls(Channels channels) {
        calls = new UnaryCalls(channels);
    }

    @Override
    public CompletableFuture<SupportedLevelsReply> supportedLevels(String address, long timeoutNanos) {
        return calls.call(
                address,
                MasterGrpc.getSupportedLevelsMethod(),
                SupportedLevelsRequest.getDefaultInstance(),
                timeoutNanos);
    }
}
