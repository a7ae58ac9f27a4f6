package cleave.route;

import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.PartitionMap;
import cleave.model.Row;
import cleave.runtime.loop.Backoff;
import cleave.runtime.loop.EventLoop;
import cleave.wire.ErrorCode;
import cleave.wire.RangeRow;
import cleave.wire.Route;
import cleave.wire.Status;
import cleave.wire.Timing;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A request to the owner of its key, from the first attempt to the answer. Confined to its client's loop.
 *
 * <p>It is either in flight to a destination, or waits for a retry or a newer map. It ends at its deadline at the latest.
 */
final class RangeCall<A> {
    /** A server gives up this much earlier than the caller's deadline, so that its refusal arrives in time. */
    private static final long REFUSAL_NANOS_MAX = 50_000_000;
    /**
     * The time to wait for the former owner's answer after a takeover. If that owner is alive after all, it finds its log sealed and
     * answers with the outcome of the write.
     */
    private static final long TAKEN_OVER_NANOS_MAX = 1_000_000_000L;
    /** The same after a handoff: the former owner answers once the new owner serves, or is late. */
    private static final long HANDED_OVER_NANOS_MAX = 5_000_000_000L;

    /** A call is retried on BUSY for this long before the caller gets that answer. */
    private static final long BUSY_NANOS_MAX = 2_000_000_000;

    /**
     * The differences between the kinds of requests. Immutable.
     *
     * @param name for traces
     * @param isRepeatable whether it may be sent again although it may have been executed
     * @param current of a reply: the row that came with NOT_OWNER, the default instance if none did
     * @param timing of a reply: where the time went at the server, if it says so
     * @param refusal makes the reply when no server gives one
     */
    record Kind<A>(
            String name,
            boolean isRepeatable,
            Function<A, Status> status,
            Function<A, RangeRow> current,
            Function<A, Timing> timing,
            Function<Status, A> refusal) {
        A reply(ErrorCode code, String message) {
            return refusal.apply(
                    Status.newBuilder().setCode(code).setMessage(message).build());
        }
    }

    /** Sends one attempt of a request. */
    interface Sender<A> {
        CompletableFuture<A> send(String address, Route route, int deadlineMillis, long timeoutNanos);
    }

    /** The destination of a request. Immutable. */
    private record Destination(long range, long epoch, Incarnation owner, String address) {}

    /** The parts that all requests of a client share. */
    record Outside(EventLoop loop, MapView map, Backoff backoff, Random random) {}

    private final Outside outside;
    private final EventLoop loop;
    private final Kind<A> kind;
    private final Sender<A> sender;
    /** Null for most calls. */
    private final @Nullable CallTrace trace;

    private final Key key;
    private final long deadlineNanos;
    private final Consumer<RangeCall<?>> whenDone;
    private final CompletableFuture<A> answer = new CompletableFuture<>();

    private EventLoop.@Nullable Timer deadlineTimer;
    private EventLoop.@Nullable Timer retryTimer;
    private EventLoop.@Nullable Timer movedTimer;
    /** True if the former owner was alive when the timer began. */
    private boolean formerOwnerLived;
    /** The attempt in flight; null if there is none. */
    private @Nullable CompletableFuture<A> inFlight;
    /** The destination of the attempt in flight, or of the last one. */
    private @Nullable Destination tried;
    /** A row from a server's answer, which may be newer than the map's. */
    private @Nullable Row told;
    /** The reply at the deadline unless a later one replaces it. */
    private @Nullable A refusal;

    /** When the attempt in flight was sent; of a traced call alone. */
    private long sentNanos;

    private int retries;
    private @Nullable Long busySince;

    RangeCall(
            Outside outside,
            Kind<A> kind,
            Sender<A> sender,
            @Nullable CallTrace trace,
            Key key,
            long deadlineNanos,
            Consumer<RangeCall<?>> whenDone) {
        this.outside = outside;
        this.loop = outside.loop();
        this.kind = kind;
        this.sender = sender;
        this.trace = trace;
        this.key = key;
        this.deadlineNanos = deadlineNanos;
        this.whenDone = whenDone;
    }

