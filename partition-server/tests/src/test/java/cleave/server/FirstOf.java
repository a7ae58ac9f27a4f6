package cleave.server;

import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;

/** Gives the first message of a stream. Thread-safe. */
record FirstOf<T>(CompletableFuture<T> first) implements StreamObserver<T> {
    @Override
    public void onNext(T message) {
        first.complete(message);
    }

    @Override
    public void onError(Throwable failure) {
        first.completeExceptionally(failure);
    }

    @Override
    public void onCompleted() {
        first.completeExceptionally(new IllegalStateException("the stream was empty"));
    }
}
