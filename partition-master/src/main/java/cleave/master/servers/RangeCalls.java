package cleave.master.servers;

import cleave.model.Key;
import cleave.wire.DropReply;
import cleave.wire.HandoffCancel;
import cleave.wire.HandoffOrder;
import cleave.wire.HandoffOutcome;
import cleave.wire.ReadReply;
import cleave.wire.WriteOperation;
import cleave.wire.WriteReply;
import java.util.concurrent.CompletableFuture;

/**
 * What a master asks of partition servers. Called from the master loop. Deadlines are absolute, on the loop's monotonic clock; a future that
 * fails means the same as UNKNOWN_OUTCOME.
 */
public interface RangeCalls {
    CompletableFuture<ReadReply> read(Key key, long deadlineNanos);

    CompletableFuture<WriteReply> write(WriteOperation operation, long deadlineNanos);

    /** Has a table's drop logged by the range that holds a key; the reply says for which interval it counts. */
    CompletableFuture<DropReply> drop(Key at, long table, long deadlineNanos);

    /** Has the owner at an address carry out a handoff of its ranges; answers when that has ended. */
    CompletableFuture<HandoffOutcome> handoff(String address, HandoffOrder order, long deadlineNanos);

    /** Has the owner at an address give up a handoff that has not begun its switch; answers when it has ended. */
    CompletableFuture<HandoffOutcome> cancelHandoff(String address, HandoffCancel cancel, long deadlineNanos);
}
