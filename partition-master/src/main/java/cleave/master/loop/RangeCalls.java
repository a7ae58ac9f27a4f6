package cleave.master.loop;

import cleave.model.Key;
import cleave.wire.DropReply;
import cleave.wire.ReadReply;
import cleave.wire.SplitOrder;
import cleave.wire.SplitReply;
import cleave.wire.WriteOperation;
import cleave.wire.WriteReply;
import java.util.concurrent.CompletableFuture;

/**
 * What a master asks of partition servers. Thread-safe. Deadlines are absolute, on the loop's monotonic clock; a future that
 * fails means the same as UNKNOWN_OUTCOME.
 */
public interface RangeCalls {
    CompletableFuture<ReadReply> read(Key key, long deadlineNanos);

    CompletableFuture<WriteReply> write(WriteOperation operation, long deadlineNanos);

    /** Has a table's drop logged by the range that holds a key; the reply says for which interval it counts. */
    CompletableFuture<DropReply> drop(Key at, long table, long deadlineNanos);

    /** Tells the owner at an address to split one of its ranges. */
    CompletableFuture<SplitReply> split(String address, SplitOrder order, long deadlineNanos);
}