    CompletableFuture<A> begin() {
        loop.assertInside();
        long left = deadlineNanos - loop.nanos();
        if (left <= 0) {
            finish(kind.reply(ErrorCode.UNAVAILABLE, "the deadline had passed before the request was sent"));
        } else {
            deadlineTimer = loop.schedule(left, this::deadlinePassed);
            send();
        }
        return answer;
    }

    private @Nullable Destination destination() {
        PartitionMap map = outside.map().current();
        Row row = map.lookup(key);
        if (told != null && (row == null || told.version() > row.version())) {
            row = told;
        }
        Incarnation owner = row == null ? null : row.owner();
        String address = owner == null ? null : map.address(owner);
        return row == null || owner == null || address == null
                ? null
                : new Destination(row.id(), row.epoch(), owner, address);
    }

    private void send() {
        Destination to = destination();
        long left = deadlineNanos - loop.nanos();
        if (to == null) {
            refuse("no known owner of " + key);
            sendAgain();
        } else if (left > 0) {
            sendTo(to, left);
        }
    }

    private void sendTo(Destination to, long left) {
        tried = to;
        if (trace != null) {
            sentNanos = loop.nanos();
        }
        Route route = Route.newBuilder().setRange(to.range).setEpoch(to.epoch).build();
        long forServer = left - Math.min(left / 4, REFUSAL_NANOS_MAX);
        int millis = (int) Math.min(Integer.MAX_VALUE, Math.max(1, forServer / 1_000_000));
        CompletableFuture<A> sending = sender.send(to.address, route, millis, left);
        inFlight = sending;
        sending.whenComplete((reply, failure) -> loop.submit(() -> ended(sending, reply, failure)));
    }

    private void ended(CompletableFuture<A> sending, @Nullable A reply, @Nullable Throwable failure) {
        if (sending != inFlight) {
            return; // Given up before.
        }
        inFlight = null;
        if (trace != null) {
            tell(trace, reply, failure == null ? "" : String.valueOf(EventLoop.cause(failure)));
        }
        cancel(movedTimer);
        movedTimer = null;
        if (reply != null) {
            answered(reply);
        } else {
            failed(failure);
        }
    }

    /** Tells the trace of the attempt that has ended. */
    private void tell(CallTrace its, @Nullable A reply, String failure) {
        Destination to = tried;
        if (to == null) {
            return; // Nothing was sent.
        }
        Status status = reply == null ? null : kind.status().apply(reply);
        its.attempted(new CallTrace.Attempt(
                kind.name(),
                to.owner.server(),
                to.range,
                sentNanos,
                loop.nanos(),
                status == null ? null : status.getCode(),
                status == null ? failure : status.getMessage(),
                reply == null ? Timing.getDefaultInstance() : kind.timing().apply(reply)));
    }

    private void answered(A reply) {
        switch (kind.status().apply(reply).getCode()) {
            case NOT_OWNER -> {
                busySince = null;
                refuse(kind.status().apply(reply).getMessage());
                listenTo(kind.current().apply(reply));
                sendAgain();
            }
            case BUSY -> {
                refusal = reply;
                if (isBusyForLong()) {
                    finish(reply);
                } else {
                    sendAgain();
                }
            }
            case UNAVAILABLE -> {
                busySince = null;
                refusal = reply;
                sendAgain();
            }
            case UNKNOWN_OUTCOME -> {
                if (kind.isRepeatable()) {
                    refuse(kind.status().apply(reply).getMessage());
                    sendAgain();
                } else {
                    finish(reply);
                }
            }
            default -> finish(reply);
        }
    }

    /** Retrying does not help a range that has been overloaded for this long, nor its clients. */
    private boolean isBusyForLong() {
        long now = loop.nanos();
        if (busySince == null) {
            busySince = now;
        }
        return now - busySince >= BUSY_NANOS_MAX;
    }

