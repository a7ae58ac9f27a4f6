package cleave.server.outside;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Runs scans beside the loops, in turns that are fair between accounts. Thread-safe. */
public interface Readers {
    /** Says when a scan must yield to others. Confined to its turn. */
    interface Turn {
        /** True if its turn is over and others wait. */
        boolean isOver(long nowNanos);
    }

    /** A scan. Confined to one turn after the other. */
    interface Scan<T> {
        /** Continues until it is done and returns its result, or until its turn is over and returns null. */
        @Nullable
        T go(Turn turn);
    }

    /**
     * Runs a scan; null if too many wait already. Fails with the exception of the scan.
     *
     * @param account a number that stands for the account whose scan it is
     */
    <T> @Nullable CompletableFuture<T> submit(int account, Scan<T> scan);
}
