package cleave.chaos.sim;

import cleave.rpc.CallTimeout;
import io.grpc.Attributes;
import io.grpc.BindableService;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientStreamTracer;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Channels and servers in place of gRPC's transport, for the generated stubs and services of all roles: messages are encoded and
 * decoded, arrive in order within a call and in any order between calls, late, or never when a connection breaks. Confined to the
 * simulation.
 */
final class Rpc {
    private final World world;
    private final Random random;
    private final TreeMap<String, Server> servers = new TreeMap<>();
    private final Set<Call<?, ?>> calls = new LinkedHashSet<>();
    private double duplicates;
    private boolean witnessesLie;

    Rpc(World world, Random random) {
        this.world = world;
        this.random = random;
    }

    /** What listens at an address. */
    record Server(SimProcess process, TreeMap<String, ServerMethodDefinition<?, ?>> methods) {}

    /** What part of the requests that may be repeated arrives twice. */
    void duplicates(double part) {
        duplicates = part;
    }

    /** A planted bug: no call is ever said to have left. */
    void lieAboutSending() {
        witnessesLie = true;
    }

    void serve(String address, SimProcess process, BindableService... services) {
        TreeMap<String, ServerMethodDefinition<?, ?>> methods = new TreeMap<>();
        for (BindableService service : services) {
            service.bindService()
                    .getMethods()
                    .forEach(method -> methods.put(method.getMethodDescriptor().getFullMethodName(), method));
        }
        servers.put(address, new Server(process, methods));
    }

    ManagedChannel channel(SimProcess from, String address) {
        return new Channel(from, address);
    }

    static String nodeOf(String address) {
        return address.substring(0, address.indexOf(':'));
    }

    /** A process has ended: its peers hear of it if they can. */
    void died(SimProcess process) {
        breakCalls(call -> call.client == process || call.server.process() == process);
    }

    /** All connections between two nodes break. */
    void reset(String one, String other) {
        breakCalls(call -> call.joins(one, other));
    }

    private void breakCalls(Predicate<Call<?, ?>> which) {
        List<Call<?, ?>> broken = new ArrayList<>();
        for (Call<?, ?> call : calls) {
            if (which.test(call)) {
                broken.add(call);
            }
        }
        broken.forEach(Call::breakOff);
    }

    /** What may be executed twice, even late: masters' commands by their versions, reads, and drops. */
    private static boolean mayBeRepeated(MethodDescriptor<?, ?> method) {
        return switch (method.getFullMethodName()) {
            case "cleave.wire.Master/Publish",
                    "cleave.wire.Master/CommitHandoff",
                    "cleave.wire.Master/Register",
                    "cleave.wire.Master/AllocateTableIds",
                    "cleave.wire.Ranges/Read",
                    "cleave.wire.Ranges/Scan",
                    "cleave.wire.Ranges/Drop" -> true;
            default -> false;
        };
    }

    private static <T> byte[] encoded(MethodDescriptor.Marshaller<T> marshaller, T message) {
        try (InputStream stream = marshaller.stream(message)) {
            return stream.readAllBytes();
        } catch (IOException never) {
            throw new UncheckedIOException(never);
        }
    }

    private static <T> T decoded(MethodDescriptor.Marshaller<T> marshaller, byte[] bytes) {
        return marshaller.parse(new java.io.ByteArrayInputStream(bytes));
    }

    /** The way to one address. */
    private final class Channel extends ManagedChannel {
        private final SimProcess from;
        private final String address;

        Channel(SimProcess from, String address) {
            this.from = from;
            this.address = address;
        }

        @Override
        public <Q, A> ClientCall<Q, A> newCall(MethodDescriptor<Q, A> method, CallOptions options) {
            return new ClientEnd<>(from, address, method, options);
        }

        @Override
        public String authority() {
            return address;
        }

        @Override
        public ManagedChannel shutdown() {
            return this;
        }

        @Override
        public ManagedChannel shutdownNow() {
            return this;
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public boolean isTerminated() {
            return false;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return true;
        }
    }

    /** What joins the two ends of one call. */
    private final class Call<Q, A> {
        private final SimProcess client;
        private final Server server;
        private final ClientEnd<Q, A> clientEnd;
        private final ServerEnd<Q, A> serverEnd;
        private final Direction toServer;
        private final Direction toClient;

        Call(SimProcess client, Server server, ClientEnd<Q, A> clientEnd, MethodDescriptor<Q, A> method) {
            this.client = client;
            this.server = server;
            this.clientEnd = clientEnd;
            this.serverEnd = new ServerEnd<>(this, method);
            this.toServer = new Direction(client.node(), server.process(), this);
            this.toClient = new Direction(server.process().node(), client, this);
        }

        boolean joins(String one, String other) {
            String from = client.node();
            String to = server.process().node();
            return (from.equals(one) && to.equals(other)) || (from.equals(other) && to.equals(one));
        }

