package cleave.server.rpc;

import cleave.server.range.AccountShares;
import com.google.protobuf.MessageLite;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The answer to one call on its way out: its bytes count as the server's memory until the network has it, or its receiver is gone. Thread-safe.
 *
 * <p>Without that, answers to a receiver that takes them slowly would pile up where nobody counts them.
 */
final class AccountedReply<T extends MessageLite> {
    private static final long GONE = -1;

    private final StreamObserver<T> observer;
    private final int account;
    private final AccountShares memory;
    /** Taken for the answer; or {@link #GONE}. */
    private final AtomicLong bytes = new AtomicLong();

    /** Make it before the call's handler returns. */
    AccountedReply(StreamObserver<T> observer, int account, AccountShares memory) {
        this.account = account;
        this.observer = observer;
        this.memory = memory;
        if (observer instanceof ServerCallStreamObserver<T> call) {
            call.setOnCloseHandler(this::gone);
            call.setOnCancelHandler(this::gone);
        }
    }

    private void gone() {
        long taken = bytes.getAndSet(GONE);
        if (taken > 0) {
            memory.give(account, taken);
        }
    }

    /** Call it once. If the caller has gone, the request stays executed. */
    void send(T reply) {
        long size = reply.getSerializedSize();
        memory.take(account, size);
        if (bytes.compareAndSet(0, size)) {
            observer.onNext(reply);
            observer.onCompleted();
        } else {
            memory.give(account, size);
        }
    }
}
