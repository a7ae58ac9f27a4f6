package cleave.server.outside;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Runs scans beside the loops, in turns that are fair between accounts. Thread-safe. */
public interface Readers {
    /** Tells a scan when it is to make way for others. Confined to its turn. */
    interface Turn {
        /** True if its turn is over and others wait. */
        boolean isOver(long nowNanos);
    }

    /** A scan. Confined to one turn after the other. */
    interface Scan<T> {
        /** Goes on until it is done, and gives its result, or until its turn is over, and gives null. */
        @Nullable
        T go(Turn turn);
    }

    /**
     * Null if too many wait already; fails with whatever the scan threw.
     *
     * @param account a number that stands for the account whose scan it is
     */
    <T> @Nullable CompletableFuture<T> submit(int account, Scan<T> scan);
}
