package cleave.master.rpc;

import cleave.master.servers.RangeCalls;
import cleave.model.Key;
import cleave.route.MapView;
import cleave.route.RangeClient;
import cleave.route.rpc.UnaryCalls;
import cleave.runtime.loop.EventLoop;
import cleave.runtime.rpc.Channels;
import cleave.wire.DropReply;
import cleave.wire.HandoffCancel;
import cleave.wire.HandoffOrder;
import cleave.wire.HandoffOutcome;
import cleave.wire.RangesGrpc;
import cleave.wire.ReadReply;
import cleave.wire.ScanReply;
import cleave.wire.ScanRequest;
import cleave.wire.WriteOperation;
import cleave.wire.WriteReply;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Calls to partition servers: routed by this master's own map, orders straight to an address. Confined to the master loop. */
public final class GrpcRangeCalls implements RangeCalls {
    private final EventLoop loop;
    private final UnaryCalls orders;
    private final RangeClient ranges;
    private final Function<String, CompletableFuture<Boolean>> probe;

    /** @param probe as {@link #refuses} */
    public GrpcRangeCalls(
            EventLoop loop,
            Channels channels,
            MapView map,
            Random random,
            Function<String, CompletableFuture<Boolean>> probe) {
        this.loop = loop;
        this.probe = probe;
        this.orders = new UnaryCalls(channels);
        ranges = new RangeClient(loop, orders, map, random);
    }

    @Override
    public CompletableFuture<ReadReply> read(Key key, long deadlineNanos) {
        loop.assertInside();
        return ranges.read(key, deadlineNanos);
    }

    @Override
    public CompletableFuture<ScanReply> scan(ScanRequest.Builder request, long deadlineNanos) {
        loop.assertInside();
        return ranges.scan(request, deadlineNanos);
    }

    @Override
    public CompletableFuture<WriteReply> write(WriteOperation operation, long deadlineNanos) {
        loop.assertInside();
        return ranges.write(List.of(operation), deadlineNanos);
    }

    @Override
    public CompletableFuture<DropReply> drop(Key at, long table, long deadlineNanos) {
        loop.assertInside();
        return ranges.drop(at, table, deadlineNanos);
    }

    @Override
    public CompletableFuture<HandoffOutcome> handoff(String address, HandoffOrder order, long deadlineNanos) {
        loop.assertInside();
        return orders.call(address, RangesGrpc.getHandoffMethod(), order, deadlineNanos - loop.nanos());
    }

    @Override
    public CompletableFuture<HandoffOutcome> cancelHandoff(String address, HandoffCancel cancel, long deadlineNanos) {
        loop.assertInside();
        return orders.call(address, RangesGrpc.getCancelHandoffMethod(), cancel, deadlineNanos - loop.nanos());
    }

    @Override
    public CompletableFuture<Boolean> refuses(String address) {
        loop.assertInside();
        return probe.apply(address);
    }
}
