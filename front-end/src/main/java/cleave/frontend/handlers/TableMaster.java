package cleave.frontend.handlers;

import cleave.wire.AllocateReply;
import cleave.wire.CommandReply;
import java.util.concurrent.CompletableFuture;

/** The requests of a front end to the masters. Futures complete inside the caller's loop, by the deadline at the latest. */
public interface TableMaster {
    /** Allocates table ids that were never used before. */
    CompletableFuture<AllocateReply> allocateTableIds(int count, long deadlineNanos);

    /**
     * Drops a table, or joins a drop in progress; completes when the drop has ended.
     *
     * @param name in lower case
     */
    CompletableFuture<CommandReply> dropTable(String account, String name, long table, long deadlineNanos);
}
