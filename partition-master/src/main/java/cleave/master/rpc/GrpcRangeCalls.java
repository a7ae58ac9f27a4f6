package cleave.master.rpc;

import cleave.loop.EventLoop;
import cleave.master.loop.RangeCalls;
import cleave.model.Key;
import cleave.route.MapView;
import cleave.route.RangeClient;
import cleave.route.RetryPolicy;
import cleave.route.rpc.GrpcRangeTransport;
import cleave.rpc.CallTimeout;
import cleave.rpc.Channels;
import cleave.wire.DropReply;
import cleave.wire.RangesGrpc;
import cleave.wire.ReadReply;
import cleave.wire.SplitOrder;
import cleave.wire.SplitReply;
import cleave.wire.WriteOperation;
import cleave.wire.WriteReply;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/** Calls to partition servers: routed by this master's own map, split orders straight to an address. Confined to the master loop. */
public final class GrpcRangeCalls implements RangeCalls {
    private final EventLoop loop;
    private final Channels channels;
    private final RangeClient ranges;

    public GrpcRangeCalls(EventLoop loop, Channels channels, MapView map, Random random) {
        this.loop = loop;
        this.channels = channels;
        ranges = new RangeClient(loop, new GrpcRangeTransport(channels), map, RetryPolicy.DEFAULT, random);
    }

    @Override
    public CompletableFuture<ReadReply> read(Key key, long deadlineNanos) {
        return ranges.read(key, deadlineNanos);
    }

    @Override
    public CompletableFuture<WriteReply> write(WriteOperation operation, long deadlineNanos) {
        return ranges.write(List.of(operation), deadlineNanos);
    }

    @Override
    public CompletableFuture<DropReply> drop(Key at, long table, long deadlineNanos) {
        return ranges.drop(at, table, deadlineNanos);
    }

    @Override
    public CompletableFuture<SplitReply> split(String address, SplitOrder order, long deadlineNanos) {
        CompletableFuture<SplitReply> answer = new CompletableFuture<>();
        try {
            CallTimeout.on(RangesGrpc.newStub(channels.to(address)), deadlineNanos - loop.nanos())
                    .split(order, new Completion(answer));
        } catch (IllegalArgumentException noAddress) {
            answer.completeExceptionally(noAddress);
        }
        return answer;
    }

    private record Completion(CompletableFuture<SplitReply> answer) implements StreamObserver<SplitReply> {
        @Override
        public void onNext(SplitReply reply) {
            answer.complete(reply);
        }

        @Override
        public void onError(Throwable failure) {
            answer.completeExceptionally(failure);
        }

        @Override
        public void onCompleted() {
            answer.completeExceptionally(new IllegalStateException("ended without a reply"));
        }
    }
}
