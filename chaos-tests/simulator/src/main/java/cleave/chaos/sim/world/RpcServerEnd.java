package cleave.chaos.sim.world;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.MessageOrBuilder;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** The server side of a call. */
final class RpcServerEnd<Q, A> extends ServerCall<Q, A> {
    private static final int UNREAD_MAX = 4;

    private final Rpc rpc;
    private final RpcCall<Q, A> call;
    private final MethodDescriptor<Q, A> method;
    private final ArrayDeque<Q> arrived = new ArrayDeque<>(4);
    private ServerCall.@Nullable Listener<Q> listener;
    private boolean halfClosing;
    private boolean halfClosed;
    private boolean cancelled;
    private boolean closed;
    private boolean delivering;
    private int requested;
    private int unread;

    RpcServerEnd(Rpc rpc, RpcCall<Q, A> call, MethodDescriptor<Q, A> method) {
        this.rpc = rpc;
        this.call = call;
        this.method = method;
    }

    @SuppressWarnings("unchecked") // The method of that name has these types.
    void begin(Metadata headers) {
        ServerMethodDefinition<Q, A> definition =
                (ServerMethodDefinition<Q, A>) call.server.methods().get(method.getFullMethodName());
        if (definition == null) {
            close(Status.UNIMPLEMENTED, new Metadata());
            return;
        }
        rpc.world.note(call.client.node(), "->", call.server.process().node(), method.getBareMethodName());
        listener = definition.getServerCallHandler().startCall(this, headers);
        listener.onReady();
        deliverAll();
    }

    @Override
    public void request(int count) {
        requested += count;
        if (!delivering && (!arrived.isEmpty() || halfClosing)) {
            delivering = true;
            call.server.process().deliver(0, this::deliverAll);
        }
    }

    void take(Q message) {
        arrived.add(message);
        deliverAll();
    }

    void halfClosed() {
        halfClosing = true;
        deliverAll();
    }

    private void deliverAll() {
        delivering = true; // Delivers what was requested meanwhile.
        while (requested > 0 && !arrived.isEmpty() && !isOver() && listener != null) {
            requested--;
            listener.onMessage(arrived.remove());
        }
        if (halfClosing && !halfClosed && arrived.isEmpty() && !isOver() && listener != null) {
            halfClosed = true;
            listener.onHalfClose();
        }
        delivering = false;
    }

    void cancelled() {
        if (!isOver()) {
            cancelled = true;
            rpc.ended(call);
            if (listener != null) {
                listener.onCancel();
            }
        }
    }

    void consumed() {
        unread--;
        if (unread == UNREAD_MAX - 1) {
            call.server.process().deliver(rpc.world.network().turnDelay(), () -> {
                if (!isOver() && listener != null) {
                    listener.onReady();
                }
            });
        }
    }

    boolean isOver() {
        return cancelled || closed;
    }

    @Override
    public void sendHeaders(Metadata headers) {}

    @Override
    public void sendMessage(A message) {
        unread++;
        call.toClient.send(() -> answer(message), () -> call.clientEnd.take(message), () -> {});
    }

    private Message answer(A message) {
        String from = call.server.process().node();
        return Message.answer(from, call.client.node(), method.getBareMethodName(), outcome(message));
    }

    /** The code of an answer that has a status. */
    private static String outcome(Object message) {
        if (message instanceof MessageOrBuilder answer) {
            FieldDescriptor status = answer.getDescriptorForType().findFieldByName("status");
            if (status != null && answer.getField(status) instanceof cleave.wire.Status told) {
                return told.getCode().name();
            }
        }
        return "";
    }

    @Override
    public boolean isReady() {
        return !isOver() && unread < UNREAD_MAX;
    }

    @Override
    public void close(Status status, Metadata trailers) {
        if (isOver()) {
            return;
        }
        closed = true;
        rpc.world.note(
                call.server.process().node(),
                "=>",
                call.client.node(),
                method.getBareMethodName(),
                status.getCode().name());
        call.toClient.send(() -> {
            call.server.process().run(this::completed);
            call.clientEnd.endedByServer(status, trailers);
        });
    }

    private void completed() {
        rpc.ended(call);
        if (listener != null) {
            listener.onComplete();
        }
    }

    @Override
    public boolean isCancelled() {
        return cancelled;
    }

    @Override
    public MethodDescriptor<Q, A> getMethodDescriptor() {
        return method;
    }
}
