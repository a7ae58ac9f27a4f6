package cleave.server.rpc;

import cleave.route.rpc.MasterClient;
import cleave.server.outside.Masters;
import cleave.wire.CommandReply;
import cleave.wire.Fence;
import cleave.wire.HandoffRequest;
import cleave.wire.HeartbeatReply;
import cleave.wire.HeartbeatRequest;
import cleave.wire.PublishRequest;
import cleave.wire.RegisterReply;
import cleave.wire.RegisterRequest;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;

/** The masters over gRPC. Thread-safe. */
public final class GrpcMasters implements Masters {
    /** The loops repeat messages that were not answered in this time. */
    private static final long TIMEOUT_NANOS = 5_000_000_000L;

    private final MasterClient client;

    public GrpcMasters(MasterClient client) {
        this.client = client;
    }

    @Override
    public CompletableFuture<RegisterReply> register(RegisterRequest request) {
        return client.register(request, TIMEOUT_NANOS);
    }

    @Override
    public CompletableFuture<CommandReply> publish(PublishRequest request) {
        return client.publish(request, TIMEOUT_NANOS);
    }

    @Override
    public CompletableFuture<CommandReply> commitHandoff(HandoffRequest request) {
        return client.commitHandoff(request, TIMEOUT_NANOS);
    }

    @Override
    public CompletableFuture<CommandReply> armFence(Fence fence) {
        return client.armFence(fence, TIMEOUT_NANOS);
    }

    @Override
    public HeartbeatStream heartbeats(HeartbeatListener listener) {
        return new Stream(client.heartbeat(new StreamObserver<>() {
            @Override
            public void onNext(HeartbeatReply reply) {
                listener.onReply(reply);
            }

            @Override
            public void onError(Throwable failure) {
                listener.onBroken(String.valueOf(failure.getMessage()));
            }

            @Override
            public void onCompleted() {
                listener.onBroken("the master ended the stream");
            }
        }));
    }

    /** gRPC's observers are not thread-safe, and throw when the call has ended. Confined to the membership's loop. */
    private static final class Stream implements HeartbeatStream {
        private final StreamObserver<HeartbeatRequest> requests;
        private boolean closed;

        Stream(StreamObserver<HeartbeatRequest> requests) {
            this.requests = requests;
        }

        @Override
        public void send(HeartbeatRequest request) {
            if (closed) {
                return;
            }
            try {
                requests.onNext(request);
            } catch (IllegalStateException ended) {
                closed = true; // The call itself notifies the listener.
            }
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                try {
                    requests.onCompleted();
                } catch (IllegalStateException ended) {
                    return; // It was over already.
                }
            }
        }
    }
}
