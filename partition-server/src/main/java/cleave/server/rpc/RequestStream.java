package cleave.server.rpc;

import cleave.server.range.AccountShares;
import cleave.wire.ErrorCode;
import cleave.wire.RangeReply;
import cleave.wire.RangeRequest;
import cleave.wire.ReadReply;
import cleave.wire.ReadRequest;
import cleave.wire.ScanReply;
import cleave.wire.ScanRequest;
import cleave.wire.Status;
import cleave.wire.WriteReply;
import cleave.wire.WriteRequest;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The small requests of one loop of a front end, and their replies, which leave when they come. Thread-safe: requests come on the
 * network's thread, replies on those of the ranges.
 *
 * <p>Replies to a receiver that takes them slowly wait here, where the server's memory counts them, until the network has little left to
 * send. Those to scans are larger, and wait for all others, so these wait for one of them at most.
 *
 * <p>The stream is ended without an error only when all executed requests are answered.
 */
final class RequestStream implements StreamObserver<RangeRequest> {
    private static final Status LEAVING = Status.newBuilder()
            .setCode(ErrorCode.UNAVAILABLE)
            .setMessage("this server ends; the request was not executed")
            .build();

    private final ServerCallStreamObserver<RangeReply> replies;
    private final BiConsumer<WriteRequest, Consumer<WriteReply>> writes;
    private final BiConsumer<ReadRequest, Consumer<ReadReply>> reads;
    private final BiConsumer<ScanRequest, Consumer<ScanReply>> scans;
    private final AccountShares memory;
    private final Consumer<RequestStream> whenGone;
    private final ReentrantLock lock = new ReentrantLock();
    /** Guarded by the lock, as are the next fields. */
    private final Deque<Waiting> waiting = new ArrayDeque<>();

    private final Deque<Waiting> waitingScans = new ArrayDeque<>();
    /** Requests without a reply. */
    private int underWay;

    private boolean leaving;
    private boolean gone;

    /** A reply that the network cannot take yet. */
    private record Waiting(int account, RangeReply reply) {}

    /**
     * Make it before the call's handler returns.
     *
     * @param writes carries a write out, and passes its reply on once, on any thread
     * @param reads the same for a read
     * @param scans the same for a scan
     * @param whenGone called when the stream has ended, perhaps more than once
     */
    RequestStream(
            ServerCallStreamObserver<RangeReply> replies,
            BiConsumer<WriteRequest, Consumer<WriteReply>> writes,
            BiConsumer<ReadRequest, Consumer<ReadReply>> reads,
            BiConsumer<ScanRequest, Consumer<ScanReply>> scans,
            AccountShares memory,
            Consumer<RequestStream> whenGone) {
        this.replies = replies;
        this.writes = writes;
        this.reads = reads;
        this.scans = scans;
        this.memory = memory;
        this.whenGone = whenGone;
        replies.setOnReadyHandler(this::sendWaiting);
        replies.setOnCloseHandler(this::gone);
        replies.setOnCancelHandler(this::gone);
    }

    @Override
    public void onNext(RangeRequest request) {
        long number = request.getNumber();
        if (!begins()) {
            send(0, refusal(request));
            return;
        }
        switch (request.getRequestCase()) {
            case WRITE ->
                writes.accept(
                        request.getWrite(),
                        reply -> ended(
                                request.getWrite().getAccount(),
                                RangeReply.newBuilder().setNumber(number).setWrite(reply)));
            case READ ->
                reads.accept(
                        request.getRead(),
                        reply -> ended(
                                request.getRead().getAccount(),
                                RangeReply.newBuilder().setNumber(number).setRead(reply)));
            case SCAN ->
                scans.accept(
                        request.getScan(),
                        reply -> ended(
                                request.getScan().getAccount(),
                                RangeReply.newBuilder().setNumber(number).setScan(reply)));
            case REQUEST_NOT_SET -> ended(0, RangeReply.newBuilder().setNumber(number)); // From a newer version.
        }
    }

    private boolean begins() {
        lock.lock();
        try {
            if (leaving || gone) {
                return false;
            }
            underWay++;
            return true;
        } finally {
            lock.unlock();
        }
    }

    private static RangeReply refusal(RangeRequest request) {
        RangeReply.Builder refusal = RangeReply.newBuilder().setNumber(request.getNumber());
        switch (request.getRequestCase()) {
            case WRITE -> refusal.setWrite(WriteReply.newBuilder().setStatus(LEAVING));
            case READ -> refusal.setRead(ReadReply.newBuilder().setStatus(LEAVING));
            case SCAN -> refusal.setScan(ScanReply.newBuilder().setStatus(LEAVING));
            case REQUEST_NOT_SET -> {} // From a newer version.
        }
        return refusal.build();
    }

    private void ended(int account, RangeReply.Builder reply) {
        lock.lock();
        try {
            underWay--;
            send(account, reply.build());
            completeIfDone();
        } finally {
            lock.unlock();
        }
    }

    /** If the caller has gone, the request stays executed. */
    private void send(int account, RangeReply reply) {
        lock.lock();
        try {
            if (gone) {
                return;
            }
            if (replies.isReady() && (reply.hasScan() ? isNobodyWaiting() : waiting.isEmpty())) {
                replies.onNext(reply);
            } else {
                memory.take(account, reply.getSerializedSize());
                (reply.hasScan() ? waitingScans : waiting).add(new Waiting(account, reply));
            }
        } finally {
            lock.unlock();
        }
    }

    private void sendWaiting() {
        lock.lock();
        try {
            while (!gone && !isNobodyWaiting() && replies.isReady()) {
                replies.onNext(take().reply());
            }
            completeIfDone();
        } finally {
            lock.unlock();
        }
    }

    private boolean isNobodyWaiting() {
        return waiting.isEmpty() && waitingScans.isEmpty();
    }

    private Waiting take() {
        Waiting next = (waiting.isEmpty() ? waitingScans : waiting).remove();
        memory.give(next.account(), next.reply().getSerializedSize());
        return next;
    }

    private void completeIfDone() {
        if (leaving && !gone && underWay == 0 && isNobodyWaiting()) {
            gone = true;
            replies.onCompleted();
            whenGone.accept(this);
        }
    }

    /** Executes nothing more, and ends the stream when all is answered. Idempotent. */
    void leave() {
        lock.lock();
        try {
            leaving = true;
            completeIfDone();
        } finally {
            lock.unlock();
        }
    }

    private void gone() {
        lock.lock();
        try {
            gone = true;
            while (!isNobodyWaiting()) {
                take();
            }
        } finally {
            lock.unlock();
        }
        whenGone.accept(this);
    }

    @Override
    public void onError(Throwable broken) {
        // The handlers get it as well.
    }

    /** The caller ends an idle stream. */
    @Override
    public void onCompleted() {
        leave();
    }
}
