package cleave.master.servers;

import cleave.model.Key;
import cleave.wire.DropReply;
import cleave.wire.HandoffCancel;
import cleave.wire.HandoffOrder;
import cleave.wire.HandoffOutcome;
import cleave.wire.ReadReply;
import cleave.wire.ScanReply;
import cleave.wire.ScanRequest;
import cleave.wire.WriteOperation;
import cleave.wire.WriteReply;
import java.util.concurrent.CompletableFuture;

/**
 * A master's calls to partition servers. Called from the master loop. Deadlines are absolute, on the loop's monotonic
 * clock; a failed future means the same as UNKNOWN_OUTCOME.
 */
public interface RangeCalls {
    CompletableFuture<ReadReply> read(Key key, long deadlineNanos);

    /** One page from the owner of the start key. */
    CompletableFuture<ScanReply> scan(ScanRequest.Builder request, long deadlineNanos);

    CompletableFuture<WriteReply> write(WriteOperation operation, long deadlineNanos);

    /** Has the range that holds a key log the drop of a table. The reply says for which interval it is logged. */
    CompletableFuture<DropReply> drop(Key at, long table, long deadlineNanos);

    /** Has the owner at an address carry out a handoff of its ranges. Answers when that has ended. */
    CompletableFuture<HandoffOutcome> handoff(String address, HandoffOrder order, long deadlineNanos);

    /** Has the owner at an address cancel a handoff that has not begun its switch. Answers when it has ended. */
    CompletableFuture<HandoffOutcome> cancelHandoff(String address, HandoffCancel cancel, long deadlineNanos);

    /** True if the machine at an address says that nobody listens there; false if that is not known. Never fails. */
    CompletableFuture<Boolean> refuses(String address);
}