        /** Nothing gets through any more; each end hears of it after a while, sooner if the other is reached. */
        void breakOff() {
            calls.remove(this);
            toServer.close();
            toClient.close();
            server.process().deliver(noticing(client.node(), server.process().node()), serverEnd::cancelled);
            client.deliver(
                    noticing(server.process().node(), client.node()),
                    () -> clientEnd.end(Status.UNAVAILABLE.withDescription("the connection broke")));
        }

        private long noticing(String from, String to) {
            return world.network().isBlocked(from, to)
                    ? Network.SILENCE_NANOS_MAX
                    : world.network().delay(from, to);
        }
    }

    /** The messages of a call that go one way. */
    private final class Direction {
        private final String from;
        private final SimProcess to;
        private final Call<?, ?> call;
        private final ArrayDeque<Runnable> onTheirWay = new ArrayDeque<>();
        private long sentNanos;
        private boolean planned;
        private boolean closed;

        Direction(String from, SimProcess to, Call<?, ?> call) {
            this.from = from;
            this.to = to;
            this.call = call;
        }

        void send(Runnable arrival) {
            if (!closed) {
                onTheirWay.add(arrival);
                if (!planned) {
                    sentNanos = world.now();
                    plan(world.network().delay(from, to.node()));
                }
            }
        }

        private void plan(long delay) {
            planned = true;
            world.after(delay, this::arrive);
        }

        private void arrive() {
            planned = false;
            if (closed || to.isDead()) {
                onTheirWay.clear();
                return;
            }
            if (world.network().isBlocked(from, to.node())) {
                if (world.now() - sentNanos > Network.SILENCE_NANOS_MAX) {
                    call.breakOff();
                } else {
                    plan(20_000_000L + random.nextInt(200_000_000));
                }
                return;
            }
            if (to.isPaused()) {
                plan(20_000_000);
                return;
            }
            Runnable arrival = onTheirWay.remove();
            if (!onTheirWay.isEmpty()) {
                sentNanos = world.now();
                plan(20_000L + random.nextInt(50_000));
            }
            to.run(arrival);
        }

        void close() {
            closed = true;
            onTheirWay.clear();
        }
    }

    /** The calling end. */
    private final class ClientEnd<Q, A> extends ClientCall<Q, A> {
        private final SimProcess process;
        private final String address;
        private final MethodDescriptor<Q, A> method;
        private final CallOptions options;
        private final ArrayDeque<byte[]> arrived = new ArrayDeque<>();
        private final List<byte[]> sent = new ArrayList<>();
        private @Nullable Call<Q, A> call;
        private ClientCall.@Nullable Listener<A> listener;
        private @Nullable Status ending;
        private boolean ended;
        private boolean delivering;
        private int requested;

        ClientEnd(SimProcess process, String address, MethodDescriptor<Q, A> method, CallOptions options) {
            this.process = process;
            this.address = address;
            this.method = method;
            this.options = options;
        }

        @Override
        public void start(ClientCall.Listener<A> to, Metadata headers) {
            listener = to;
            Long timeout = options.getOption(CallTimeout.NANOS);
            if (timeout != null) {
                process.deliver(process.clock().global(Math.max(0, timeout)), this::timeOut);
            }
            Server server = servers.get(address);
            String node = nodeOf(address);
            boolean cut = world.network().isBlocked(process.node(), node)
                    || world.network().isBlocked(node, process.node());
            if (server == null || server.process().isDead() || (cut && random.nextInt(3) > 0)) {
                long delay = cut ? 300_000_000L + random.nextInt(700_000_000) : 200_000L + random.nextInt(2_000_000);
                process.deliver(delay, () -> end(Status.UNAVAILABLE.withDescription("no connection")));
                return;
            }
            witness(headers);
            Call<Q, A> made = new Call<>(process, server, this, method);
            call = made;
            calls.add(made);
            made.toServer.send(made.serverEnd::begin);
        }

        private void witness(Metadata headers) {
            if (!witnessesLie) {
                ClientStreamTracer.StreamInfo info =
                        ClientStreamTracer.StreamInfo.newBuilder().build();
                options.getStreamTracerFactories()
                        .forEach(factory ->
                                factory.newClientStreamTracer(info, headers).streamCreated(Attributes.EMPTY, headers));
            }
        }

        @Override
        public void request(int count) {
            requested += count;
            deliverSoon();
        }

        @Override
        public void sendMessage(Q message) {
            Call<Q, A> made = call;
            if (made != null && !ended) {
                byte[] bytes = encoded(method.getRequestMarshaller(), message);
                sent.add(bytes);
                made.toServer.send(() -> made.serverEnd.take(bytes));
            }
        }

        @Override
        public void halfClose() {
            Call<Q, A> made = call;
            if (made == null || ended) {
                return;
            }
            made.toServer.send(made.serverEnd::halfClosed);
            if (duplicates > 0 && mayBeRepeated(method) && random.nextDouble() < duplicates) {
                repeat(made.server);
            }
        }

