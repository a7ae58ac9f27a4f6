package cleave.server.rpc;

import cleave.model.Key;
import cleave.model.Row;
import cleave.route.MapView;
import cleave.server.membership.Membership;
import cleave.server.range.AccountShares;
import cleave.server.range.Directory;
import cleave.server.range.Range;
import cleave.server.range.RangeRequests;
import cleave.wire.DropReply;
import cleave.wire.DropRequest;
import cleave.wire.ErrorCode;
import cleave.wire.FinishReply;
import cleave.wire.FinishRequest;
import cleave.wire.HandoffCancel;
import cleave.wire.HandoffOrder;
import cleave.wire.HandoffOutcome;
import cleave.wire.PrepareReply;
import cleave.wire.PrepareRequest;
import cleave.wire.RangeReply;
import cleave.wire.RangeRequest;
import cleave.wire.RangeRow;
import cleave.wire.RangesGrpc.RangesImplBase;
import cleave.wire.ReadReply;
import cleave.wire.ReadRequest;
import cleave.wire.Route;
import cleave.wire.ScanReply;
import cleave.wire.ScanRequest;
import cleave.wire.Status;
import cleave.wire.WriteReply;
import cleave.wire.WriteRequest;
import com.google.protobuf.ByteString;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The requests to a partition server, passed on to the range that they name, or to the membership if they concern handoffs.
 * Thread-safe. To the answer NOT_OWNER it adds the row that this server knows for the key: from its own handoffs, or from its map.
 */
public final class RangesService extends RangesImplBase {
    private final Directory directory;
    private final MapView map;
    private final Membership membership;
    private final AccountShares memory;
    private final Set<RequestStream> streams = ConcurrentHashMap.newKeySet();
    private volatile boolean leaving;

    public RangesService(Directory directory, MapView map, Membership membership, AccountShares memory) {
        this.directory = directory;
        this.map = map;
        this.membership = membership;
        this.memory = memory;
    }

    @Override
    public StreamObserver<RangeRequest> exchange(StreamObserver<RangeReply> observer) {
        RequestStream stream = new RequestStream(
                (ServerCallStreamObserver<RangeReply>) observer,
                this::write,
                this::read,
                this::scan,
                memory,
                streams::remove);
        streams.add(stream);
        if (leaving) {
            stream.leave();
        }
        return stream;
    }

    /** Executes nothing more that comes on streams, and ends each when all of it is answered. */
    public void leave() {
        leaving = true;
        streams.forEach(RequestStream::leave);
    }

    @Override
    public void write(WriteRequest request, StreamObserver<WriteReply> observer) {
        AccountedReply<WriteReply> accounted = new AccountedReply<>(observer, request.getAccount(), memory);
        write(request, accounted::send);
    }

    private void write(WriteRequest request, Consumer<WriteReply> observer) {
        Consumer<WriteReply> reply = answer -> {
            RangeRow row = request.getOperationsCount() == 0
                    ? null
                    : redirect(answer.getStatus(), request.getOperations(0).getKey());
            observer.accept(
                    row == null ? answer : answer.toBuilder().setCurrent(row).build());
        };
        pass(
                request.getRoute(),
                range -> range.write(request, reply),
                refusal ->
                        reply.accept(WriteReply.newBuilder().setStatus(refusal).build()));
    }

    @Override
    public void read(ReadRequest request, StreamObserver<ReadReply> observer) {
        AccountedReply<ReadReply> accounted = new AccountedReply<>(observer, request.getAccount(), memory);
        read(request, accounted::send);
    }

    private void read(ReadRequest request, Consumer<ReadReply> observer) {
        Consumer<ReadReply> reply = answer -> {
            RangeRow row = redirect(answer.getStatus(), request.getKey());
            observer.accept(
                    row == null ? answer : answer.toBuilder().setCurrent(row).build());
        };
        pass(
                request.getRoute(),
                range -> range.read(request, reply),
                refusal ->
                        reply.accept(ReadReply.newBuilder().setStatus(refusal).build()));
    }

    @Override
    public void scan(ScanRequest request, StreamObserver<ScanReply> observer) {
        AccountedReply<ScanReply> accounted = new AccountedReply<>(observer, request.getAccount(), memory);
        scan(request, accounted::send);
    }

    private void scan(ScanRequest request, Consumer<ScanReply> observer) {
        Consumer<ScanReply> reply = answer -> {
            RangeRow row = redirect(answer.getStatus(), request.getStart());
            observer.accept(
                    row == null ? answer : answer.toBuilder().setCurrent(row).build());
        };
        pass(
                request.getRoute(),
                range -> range.scan(request, reply),
                refusal ->
                        reply.accept(ScanReply.newBuilder().setStatus(refusal).build()));
    }

    @Override
    public void drop(DropRequest request, StreamObserver<DropReply> observer) {
        pass(
                request.getRoute(),
                range -> range.drop(request, answer -> send(observer, answer)),
                refusal ->
                        send(observer, DropReply.newBuilder().setStatus(refusal).build()));
    }

    @Override
    public void handoff(HandoffOrder order, StreamObserver<HandoffOutcome> observer) {
        membership.handoff(order).thenAccept(outcome -> send(observer, outcome));
    }

    @Override
    public void cancelHandoff(HandoffCancel order, StreamObserver<HandoffOutcome> observer) {
        membership.cancel(order).thenAccept(outcome -> send(observer, outcome));
    }

    @Override
    public void prepare(PrepareRequest request, StreamObserver<PrepareReply> observer) {
        membership.prepare(request).thenAccept(reply -> send(observer, reply));
    }

    @Override
    public void finish(FinishRequest request, StreamObserver<FinishReply> observer) {
        membership.finish(request).thenAccept(reply -> send(observer, reply));
    }

    /** Passes a request on to the range that its route names, or refuses it if this server does not serve that. */
    private void pass(Route route, Consumer<RangeRequests> request, Consumer<Status> refusal) {
        Range range = directory.range(route);
        if (range == null) {
            refusal.accept(Status.newBuilder()
                    .setCode(ErrorCode.NOT_OWNER)
                    .setMessage("this server does not serve range " + Row.idText(route.getRange()))
                    .build());
        } else {
            request.accept(range.requests());
        }
    }

    /** The row for a key of a request that came to the wrong server, as far as this server knows it; otherwise null. */
    private @Nullable RangeRow redirect(Status status, ByteString key) {
        if (status.getCode() != ErrorCode.NOT_OWNER) {
            return null;
        }
        Row mapped = map.current().lookup(Key.fromWire(key));
        Row handedOver = directory.successor(Key.fromWire(key));
        boolean knowsBetter = handedOver != null && (mapped == null || mapped.version() < handedOver.version());
        Row row = knowsBetter ? handedOver : mapped;
        return row == null ? null : row.toWire();
    }

    private static <T> void send(StreamObserver<T> observer, T reply) {
        if (observer instanceof ServerCallStreamObserver<T> call && call.isCancelled()) {
            return; // The caller has gone; the request stays executed.
        }
        observer.onNext(reply);
        observer.onCompleted();
    }
}
