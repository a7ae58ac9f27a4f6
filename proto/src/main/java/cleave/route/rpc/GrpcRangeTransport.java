package cleave.route.rpc;

import cleave.route.RangeTransport;
import cleave.runtime.rpc.Channels;
import cleave.wire.DropReply;
import cleave.wire.DropRequest;
import cleave.wire.RangesGrpc;
import cleave.wire.ReadReply;
import cleave.wire.ReadRequest;
import cleave.wire.ScanReply;
import cleave.wire.ScanRequest;
import cleave.wire.WriteReply;
import cleave.wire.WriteRequest;
import java.util.concurrent.CompletableFuture;

/** Calls to partition servers over gRPC. Thread-safe. */
public final class GrpcRangeTransport implements RangeTransport {
    private final UnaryCalls calls;

    public GrpcRangeTransport(Channels channels) {
        this.calls = new UnaryCalls(channels);
    }

    @Override
    public CompletableFuture<WriteReply> write(String address, WriteRequest request, long timeoutNanos) {
        return calls.call(address, RangesGrpc.getWriteMethod(), request, timeoutNanos);
    }

    @Override
    public CompletableFuture<ReadReply> read(String address, ReadRequest request, long timeoutNanos) {
        return calls.call(address, RangesGrpc.getReadMethod(), request, timeoutNanos);
    }

    @Override
    public CompletableFuture<ScanReply> scan(String address, ScanRequest request, long timeoutNanos) {
        return calls.call(address, RangesGrpc.getScanMethod(), request, timeoutNanos);
    }

    @Override
    public CompletableFuture<DropReply> drop(String address, DropRequest request, long timeoutNanos) {
        return calls.call(address, RangesGrpc.getDropMethod(), request, timeoutNanos);
    }
}
