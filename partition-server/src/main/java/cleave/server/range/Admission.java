package cleave.server.range;

import cleave.model.AccountNumber;
import cleave.model.Key;
import cleave.model.manifest.DroppedTables;
import cleave.server.metrics.ServerMetrics;
import cleave.server.state.Ownership;
import cleave.wire.ErrorCode;
import cleave.wire.ReadReply;
import cleave.wire.Route;
import cleave.wire.ScanReply;
import cleave.wire.Status;
import java.util.function.Consumer;

/**
 * Admits requests to a range, before any queue and on the caller's thread: one that came to the wrong server, or to one that is
 * overloaded, is refused at once. Thread-safe.
 */
final class Admission {
    /** Accounts are told apart by this number of buckets. */
    private static final int BUCKETS = 256;

    private final Ownership ownership;
    private final MemoryBudget budget;
    private final ServerMetrics metrics;
    private final AccountShares inside;
    private volatile boolean closed;
    private volatile DroppedTables dropped = DroppedTables.NONE;

    Admission(Ownership ownership, RangeContext with) {
        this.ownership = ownership;
        this.inside = new AccountShares(with.settings().queueRequests(), BUCKETS);
        this.budget = with.budget();
        this.metrics = with.metrics();
    }

    /** OK if a request of this size is admitted: it counts until an answer that was {@link #counting} is given. */
    ErrorCode admit(Route route, Key key, int account, int bytes) {
        if (closed || !ownership.agreesWith(route) || !ownership.holds(key)) {
            return ErrorCode.NOT_OWNER;
        }
        if (dropped.contains(key.table())) {
            return ErrorCode.TABLE_DROPPED; // For ever, so it needs no proof.
        }
        if (!budget.admits(account) || !inside.admits(account)) {
            return ErrorCode.BUSY;
        }
        enter(account, bytes);
        return ErrorCode.OK;
    }

    /** As {@link #admit}, for what masters send: rare, repeated until done, and not refused under load. */
    ErrorCode admitOrder(Route route, int bytes) {
        if (closed || !ownership.agreesWith(route)) {
            return ErrorCode.NOT_OWNER;
        }
        enter(AccountNumber.NOBODY, bytes);
        return ErrorCode.OK;
    }

    private void enter(int account, int bytes) {
        inside.take(account, 1);
        budget.take(account, bytes + MemoryBudget.OVERHEAD_BYTES);
        metrics.requestsInside.inc();
    }

    /** The answer to an admitted request of this size; giving it ends the count. */
    <T> Consumer<T> counting(Consumer<T> answer, int account, int bytes) {
        return reply -> {
            inside.give(account, 1);
            metrics.requestsInside.dec();
            budget.give(account, bytes + MemoryBudget.OVERHEAD_BYTES);
            answer.accept(reply);
        };
    }

    /** Drops that are durable. */
    void drop(DroppedTables durable) {
        dropped = durable;
    }

    /** No request is admitted any more. */
    void close() {
        closed = true;
    }

    /** The code, unless the key's table has been dropped since the request was admitted. */
    ErrorCode unlessDropped(ErrorCode code, Key key) {
        return code == ErrorCode.OK && dropped.contains(key.table()) ? ErrorCode.TABLE_DROPPED : code;
    }

    ReadReply readRefused(ErrorCode code) {
        return ReadReply.newBuilder().setStatus(refusal(code)).build();
    }

    ScanReply scanRefused(ErrorCode code) {
        return ScanReply.newBuilder().setStatus(refusal(code)).build();
    }

    /** The status of an answer, counted if it is a refusal. */
    Status status(ErrorCode code, String message) {
        if (code == ErrorCode.OK) {
            return Status.getDefaultInstance();
        }
        metrics.refused.labels(code.name()).inc();
        return Status.newBuilder().setCode(code).setMessage(message).build();
    }

    /** The status of a request that is refused. */
    private Status refusal(ErrorCode code) {
        return status(code, textOf(code));
    }

    String textOf(ErrorCode code) {
        return switch (code) {
            case NOT_OWNER -> "this server does not serve the key under this range and epoch; it serves " + ownership;
            case TABLE_DROPPED -> "the table was dropped";
            case BUSY -> "the range has too much to do";
            case THROTTLED -> "the partition exceeds its limit of entities a second";
            case UNAVAILABLE -> "the commit log was sealed or is being replaced, or the store failed";
            default -> code.name();
        };
    }
}
