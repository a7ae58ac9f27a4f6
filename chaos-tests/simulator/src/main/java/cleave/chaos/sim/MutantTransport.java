package cleave.chaos.sim;

import cleave.model.Key;
import cleave.model.Row;
import cleave.route.CallFailed;
import cleave.route.MapView;
import cleave.route.RangeTransport;
import cleave.wire.DropReply;
import cleave.wire.DropRequest;
import cleave.wire.ReadReply;
import cleave.wire.ReadRequest;
import cleave.wire.ScanEnd;
import cleave.wire.ScanReply;
import cleave.wire.ScanRequest;
import cleave.wire.WriteReply;
import cleave.wire.WriteRequest;
import java.util.concurrent.CompletableFuture;

/** A front end's access to the servers, with a planted bug. Confined to the simulation. */
final class MutantTransport implements RangeTransport {
    private final RangeTransport transport;
    private final MapView map;
    private final Bug bug;

    MutantTransport(RangeTransport transport, MapView map, Bug bug) {
        this.transport = transport;
        this.map = map;
        this.bug = bug;
    }

    @Override
    public CompletableFuture<WriteReply> write(String address, WriteRequest request, long timeoutNanos) {
        CompletableFuture<WriteReply> reply = transport.write(address, request, timeoutNanos);
        return bug == Bug.WRITE_RETRIED_AFTER_UNKNOWN_ANSWER
                ? reply.exceptionallyCompose(failure -> CompletableFuture.failedFuture(
                        new CallFailed(CallFailed.Fate.NOT_EXECUTED, String.valueOf(failure.getMessage()))))
                : reply;
    }

    @Override
    public CompletableFuture<ReadReply> read(String address, ReadRequest request, long timeoutNanos) {
        return transport.read(address, request, timeoutNanos);
    }

    @Override
    public CompletableFuture<ScanReply> scan(String address, ScanRequest request, long timeoutNanos) {
        CompletableFuture<ScanReply> reply = transport.scan(address, request, timeoutNanos);
        return bug == Bug.SCAN_CONTINUED_FROM_OWN_MAP
                ? reply.thenApply(end -> continuedFromMap(Key.fromWire(request.getStart()), end))
                : reply;
    }

    private ScanReply continuedFromMap(Key start, ScanReply end) {
        Row row = map.current().lookup(start);
        return row == null || end.getEnded() != ScanEnd.END_OF_RANGE
                ? end
                : end.toBuilder().setExaminedUntil(row.range().endToWire()).build();
    }

    @Override
    public CompletableFuture<DropReply> drop(String address, DropRequest request, long timeoutNanos) {
        return transport.drop(address, request, timeoutNanos);
    }
}