        /** The request arrives once more, some time; nobody hears the answer. */
        private void repeat(Server server) {
            world.trace().count("requests that arrived twice");
            Call<Q, A> ghost = new Call<>(process, server, this, method);
            ghost.toClient.close();
            server.process().deliver((long) (random.nextDouble() * random.nextDouble() * 3e9), () -> {
                ghost.serverEnd.begin();
                sent.forEach(ghost.serverEnd::take);
                ghost.serverEnd.halfClosed();
            });
        }

        @Override
        public void cancel(@Nullable String message, @Nullable Throwable cause) {
            Call<Q, A> made = call;
            if (made != null && !ended) {
                made.toServer.send(made.serverEnd::cancelled);
            }
            process.deliver(0, () -> end(Status.CANCELLED.withDescription(message)));
        }

        private void timeOut() {
            if (!ended) {
                Call<Q, A> made = call;
                if (made != null) {
                    made.toServer.send(made.serverEnd::cancelled);
                }
                end(Status.DEADLINE_EXCEEDED);
            }
        }

        private void take(byte[] message) {
            arrived.add(message);
            deliverAll();
        }

        /** The server has ended the call; what it sent before comes first. */
        private void endedByServer(Status status) {
            ending = status;
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
                byte[] message = arrived.remove();
                Call<Q, A> made = call;
                if (made != null) {
                    made.serverEnd.consumed();
                }
                listener.onMessage(decoded(method.getResponseMarshaller(), message));
            }
            if (arrived.isEmpty() && ending != null) {
                end(ending);
            }
        }

        /** Only the first time counts. */
        private void end(Status status) {
            if (ended || listener == null) {
                return;
            }
            ended = true;
            Call<Q, A> made = call;
            if (made != null && made.serverEnd.isOver()) {
                calls.remove(made);
            }
            listener.onClose(status, new Metadata());
        }
    }

    /** The serving end. */
    private final class ServerEnd<Q, A> extends ServerCall<Q, A> {
        private static final int UNREAD_MAX = 4;

        private final Call<Q, A> call;
        private final MethodDescriptor<Q, A> method;
        private final ArrayDeque<byte[]> arrived = new ArrayDeque<>();
        private ServerCall.@Nullable Listener<Q> listener;
        private boolean halfClosing;
        private boolean halfClosed;
        private boolean cancelled;
        private boolean closed;
        private boolean delivering;
        private int requested;
        private int unread;

        ServerEnd(Call<Q, A> call, MethodDescriptor<Q, A> method) {
            this.call = call;
            this.method = method;
        }

        @SuppressWarnings("unchecked") // The method of that name has these types.
        private void begin() {
            ServerMethodDefinition<Q, A> definition =
                    (ServerMethodDefinition<Q, A>) call.server.methods().get(method.getFullMethodName());
            if (definition == null) {
                close(Status.UNIMPLEMENTED, new Metadata());
                return;
            }
            world.trace()
                    .note(
                            world.now(),
                            call.client.node(),
                            "->",
                            call.server.process().node() + " " + method.getBareMethodName());
            listener = definition.getServerCallHandler().startCall(this, new Metadata());
            listener.onReady();
            deliverAll();
        }

        @Override
        public void request(int count) {
            requested += count;
            if (!delivering) {
                delivering = true;
                call.server.process().deliver(0, () -> {
                    delivering = false;
                    deliverAll();
                });
            }
        }

        private void take(byte[] message) {
            arrived.add(message);
            deliverAll();
        }

        private void halfClosed() {
            halfClosing = true;
            deliverAll();
        }

        private void deliverAll() {
            while (requested > 0 && !arrived.isEmpty() && !isOver() && listener != null) {
                requested--;
                listener.onMessage(decoded(method.getRequestMarshaller(), arrived.remove()));
            }
            if (halfClosing && !halfClosed && arrived.isEmpty() && !isOver() && listener != null) {
                halfClosed = true;
                listener.onHalfClose();
            }
        }

        private void cancelled() {
            if (!isOver()) {
                cancelled = true;
                calls.remove(call);
                if (listener != null) {
                    listener.onCancel();
                }
            }
        }

        private void consumed() {
            unread--;
            if (unread == UNREAD_MAX - 1) {
                call.server.process().deliver(world.network().turnDelay(), () -> {
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
            byte[] bytes = encoded(method.getResponseMarshaller(), message);
            unread++;
            call.toClient.send(() -> call.clientEnd.take(bytes));
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
            world.trace()
                    .note(
                            world.now(),
                            call.server.process().node(),
                            "=>",
                            call.client.node() + " " + method.getBareMethodName() + " " + status.getCode());
            call.toClient.send(() -> {
                calls.remove(call);
                call.clientEnd.endedByServer(status);
            });
            ServerCall.Listener<Q> its = listener;
            if (its != null) {
                call.server.process().deliver(0, its::onComplete);
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
}
