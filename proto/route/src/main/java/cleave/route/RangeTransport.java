package cleave.route;

import cleave.wire.DropReply;
import cleave.wire.DropRequest;
import cleave.wire.ReadReply;
import cleave.wire.ReadRequest;
import cleave.wire.ScanReply;
import cleave.wire.ScanRequest;
import cleave.wire.WriteReply;
import cleave.wire.WriteRequest;
import java.util.concurrent.CompletableFuture;

/**
 * Calls to partition servers, by address. The futures complete on any thread: with the reply, or with {@link CallFailed} (any other failure
 * counts as {@link CallFailed.Fate#UNKNOWN}). The caller cancels one when its timeout has passed; until then resources for the reply may be
 * kept. Call it inside the caller's loop; no method blocks or throws.
 */
public interface RangeTransport {
    CompletableFuture<WriteReply> write(String address, WriteRequest request, long timeoutNanos);

    CompletableFuture<ReadReply> read(String address, ReadRequest request, long timeoutNanos);

    CompletableFuture<ScanReply> scan(String address, ScanRequest request, long timeoutNanos);

    CompletableFuture<DropReply> drop(String address, DropRequest request, long timeoutNanos);
}
