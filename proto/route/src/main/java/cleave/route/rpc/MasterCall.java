package cleave.route.rpc;

import cleave.route.CallFailed;
import cleave.runtime.loop.Backoff;
import cleave.runtime.loop.EventLoop;
import cleave.wire.ErrorCode;
import cleave.wire.Status;
import io.grpc.MethodDescriptor;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A command to the leading master, sent until it is answered or times out. Confined to its loop. */
final class MasterCall<Q, A> {
    /**
     * The differences between the kinds of commands. Immutable.
     *
     * @param answerNanosMax of one attempt; the next one goes to another master
     * @param refusal makes the reply when no master gives one
     */
    record Kind<Q, A>(
            MethodDescriptor<Q, A> method,
            long answerNanosMax,
            Function<A, Status> status,
            Function<Status, A> refusal) {}

    /** The parts that all commands of a client share. */
    record Outside(EventLoop loop, UnaryCalls calls, LeaderGuess leader, Backoff backoff, Random random) {}

    private final Outside outside;
    private final EventLoop loop;
    private final Kind<Q, A> kind;
    private final Q request;
    private final CompletableFuture<A> answer = new CompletableFuture<>();

    private long deadlineNanos;
    private int retries;
    private boolean mayBeExecuted;
    private String lastRefusal = "no master answered";

    MasterCall(Outside outside, Kind<Q, A> kind, Q request) {
        this.outside = outside;
        this.loop = outside.loop();
        this.kind = kind;
        this.request = request;
    }

    /** Thread-safe. */
    CompletableFuture<A> begin(long timeoutNanos) {
        loop.submit(() -> {
            deadlineNanos = loop.nanos() + timeoutNanos;
            send();
        });
        return answer;
    }

    private void send() {
        loop.assertInside();
        long left = deadlineNanos - loop.nanos();
        if (left <= 0) {
            finish();
            return;
        }
        String address = outside.leader().current();
        outside.calls()
                .call(address, kind.method(), request, Math.min(left, kind.answerNanosMax()))
                .whenComplete((reply, failure) -> loop.submit(() -> ended(address, reply, failure)));
    }

    private void ended(String address, @Nullable A reply, @Nullable Throwable failure) {
        if (reply == null) {
            failed(address, failure);
            return;
        }
        Status answered = kind.status().apply(reply);
        switch (answered.getCode()) {
            case NOT_LEADER -> {
                outside.leader().refused(address, answered.getMessage());
                sendAgain(answered.getMessage());
            }
            case BUSY, UNAVAILABLE -> sendAgain(answered.getMessage());
            case UNKNOWN_OUTCOME -> {
                mayBeExecuted = true;
                sendAgain(answered.getMessage());
            }
            default -> answer.complete(reply);
        }
    }

    private void failed(String address, @Nullable Throwable failure) {
        Throwable cause = EventLoop.cause(failure);
        mayBeExecuted |= !(cause instanceof CallFailed call && call.fate() == CallFailed.Fate.NOT_EXECUTED);
        outside.leader().refused(address, "");
        sendAgain(cause == null ? "" : String.valueOf(cause.getMessage()));
    }

    private void sendAgain(String refusal) {
        lastRefusal = refusal;
        long wait = outside.backoff().nanos(retries + 1, outside.random());
        retries++;
        long left = deadlineNanos - loop.nanos();
        loop.schedule(Math.max(0, Math.min(wait, left)), this::send);
    }

    private void finish() {
        answer.complete(kind.refusal()
                .apply(Status.newBuilder()
                        .setCode(mayBeExecuted ? ErrorCode.UNKNOWN_OUTCOME : ErrorCode.UNAVAILABLE)
                        .setMessage("no leader answered in time: " + lastRefusal)
                        .build()));
    }
}
