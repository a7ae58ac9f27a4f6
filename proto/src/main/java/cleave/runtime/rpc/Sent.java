package cleave.runtime.rpc;

import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.ClientStreamTracer;
import io.grpc.Metadata;

/**
 * Tells of one call whether any of it can have left this process. Thread-safe.
 *
 * <p>gRPC announces a stream before it gives it to a connection. A call that failed without such an announcement waited for
 * a connection in vain: the other side has not seen it and never will. A call with one may have been executed.
 */
public final class Sent extends ClientStreamTracer.Factory {
    private volatile boolean possible;

    /** The options with this as their witness; for one call only. */
    public CallOptions witnessing(CallOptions options) {
        return options.withStreamTracerFactory(this);
    }

    /** False only if the call has failed and nothing of it can have left. */
    public boolean isPossible() {
        return possible;
    }

    @Override
    public ClientStreamTracer newClientStreamTracer(ClientStreamTracer.StreamInfo info, Metadata headers) {
        return new ClientStreamTracer() {
            @Override
            public void streamCreated(Attributes transport, Metadata sent) {
                possible = true;
            }
        };
    }
}
