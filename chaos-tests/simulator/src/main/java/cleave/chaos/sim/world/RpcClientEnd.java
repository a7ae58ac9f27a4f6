package cleave.chaos.sim.world;

import cleave.runtime.rpc.CallTimeout;
import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientStreamTracer;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The client side of a call. */
final class RpcClientEnd<Q, A> extends ClientCall<Q, A> {
    private static final ClientStreamTracer.StreamInfo STREAM =
            ClientStreamTracer.StreamInfo.newBuilder().build();

    private final Rpc rpc;
    private final SimProcess process;
    private final String address;
    private final String node;
    private final MethodDescriptor<Q, A> method;
    private final CallOptions options;
    private final ArrayDeque<A> arrived = new ArrayDeque<>(4);
    private final List<Q> sent = new ArrayList<>(1);
    private @Nullable RpcCall<Q, A> call;
    private ClientCall.@Nullable Listener<A> listener;
    private @Nullable Status ending;
    private Metadata trailers = new Metadata();
    private Metadata headers = new Metadata();
    private boolean ended;
    private boolean delivering;
    private int requested;

    RpcClientEnd(Rpc rpc, SimProcess process, String address, MethodDescriptor<Q, A> method, CallOptions options) {
        this.rpc = rpc;
        this.process = process;
        this.address = address;
        this.node = Rpc.machine(address);
        this.method = method;
        this.options = options;
    }

    @Override
    public void start(ClientCall.Listener<A> to, Metadata told) {
        listener = to;
        headers = told;
        Long timeout = options.getOption(CallTimeout.NANOS);
        if (timeout != null) {
            process.deliver(process.clock().global(Math.max(0, timeout)), this::timeOut);
        }
        Rpc.Server server = rpc.serving(address);
        boolean cut = rpc.world.network().isBlocked(process.node(), node)
                || rpc.world.network().isBlocked(node, process.node());
        if (server == null || server.process().isDead() || (cut && rpc.random.nextInt(3) > 0)) {
            long delay =
                    cut ? 300_000_000L + rpc.random.nextInt(700_000_000) : 200_000L + rpc.random.nextInt(2_000_000);
            process.deliver(delay, () -> end(Status.UNAVAILABLE.withDescription("no connection")));
            return;
        }
        witness(headers);
        RpcCall<Q, A> made = new RpcCall<>(rpc, process, server, this, method);
        call = made;
        rpc.began(made);
        made.toServer.send(() -> made.serverEnd.begin(headers));
    }

    private void witness(Metadata headers) {
        options.getStreamTracerFactories()
                .forEach(factory ->
                        factory.newClientStreamTracer(STREAM, headers).streamCreated(Attributes.EMPTY, headers));
    }

    @Override
    public void request(int count) {
        requested += count;
        deliverSoon();
    }

    @Override
    public void sendMessage(Q message) {
        RpcCall<Q, A> made = call;
        if (made != null && !ended) {
            sent.add(message);
            made.toServer.send(
                    () -> Message.request(process.node(), node(made), method.getBareMethodName(), ""),
                    () -> made.serverEnd.take(message),
                    () -> repeat(made.server, 0));
        }
    }

    @Override
    public void halfClose() {
        RpcCall<Q, A> made = call;
        if (made == null || ended) {
            return;
        }
        made.toServer.send(made.serverEnd::halfClosed);
        if (rpc.arrivesTwice(method)) {
            repeat(made.server, (long) (rpc.random.nextDouble() * rpc.random.nextDouble() * 3e9));
        }
    }

    private static String node(RpcCall<?, ?> call) {
        return call.server.process().node();
    }

    /** Delivers the request again; its answer is discarded. */
    private void repeat(Rpc.Server server, long delayNanos) {
        rpc.world.count("requests that arrived twice");
        RpcCall<Q, A> ghost = new RpcCall<>(rpc, process, server, this, method);
        ghost.toClient.close();
        server.process().deliver(delayNanos, () -> {
            ghost.serverEnd.begin(headers);
            sent.forEach(ghost.serverEnd::take);
            ghost.serverEnd.halfClosed();
        });
    }

    @Override
    public void cancel(@Nullable String message, @Nullable Throwable cause) {
        RpcCall<Q, A> made = call;
        if (made != null && !ended) {
            made.toServer.send(made.serverEnd::cancelled);
        }
        process.deliver(0, () -> end(Status.CANCELLED.withDescription(message)));
    }

    private void timeOut() {
        if (!ended) {
            RpcCall<Q, A> made = call;
            if (made != null) {
                made.toServer.send(made.serverEnd::cancelled);
            }
            end(Status.DEADLINE_EXCEEDED);
        }
    }

    void take(A message) {
        arrived.add(message);
        deliverAll();
    }

    /** The server has ended the call; messages sent earlier arrive first. */
    void endedByServer(Status status, Metadata told) {
        ending = status;
        trailers = told;
        deliverAll();
    }

    private void deliverSoon() {
        if (!arrived.isEmpty() && !delivering) {
            delivering = true;
            process.deliver(0, () -> {
                delivering = false;
                deliverAll();
            });
        }
    }

    private void deliverAll() {
        while (requested > 0 && !arrived.isEmpty() && !ended && listener != null) {
            requested--;
            A message = arrived.remove();
            RpcCall<Q, A> made = call;
            if (made != null) {
                made.serverEnd.consumed();
            }
            listener.onMessage(message);
        }
        if (arrived.isEmpty() && ending != null) {
            end(ending);
        }
    }

    /** Only the first time counts. */
    void end(Status status) {
        if (ended || listener == null) {
            return;
        }
        ended = true;
        RpcCall<Q, A> made = call;
        if (made != null && made.serverEnd.isOver()) {
            rpc.ended(made);
        }
        listener.onClose(status, trailers);
    }
}