    private void listenTo(RangeRow current) {
        Row row = row(current);
        if (row != null && row.range().contains(key) && (told == null || row.version() > told.version())) {
            told = row;
        }
    }

    private static @Nullable Row row(RangeRow wire) {
        try {
            return wire.getVersion() == 0 ? null : Row.fromWire(wire);
        } catch (IllegalArgumentException notARow) {
            return null; // The same as no row.
        }
    }

    private void failed(@Nullable Throwable failure) {
        Throwable cause = EventLoop.cause(failure);
        boolean isNotExecuted = cause instanceof CallFailed call && call.fate() == CallFailed.Fate.NOT_EXECUTED;
        String message = "no answer from " + tried + ": " + (cause == null ? "" : cause.getMessage());
        if (isNotExecuted || kind.isRepeatable()) {
            refuse(message);
            sendAgain();
        } else {
            finish(kind.reply(ErrorCode.UNKNOWN_OUTCOME, message));
        }
    }

    private void refuse(String message) {
        refusal = kind.reply(ErrorCode.UNAVAILABLE, message);
    }

    /** Retries at once if there is a newer destination (versions only grow, so this terminates); later otherwise. */
    private void sendAgain() {
        Destination to = destination();
        if (to != null && !to.equals(tried)) {
            retries = 0;
            send();
            return;
        }
        long wait = outside.backoff().nanos(retries + 1, outside.random());
        retries++;
        if (loop.nanos() + wait - deadlineNanos < 0) {
            retryTimer = loop.schedule(wait, this::retry);
        }
    }

    private void retry() {
        retryTimer = null;
        if (!answer.isDone() && inFlight == null) {
            send();
        }
    }

    /** Called after each change of the map. */
    void mapChanged() {
        loop.assertInside();
        Destination to = destination();
        if (answer.isDone() || to == null || to.equals(tried)) {
            return;
        }
        if (inFlight == null || kind.isRepeatable()) {
            giveUpSending();
            cancel(retryTimer);
            retryTimer = null;
            retries = 0;
            send();
        } else {
            awaitFormerOwner(inFlight);
        }
    }

    private void awaitFormerOwner(CompletableFuture<A> sending) {
        Destination former = tried;
        boolean lives = former != null && outside.map().current().address(former.owner) != null;
        if (movedTimer == null || (formerOwnerLived && !lives)) {
            cancel(movedTimer);
            formerOwnerLived = lives;
            movedTimer = loop.schedule(lives ? HANDED_OVER_NANOS_MAX : TAKEN_OVER_NANOS_MAX, () -> movedAway(sending));
        }
    }

    /** The range moved, and its former owner did not answer what happened to the write. */
    private void movedAway(CompletableFuture<A> sending) {
        movedTimer = null;
        if (sending == inFlight) {
            finish(kind.reply(
                    ErrorCode.UNKNOWN_OUTCOME,
                    "the range moved while " + tried + " had the request, and no answer came"));
        }
    }

    private void deadlinePassed() {
        if (inFlight != null && !kind.isRepeatable()) {
            finish(kind.reply(ErrorCode.UNKNOWN_OUTCOME, "no answer from " + tried + " before the deadline"));
        } else if (refusal != null) {
            finish(refusal);
        } else {
            finish(kind.reply(ErrorCode.UNAVAILABLE, "no answer from " + tried + " before the deadline"));
        }
    }

    private void giveUpSending() {
        CompletableFuture<A> sending = inFlight;
        inFlight = null;
        if (sending != null) {
            sending.cancel(false);
            if (trace != null) {
                tell(trace, null, "given up");
            }
        }
    }

    private void finish(A reply) {
        if (answer.isDone()) {
            return;
        }
        giveUpSending();
        cancel(deadlineTimer);
        cancel(retryTimer);
        cancel(movedTimer);
        whenDone.accept(this);
        answer.complete(reply);
    }

    private static void cancel(EventLoop.@Nullable Timer timer) {
        if (timer != null) {
            timer.cancel();
        }
    }
}
