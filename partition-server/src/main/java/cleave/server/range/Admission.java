package cleave.server.range;

import cleave.model.AccountNumber;
import cleave.model.Key;
import cleave.model.manifest.DroppedTables;
import cleave.server.metrics.ServerMetrics;
import cleave.server.state.Ownership;
import cleave.wire.ErrorCode;
import cleave.wire.Route;
import cleave.wire.Status;
import java.util.function.Consumer;

/**
 * Lets requests into a range, before any queue and on the caller's thread: whoever asks the wrong server, or one that has too much
 * to do, is told at once. Thread-safe.
 */
final class Admission {
    /** Accounts of this many buckets are told apart. */
    private static final int BUCKETS = 256;

    private final Ownership ownership;
    private final MemoryBudget budget;
    private final ServerMetrics metrics;
    private final AccountShares inside;
    private volatile boolean closed;
    private volatile DroppedTables dropped;

    Admission(Ownership ownership, DroppedTables dropped, RangeContext with) {
        this.ownership = ownership;
        this.dropped = dropped;
        this.inside = new AccountShares(with.settings().queueRequests(), BUCKETS);
        this.budget = with.budget();
        this.metrics = with.metrics();
    }

    /** OK if a request of so many bytes may enter: it is counted until an answer that was {@link #counting} is given. */
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

    /** As {@link #admit}, for what masters send: rare, repeated until done, and not to be kept out by load. */
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

    /** The answer of a request of so many bytes that was let in, which counts it out. */
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

    /** Nobody is let in any more. */
    void close() {
        closed = true;
    }

    boolean isClosed() {
        return closed;
    }

    /** The status of an answer, counted if it is a refusal. */
    Status status(ErrorCode code, String message) {
        if (code == ErrorCode.OK) {
            return Status.getDefaultInstance();
        }
        metrics.refused.labels(code.name()).inc();
        return Status.newBuilder().setCode(code).setMessage(message).build();
    }

    /** The status of a request that is not let in or not looked at. */
    Status refusal(ErrorCode code) {
        return status(code, textOf(code));
    }

    String textOf(ErrorCode code) {
        return switch (code) {
            case NOT_OWNER -> "this server does not serve the key under this range and epoch; it serves " + ownership;
            case TABLE_DROPPED -> "the table was dropped";
            case BUSY -> "the range has too much to do";
            case THROTTLED -> "the partition is asked for more entities a second than it may be";
            case UNAVAILABLE -> "the commit log was sealed or is being replaced, or the store failed";
            default -> code.name();
        };
    }
}
