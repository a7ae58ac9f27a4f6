package cleave.dfs.loop;

import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import java.util.concurrent.CompletionException;

/** What failed futures carry. Pure. */
public final class Failures {
    private Failures() {}

    /** The failure itself, without what futures wrap around it. */
    public static Throwable cause(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause(cause) : failure;
    }

    /** Why the DFS did not do it; what is no answer of the DFS is taken for BROKEN. */
    public static Reason reason(Throwable failure) {
        return cause(failure) instanceof DfsException known ? known.reason() : Reason.BROKEN;
    }
}
