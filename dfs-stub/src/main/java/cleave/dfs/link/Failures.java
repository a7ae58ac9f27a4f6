package cleave.dfs.link;

import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import java.util.concurrent.CompletionException;

/** Unwraps the failures of futures. Pure. */
public final class Failures {
    private Failures() {}

    /** The cause, without the wrappers of futures. */
    public static Throwable cause(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause(cause) : failure;
    }

    /** The reason of a {@link DfsException}; any other failure counts as BROKEN. */
    public static Reason reason(Throwable failure) {
        return cause(failure) instanceof DfsException known ? known.reason() : Reason.BROKEN;
    }
}
