package cleave.route.rpc;

import cleave.route.CallFailed;
import cleave.route.CallFailed.Fate;
import cleave.runtime.rpc.CallTimeout;
import cleave.runtime.rpc.Channels;
import cleave.runtime.rpc.Sent;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;

/** One request, one reply, over a channel; failures tell whether the request may have been executed. Thread-safe. */
public final class UnaryCalls {
    private final Channels channels;

    public UnaryCalls(Channels channels) {
        this.channels = channels;
    }

    /** Completes with the reply or with {@link CallFailed}, at the latest after the timeout; cancelling it ends the call. */
    public <Q, A> CompletableFuture<A> call(
            String address, MethodDescriptor<Q, A> method, Q request, long timeoutNanos) {
        CompletableFuture<A> answer = new CompletableFuture<>();
        Sent sent = new Sent();
        ClientCall<Q, A> call;
        try {
            CallOptions options = CallTimeout.on(CallOptions.DEFAULT, timeoutNanos);
            call = channels.to(address).newCall(method, sent.witnessing(options));
        } catch (IllegalArgumentException noAddress) {
            answer.completeExceptionally(new CallFailed(Fate.NOT_SENT, String.valueOf(noAddress.getMessage())));
            return answer;
        }
        answer.whenComplete((reply, failure) -> {
            if (answer.isCancelled()) {
                call.cancel("given up", null);
            }
        });
        ClientCalls.asyncUnaryCall(call, request, new Completion<>(answer, sent, address));
        return answer;
    }

    private record Completion<A>(CompletableFuture<A> answer, Sent sent, String address) implements StreamObserver<A> {
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
            answer.completeExceptionally(
                    new CallFailed(sent.isPossible() ? Fate.UNKNOWN : Fate.NOT_SENT, address + ": " + what));
        }

        @Override
        public void onCompleted() {
            if (!answer.isDone()) {
                answer.completeExceptionally(new CallFailed(Fate.UNKNOWN, address + ": ended without a reply"));
            }
        }
    }
}
