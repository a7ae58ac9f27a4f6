package cleave.dfs.bookkeeper;

import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.bookkeeper.client.BKException;

/** Examines the exceptions of failed futures. */
final class Failures {
    private Failures() {}

    static Throwable cause(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException || cause instanceof ExecutionException) {
            Throwable inner = cause.getCause();
            if (inner == null) {
                return cause;
            }
            cause = inner;
        }
        return cause;
    }

    static boolean is(Throwable failure, Reason reason) {
        return cause(failure) instanceof DfsException known && known.reason() == reason;
    }

    static boolean isMissingLedger(Throwable failure) {
        Throwable cause = cause(failure);
        return cause instanceof BKException.BKNoSuchLedgerExistsException
                || cause instanceof BKException.BKNoSuchLedgerExistsOnMetadataServerException;
    }

    /** Somebody deleted the ledger of a name behind Cleave's back: the file's bytes are lost. */
    static DfsException lostLedger(String path, long ledger) {
        return new DfsException(
                Reason.DAMAGED,
                path + ": its ledger " + ledger + " is missing",
                new BKException.BKNoSuchLedgerExistsException());
    }

    static boolean isLostLedger(Throwable failure) {
        return is(failure, Reason.DAMAGED)
                && cause(failure).getCause() instanceof BKException.BKNoSuchLedgerExistsException;
    }

    static <T> CompletableFuture<T> failed(Reason reason, String message) {
        return CompletableFuture.failedFuture(new DfsException(reason, message));
    }

    /** Goes on after a failure of this kind. */
    static <T> CompletableFuture<T> recover(
            CompletableFuture<T> future, Function<Throwable, Boolean> when, Supplier<CompletableFuture<T>> then) {
        return future.handle((value, failure) -> {
                    if (failure == null) {
                        return CompletableFuture.completedFuture(value);
                    }
                    return when.apply(failure) ? then.get() : CompletableFuture.<T>failedFuture(cause(failure));
                })
                .thenCompose(Function.identity());
    }
}
