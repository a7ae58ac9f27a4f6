package cleave.route;

import cleave.model.AccountNumber;
import cleave.model.Key;
import cleave.model.RequestId;
import cleave.route.RangeCall.Kind;
import cleave.route.RangeCall.Sender;
import cleave.runtime.loop.Backoff;
import cleave.runtime.loop.EventLoop;
import cleave.wire.DropReply;
import cleave.wire.DropRequest;
import cleave.wire.ReadReply;
import cleave.wire.ReadRequest;
import cleave.wire.ScanReply;
import cleave.wire.ScanRequest;
import cleave.wire.Timing;
import cleave.wire.WriteOperation;
import cleave.wire.WriteReply;
import cleave.wire.WriteRequest;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to the owners of their keys, as the watched map names them. Confined to its loop; the futures complete
 * inside it, always with a reply.
 *
 * <p>A write is sent again only after an answer that says it was not executed (NOT_OWNER, BUSY, UNAVAILABLE), or when it
 * cannot have left this process; after a broken call its reply is UNKNOWN_OUTCOME. Reads, scans and drops are sent again
 * freely. No reply carries NOT_OWNER: at the deadline the last BUSY or UNAVAILABLE stands.
 *
 * <p>The caller bounds the number of concurrent requests.
 */
public final class RangeClient {
    private static final Kind<WriteReply> WRITE = new Kind<>(
            "write",
            false,
            WriteReply::getStatus,
            WriteReply::getCurrent,
            WriteReply::getTiming,
            status -> WriteReply.newBuilder().setStatus(status).build());
    private static final Kind<ReadReply> READ = new Kind<>(
            "read",
            true,
            ReadReply::getStatus,
            ReadReply::getCurrent,
            ReadReply::getTiming,
            status -> ReadReply.newBuilder().setStatus(status).build());
    private static final Kind<ScanReply> SCAN = new Kind<>(
            "scan",
            true,
            ScanReply::getStatus,
            ScanReply::getCurrent,
            ScanReply::getTiming,
            status -> ScanReply.newBuilder().setStatus(status).build());
    private static final Kind<DropReply> DROP = new Kind<>(
            "drop",
            true,
            DropReply::getStatus,
            DropReply::getCurrent,
            reply -> Timing.getDefaultInstance(),
            status -> DropReply.newBuilder().setStatus(status).build());

    private static final Backoff BACKOFF = new Backoff(4_000_000, 100_000_000);

    private final RangeTransport transport;
    private final RangeCall.Outside outside;
    /** In order of arrival. */
    private final Set<RangeCall<?>> underWay = new LinkedHashSet<>();

    public RangeClient(EventLoop loop, RangeTransport transport, MapView map, Random random) {
        this.transport = transport;
        this.outside = new RangeCall.Outside(loop, map, BACKOFF, random);
        map.onChange(() -> loop.submit(this::mapChanged));
    }

    /** All operations are on one partition, and happen together or not at all. The deadline is on the loop's nanos. */
    public CompletableFuture<WriteReply> write(List<WriteOperation> operations, long deadlineNanos) {
        return write(AccountNumber.NOBODY, RequestId.NONE, null, operations, deadlineNanos);
    }

    /**
     * The same for an account, known by its {@link AccountNumber}, and a client's request.
     *
     * @param trace of the request; null if it has none
     */
    public CompletableFuture<WriteReply> write(
            int account, RequestId id, @Nullable CallTrace trace, List<WriteOperation> operations, long deadlineNanos) {
        WriteRequest.Builder request = WriteRequest.newBuilder()
                .addAllOperations(operations)
                .setAccount(account)
                .setRequestHigh(id.high())
                .setRequestLow(id.low());
        if (trace != null) {
            request.setTrace(trace.context());
        }
        Sender<WriteReply> sender = (address, route, millis, timeoutNanos) -> transport.write(
                address, request.setRoute(route).setDeadlineMillis(millis).build(), timeoutNanos);
        return begin(WRITE, sender, trace, Key.fromWire(operations.get(0).getKey()), deadlineNanos);
    }

    public CompletableFuture<ReadReply> read(Key key, long deadlineNanos) {
        return read(AccountNumber.NOBODY, RequestId.NONE, null, key, deadlineNanos);
    }

    /**
     * The same for an account, known by its {@link AccountNumber}, and a client's request.
     *
     * @param trace of the request; null if it has none
     */
    public CompletableFuture<ReadReply> read(
            int account, RequestId id, @Nullable CallTrace trace, Key key, long deadlineNanos) {
        ReadRequest.Builder request = ReadRequest.newBuilder()
                .setKey(key.toWire())
                .setAccount(account)
                .setRequestHigh(id.high())
                .setRequestLow(id.low());
        if (trace != null) {
            request.setTrace(trace.context());
        }
        Sender<ReadReply> sender = (address, route, millis, timeoutNanos) -> transport.read(
                address, request.setRoute(route).setDeadlineMillis(millis).build(), timeoutNanos);
        return begin(READ, sender, trace, key, deadlineNanos);
    }

    /** One call to the owner of the start key; the reply says how far it examined. The route is filled in here. */
    public CompletableFuture<ScanReply> scan(ScanRequest.Builder request, long deadlineNanos) {
        return scan(request, null, deadlineNanos);
    }

    /**
     * The same for a client's request.
     *
     * @param trace of the client's request; null if it has none
     */
    public CompletableFuture<ScanReply> scan(
            ScanRequest.Builder request, @Nullable CallTrace trace, long deadlineNanos) {
        if (trace != null) {
            request.setTrace(trace.context());
        }
        Sender<ScanReply> sender = (address, route, millis, timeoutNanos) -> transport.scan(
                address, request.setRoute(route).setDeadlineMillis(millis).build(), timeoutNanos);
        return begin(SCAN, sender, trace, Key.fromWire(request.getStart()), deadlineNanos);
    }

    /** Logs at the owner of a key that a table is dropped; the reply names the interval that this covers. */
    public CompletableFuture<DropReply> drop(Key at, long table, long deadlineNanos) {
        DropRequest.Builder request = DropRequest.newBuilder().setTable(table);
        Sender<DropReply> sender = (address, route, millis, timeoutNanos) ->
                transport.drop(address, request.setRoute(route).build(), timeoutNanos);
        return begin(DROP, sender, null, at, deadlineNanos);
    }

    /** The number of requests without a reply. */
    public int underWay() {
        outside.loop().assertInside();
        return underWay.size();
    }

    private <A> CompletableFuture<A> begin(
            Kind<A> kind, Sender<A> sender, @Nullable CallTrace trace, Key key, long deadlineNanos) {
        outside.loop().assertInside();
        RangeCall<A> call = new RangeCall<>(outside, kind, sender, trace, key, deadlineNanos, underWay::remove);
        underWay.add(call);
        return call.begin();
    }

    private void mapChanged() {
        List.copyOf(underWay).forEach(RangeCall::mapChanged);
    }
}
