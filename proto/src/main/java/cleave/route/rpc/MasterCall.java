package cleave.route.rpc;

import cleave.route.CallFailed;
import cleave.route.RetryPolicy;
import cleave.runtime.loop.EventLoop;
import cleave.wire.ErrorCode;
import cleave.wire.Status;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** One command on its way to the leader, sent until it is answered or its time is up. Confined to the loop. */
final class MasterCall<A> {
    interface Sender<A> {
        CompletableFuture<A> send(String address, long timeoutNanos);
    }

    interface StatusOf<A> {
        Status of(A reply);
    }

    interface Made<A> {
        A reply(ErrorCode code, String message);
    }

    /** What all commands of a client share. */
    record Surroundings(EventLoop loop, LeaderGuess leader, RetryPolicy policy, Random random) {}

    private final Surroundings surroundings;
    private final EventLoop loop;
    private final Sender<A> sender;
    private final StatusOf<A> status;
    private final Made<A> made;
    private final CompletableFuture<A> answer;

    private long deadlineNanos;
    private int retries;
    private boolean mayBeExecuted;
    private String lastRefusal = "no master answered";

    MasterCall(
            Surroundings surroundings,
            Sender<A> sender,
            StatusOf<A> status,
            Made<A> made,
            CompletableFuture<A> answer) {
        this.surroundings = surroundings;
        this.loop = surroundings.loop();
        this.sender = sender;
        this.status = status;
        this.made = made;
        this.answer = answer;
    }

    void begin(long timeoutNanos) {
        deadlineNanos = loop.nanos() + timeoutNanos;
        send();
    }

    private void send() {
        long left = deadlineNanos - loop.nanos();
        if (left <= 0) {
            finish();
            return;
        }
        String address = surroundings.leader().current();
        sender.send(address, left).whenComplete((reply, failure) -> loop.submit(() -> ended(address, reply, failure)));
    }

    private void ended(String address, @Nullable A reply, @Nullable Throwable failure) {
        if (reply == null) {
            failed(address, failure);
            return;
        }
        Status answered = status.of(reply);
        switch (answered.getCode()) {
            case NOT_LEADER -> {
                surroundings.leader().refused(address, answered.getMessage());
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
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        mayBeExecuted |= !(cause instanceof CallFailed call && call.fate() == CallFailed.Fate.NOT_SENT);
        surroundings.leader().refused(address, "");
        sendAgain(cause == null ? "" : String.valueOf(cause.getMessage()));
    }

    private void sendAgain(String refusal) {
        lastRefusal = refusal;
        long wait = surroundings.policy().waitNanos(retries, surroundings.random());
        retries++;
        long left = deadlineNanos - loop.nanos();
        loop.schedule(Math.max(0, Math.min(wait, left)), this::send);
    }

    private void finish() {
        answer.complete(made.reply(
                mayBeExecuted ? ErrorCode.UNKNOWN_OUTCOME : ErrorCode.UNAVAILABLE,
                "no leader answered in time: " + lastRefusal));
    }
}
