package cleave.frontend.handlers;

import cleave.wire.AllocateReply;
import cleave.wire.CommandReply;
import java.util.concurrent.CompletableFuture;

/** What a front end asks the masters for. Futures complete inside the loop of the caller; at the deadline at the latest. */
public interface TableMaster {
    /** Ids that no table has or ever had. */
    CompletableFuture<AllocateReply> allocateTableIds(int count, long deadlineNanos);

    /**
     * Drops a table, or joins its drop, and answers when that has come to its end.
     *
     * @param name in lower case
     */
    CompletableFuture<CommandReply> dropTable(String account, String name, long table, long deadlineNanos);
}
