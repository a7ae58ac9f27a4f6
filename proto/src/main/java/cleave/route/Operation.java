package cleave.route;

import cleave.wire.ErrorCode;
import cleave.wire.RangeRow;
import cleave.wire.Route;
import cleave.wire.Status;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * What differs between the kinds of requests, for {@link RangeCall}. Confined to one request.
 *
 * @param repeat whether it may be sent again although it may have been executed
 * @param current of a reply: the row that came with NOT_OWNER, the default instance if none did
 * @param made a reply made here, when none can be had
 */
record Operation<A>(
        Repeat repeat,
        Sender<A> sender,
        Function<A, Status> status,
        Function<A, RangeRow> current,
        Function<Status, A> made) {

    enum Repeat {
        FREELY,
        UNLESS_EXECUTED
    }

    interface Sender<A> {
        CompletableFuture<A> send(String address, Route route, int deadlineMillis, long timeoutNanos);
    }

    A reply(ErrorCode code, String message) {
        return made.apply(Status.newBuilder().setCode(code).setMessage(message).build());
    }
}
