package cleave.chaos.sim.world;

import cleave.model.FeatureLevels;
import cleave.runtime.rpc.PeerHandshake;
import io.grpc.BindableService;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerMethodDefinition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Channels and servers that replace gRPC's transport for the generated stubs and services of all roles. Messages are
 * immutable and need no encoding. They arrive in order within a call and in any order between calls, late, or never if
 * a connection breaks.
 *
 * <p>gRPC's in-process transport cannot take its place: there flow control, cancellation and readiness reach the other end at
 * once, past every executor, as if nothing lay between the two. So no end could learn late, or alone, that a connection broke.
 */
public final class Rpc {
    /** A process that ends closes what it has open one after the other. */
    private static final int REFUSED_NANOS_LATE = 100_000_000;

    final World world;
    final Random random;
    /** Never iterated. */
    private final Map<String, Server> servers = new HashMap<>();

    /** From when on the machine of an ended process refuses connections: never if it went down with it. Never iterated. */
    private final Map<SimProcess, Long> refusing = new HashMap<>();

    private final Set<RpcCall<?, ?>> calls = new LinkedHashSet<>();
    private double duplicates;

    Rpc(World world, Random random) {
        this.world = world;
        this.random = random;
    }

    /** The server at an address. */
    record Server(SimProcess process, Map<String, ServerMethodDefinition<?, ?>> methods) {}

    /** The share of repeatable requests that arrive twice. */
    public void duplicates(double part) {
        duplicates = part;
    }

    /** True if this request arrives a second time. */
    boolean arrivesTwice(MethodDescriptor<?, ?> method) {
        return duplicates > 0 && mayBeRepeated(method) && random.nextDouble() < duplicates;
    }

    /** @param cluster of the process, as in {@link PeerHandshake#ofServer} */
    public void serve(String address, SimProcess process, Supplier<String> cluster, BindableService... services) {
        PeerHandshake handshake = PeerHandshake.ofServer(FeatureLevels.SUPPORTED, cluster);
        Map<String, ServerMethodDefinition<?, ?>> methods = new HashMap<>();
        for (BindableService service : services) {
            ServerInterceptors.intercept(service, handshake)
                    .getMethods()
                    .forEach(method -> methods.put(method.getMethodDescriptor().getFullMethodName(), method));
        }
        servers.put(address, new Server(process, methods));
    }

    public ManagedChannel channel(SimProcess from, String address) {
        return channel(from, address, null);
    }

    /** @param handshake of all calls; null for none */
    public ManagedChannel channel(SimProcess from, String address, @Nullable ClientInterceptor handshake) {
        return new Channel(from, address, handshake);
    }

    /** The last server started at an address. */
    @Nullable
    Server serving(String address) {
        return servers.get(address);
    }

    /** Whether nobody listens at an address, as far as its machine is reached and says so. */
    public CompletableFuture<Boolean> refuses(SimProcess from, String address) {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        String machine = machine(address);
        Network network = world.network();
        from.deliver(network.delay(from.node(), machine) + network.delay(machine, from.node()), () -> {
            Server server = servers.get(address);
            boolean isReached = !network.isBlocked(from.node(), machine) && !network.isBlocked(machine, from.node());
            answer.complete(isReached
                    && (server == null || refusing.getOrDefault(server.process(), Long.MAX_VALUE) <= world.now()));
        });
        return answer;
    }

    static String machine(String address) {
        return address.substring(0, address.indexOf(':'));
    }

    void began(RpcCall<?, ?> call) {
        calls.add(call);
    }

    void ended(RpcCall<?, ?> call) {
        calls.remove(call);
    }

    /** Ends a process's calls; reachable peers notice. */
    void died(SimProcess process) {
        refusing.put(
                process, random.nextInt(4) == 0 ? Long.MAX_VALUE : world.now() + random.nextInt(REFUSED_NANOS_LATE));
        breakCalls(call -> call.isOf(process));
    }

    /** Breaks all connections between two nodes. */
    public void reset(String one, String other) {
        breakCalls(call -> call.joins(one, other));
    }

    /** Delays only the streams that a process listens to. */
    public void deafen(SimProcess process, long nanos) {
        for (RpcCall<?, ?> call : calls) {
            if (call.isStreamTo(process)) {
                call.toClient.stall(nanos);
            }
        }
    }

    private void breakCalls(Predicate<RpcCall<?, ?>> which) {
        List<RpcCall<?, ?>> broken = new ArrayList<>();
        for (RpcCall<?, ?> call : calls) {
            if (which.test(call)) {
                broken.add(call);
            }
        }
        broken.forEach(RpcCall::breakOff);
    }

    /**
     * Requests that may be executed twice, even late: masters' commands, because they name versions; reads and drops;
     * preparing a target, because an unfinished one is forgotten, and finishing it; all calls of a DFS node.
     */
    private static boolean mayBeRepeated(MethodDescriptor<?, ?> method) {
        return switch (method.getFullMethodName()) {
            case "cleave.wire.Master/Publish",
                    "cleave.wire.Master/CommitHandoff",
                    "cleave.wire.Master/Register",
                    "cleave.wire.Master/AllocateTableIds",
                    "cleave.wire.Ranges/Read",
                    "cleave.wire.Ranges/Scan",
                    "cleave.wire.Ranges/Drop",
                    "cleave.wire.Ranges/Prepare",
                    "cleave.wire.Ranges/Finish",
                    "cleave.wire.Ranges/CancelHandoff",
                    "cleave.wire.DfsStub/Names",
                    "cleave.wire.DfsStub/LookUp",
                    "cleave.wire.DfsStub/Fence",
                    "cleave.wire.DfsStub/VisibleLengths",
                    "cleave.wire.DfsStub/ReadExtent",
                    "cleave.wire.DfsStub/DropExtents" -> true;
            default -> false;
        };
    }

    /** A process's channel to an address. */
    private final class Channel extends ManagedChannel {
        private final SimProcess from;
        private final String address;
        private final @Nullable ClientInterceptor handshake;

        Channel(SimProcess from, String address, @Nullable ClientInterceptor handshake) {
            this.from = from;
            this.address = address;
            this.handshake = handshake;
        }

        @Override
        public <Q, A> ClientCall<Q, A> newCall(MethodDescriptor<Q, A> method, CallOptions options) {
            return handshake == null
                    ? new RpcClientEnd<>(Rpc.this, from, address, method, options)
                    : handshake.interceptCall(method, options, new Channel(from, address, null));
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
}
