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
import cleave.wire.HandoffCancel;
import cleave.wire.HandoffOrder;
import cleave.wire.HandoffOutcome;
import cleave.wire.RangesGrpc;
import cleave.wire.RangesGrpc.RangesStub;
import cleave.wire.ReadReply;
import cleave.wire.WriteOperation;
import cleave.wire.WriteReply;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

/** Calls to partition servers: routed by this master's own map, orders straight to an address. Confined to the master loop. */
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
    public CompletableFuture<HandoffOutcome> handoff(String address, HandoffOrder order, long deadlineNanos) {
        return call(address, deadlineNanos, (stub, observer) -> stub.handoff(order, observer));
    }

    @Override
    public CompletableFuture<HandoffOutcome> cancelHandoff(String address, HandoffCancel cancel, long deadlineNanos) {
        return call(address, deadlineNanos, (stub, observer) -> stub.cancelHandoff(cancel, observer));
    }

    private CompletableFuture<HandoffOutcome> call(
            String address, long deadlineNanos, BiConsumer<RangesStub, Completion> method) {
        CompletableFuture<HandoffOutcome> answer = new CompletableFuture<>();
        try {
            RangesStub stub = CallTimeout.on(RangesGrpc.newStub(channels.to(address)), deadlineNanos - loop.nanos());
            method.accept(stub, new Completion(answer));
        } catch (IllegalArgumentException noAddress) {
            answer.completeExceptionally(noAddress);
        }
        return answer;
    }

    private record Completion(CompletableFuture<HandoffOutcome> answer) implements StreamObserver<HandoffOutcome> {
        @Override
        public void onNext(HandoffOutcome reply) {
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
