package cleave.route.rpc;

import cleave.route.CallFailed;
import cleave.route.CallFailed.Fate;
import cleave.route.RangeTransport;
import cleave.runtime.rpc.CallTimeout;
import cleave.runtime.rpc.Channels;
import cleave.runtime.rpc.PeerHandshake;
import cleave.wire.DropReply;
import cleave.wire.DropRequest;
import cleave.wire.RangesGrpc;
import cleave.wire.ReadReply;
import cleave.wire.ReadRequest;
import cleave.wire.ScanReply;
import cleave.wire.ScanRequest;
import cleave.wire.WriteReply;
import cleave.wire.WriteRequest;
import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientStreamTracer;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;

/** Calls of one request and one reply, by address; failures show whether the request may have been executed. Thread-safe. */
public final class UnaryCalls implements RangeTransport {
    private final Channels channels;

    public UnaryCalls(Channels channels) {
        this.channels = channels;
    }

    @Override
    public CompletableFuture<WriteReply> write(String address, WriteRequest request, long timeoutNanos) {
        return call(address, RangesGrpc.getWriteMethod(), request, timeoutNanos);
    }

    @Override
    public CompletableFuture<ReadReply> read(String address, ReadRequest request, long timeoutNanos) {
        return call(address, RangesGrpc.getReadMethod(), request, timeoutNanos);
    }

    @Override
    public CompletableFuture<ScanReply> scan(String address, ScanRequest request, long timeoutNanos) {
        return call(address, RangesGrpc.getScanMethod(), request, timeoutNanos);
    }

    @Override
    public CompletableFuture<DropReply> drop(String address, DropRequest request, long timeoutNanos) {
        return call(address, RangesGrpc.getDropMethod(), request, timeoutNanos);
    }

    /** Completes with the reply or with {@link CallFailed}, at the latest after the timeout; cancelling it ends the call. */
    public <Q, A> CompletableFuture<A> call(
            String address, MethodDescriptor<Q, A> method, Q request, long timeoutNanos) {
        CompletableFuture<A> answer = new CompletableFuture<>();
        Receiver<A> receiver = new Receiver<>(answer, address);
        ClientCall<Q, A> call;
        try {
            CallOptions options =
                    CallTimeout.on(CallOptions.DEFAULT, timeoutNanos).withStreamTracerFactory(receiver);
            call = channels.to(address).newCall(method, options);
        } catch (IllegalArgumentException noAddress) {
            answer.completeExceptionally(new CallFailed(Fate.NOT_EXECUTED, String.valueOf(noAddress.getMessage())));
            return answer;
        }
        answer.whenComplete((reply, failure) -> {
            if (answer.isCancelled()) {
                call.cancel("given up", null);
            }
        });
        ClientCalls.asyncUnaryCall(call, request, receiver);
        return answer;
    }

    /**
     * Receives the reply of one call, and notes whether any of the call can have left this process. Thread-safe.
     *
     * <p>gRPC announces a stream before it gives it to a connection. A call that failed without such an announcement never got a
     * connection: the other side has not seen it and never will. A call with one may have been executed.
     */
    private static final class Receiver<A> extends ClientStreamTracer.Factory implements StreamObserver<A> {
        private final CompletableFuture<A> answer;
        private final String address;
        private volatile boolean mayHaveLeft;

        Receiver(CompletableFuture<A> answer, String address) {
            this.answer = answer;
            this.address = address;
        }

        @Override
        public ClientStreamTracer newClientStreamTracer(ClientStreamTracer.StreamInfo info, Metadata headers) {
            return new ClientStreamTracer() {
                @Override
                public void streamCreated(Attributes transport, Metadata sent) {
                    mayHaveLeft = true;
                }
            };
        }

        @Override
        public void onNext(A reply) {
            answer.complete(reply);
        }

        @Override
        public void onError(Throwable failure) {
            Status status = Status.fromThrowable(failure);
            String what = status.getDescription() == null
                    ? status.getCode().toString()
                    : status.getCode() + " " + status.getDescription();
            boolean isExecutedPerhaps = mayHaveLeft && !PeerHandshake.isRefusal(failure);
            answer.completeExceptionally(
                    new CallFailed(isExecutedPerhaps ? Fate.UNKNOWN : Fate.NOT_EXECUTED, address + ": " + what));
        }

        @Override
        public void onCompleted() {
            if (!answer.isDone()) {
                answer.completeExceptionally(new CallFailed(Fate.UNKNOWN, address + ": ended without a reply"));
            }
        }
    }
}
