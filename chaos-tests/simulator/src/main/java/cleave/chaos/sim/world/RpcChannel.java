package cleave.chaos.sim.world;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A process's channel to an address. */
final class RpcChannel extends ManagedChannel {
    private final Rpc rpc;
    private final SimProcess from;
    final String address;
    /** The machine of the address. */
    final String node;

    private final @Nullable ClientInterceptor handshake;

    RpcChannel(Rpc rpc, SimProcess from, String address, @Nullable ClientInterceptor handshake) {
        this.rpc = rpc;
        this.from = from;
        this.address = address;
        this.handshake = handshake;
        this.node = address.substring(0, address.indexOf(':'));
    }

    @Override
    public <Q, A> ClientCall<Q, A> newCall(MethodDescriptor<Q, A> method, CallOptions options) {
        return handshake == null
                ? new RpcClientEnd<>(rpc, from, this, method, options)
                : handshake.interceptCall(method, options, new RpcChannel(rpc, from, address, null));
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
