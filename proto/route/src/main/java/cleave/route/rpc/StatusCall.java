package cleave.route.rpc;

import cleave.wire.AdminGrpc;
import cleave.wire.StatusReply;
import cleave.wire.StatusRequest;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Requests the status of one master, and assembles it from pieces. Confined to one thread, which waits for them. */
public final class StatusCall {
    private final ClientCall<StatusRequest, StatusReply> call;
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();

    /** A piece, or the end. */
    private record Event(@Nullable StatusReply piece, Status end, Metadata trailers) {}

    private StatusCall(ClientCall<StatusRequest, StatusReply> call) {
        this.call = call;
    }

    /**
     * The whole status. StatusRuntimeException if the master cannot be reached, stops within it, or is silent for this long. There is no
     * limit for the whole, because a status of many ranges takes long.
     */
    public static StatusReply ask(Channel master, StatusRequest request, long silenceNanosMax) {
        StatusCall asking = new StatusCall(master.newCall(AdminGrpc.getGetStatusMethod(), CallOptions.DEFAULT));
        asking.begin(request);
        return asking.joined(silenceNanosMax);
    }

    private void begin(StatusRequest request) {
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onMessage(StatusReply piece) {
                        events.add(new Event(piece, Status.OK, new Metadata()));
                    }

                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        events.add(new Event(null, status, trailers));
                    }
                },
                new Metadata());
        call.sendMessage(request);
        call.halfClose();
        call.request(1);
    }

    private StatusReply joined(long silenceNanosMax) {
        StatusReply.Builder whole = StatusReply.newBuilder();
        boolean complete = false;
        for (Event next = await(silenceNanosMax); next.piece() != null; next = await(silenceNanosMax)) {
            StatusReply piece = next.piece();
            complete = !piece.getMap().getMore();
            whole.mergeFrom(piece);
            call.request(1);
        }
        if (!complete) {
            throw Status.UNAVAILABLE
                    .withDescription("the status ended in the midst of the ranges")
                    .asRuntimeException();
        }
        if (whole.hasMap()) {
            whole.getMapBuilder().clearMore();
        }
        return whole.build();
    }

    private Event await(long nanosMax) {
        Event next;
        try {
            next = events.poll(nanosMax, TimeUnit.NANOSECONDS);
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
            next = null;
        }
        if (next == null) {
            call.cancel("it says nothing", null);
            throw Status.DEADLINE_EXCEEDED
                    .withDescription("the master said nothing for " + TimeUnit.NANOSECONDS.toMillis(nanosMax) + " ms")
                    .asRuntimeException();
        }
        if (!next.end().isOk()) {
            throw new StatusRuntimeException(next.end(), next.trailers());
        }
        return next;
    }
}
