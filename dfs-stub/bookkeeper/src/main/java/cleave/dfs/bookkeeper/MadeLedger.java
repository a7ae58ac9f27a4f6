package cleave.dfs.bookkeeper;

import java.util.concurrent.atomic.AtomicReference;
import org.apache.bookkeeper.client.api.WriteHandle;
import org.jspecify.annotations.Nullable;

/**
 * The ledger that a call has made so far. Thread-safe.
 *
 * <p>Invariant: of a call that failed no handle stays open, however late the bookies answer.
 */
final class MadeLedger {
    private final AtomicReference<WriteHandle> handle = new AtomicReference<>();
    private volatile boolean isGivenUp;

    /** Null if none was made yet. */
    @Nullable
    WriteHandle handle() {
        return handle.get();
    }

    /** False if the call has failed meanwhile; then the ledger is closed. */
    boolean keep(WriteHandle made) {
        handle.set(made);
        boolean isLate = isGivenUp;
        if (isLate) {
            made.closeAsync();
        }
        return !isLate;
    }

    /** The call has failed. */
    void giveUp() {
        isGivenUp = true;
        WriteHandle made = handle.get();
        if (made != null) {
            made.closeAsync();
        }
    }
}
