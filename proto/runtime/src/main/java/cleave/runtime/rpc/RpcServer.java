package cleave.runtime.rpc;

import cleave.model.FeatureLevels;
import cleave.model.Limits;
import io.grpc.BindableService;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The gRPC services of one role, listening on one or more addresses. Thread-safe.
 *
 * <p>Handlers run on the network's threads and must not block: they hand over to their loop.
 */
public final class RpcServer implements AutoCloseable {
    /** The time that {@link #close()} grants to pending calls. */
    private static final Duration GRACE = Duration.ofMillis(500);

    private static final int PING_SECONDS = 10;
    private static final int PING_ANSWER_SECONDS_MAX = 5;
    private static final int PERMITTED_PING_MILLIS = 500;
    private static final int KILL_MILLIS_MAX = 1_000;

    private final List<Server> servers;
    private final List<Address> addresses;

    private RpcServer(List<Server> servers, List<Address> addresses) {
        this.servers = List.copyOf(servers);
        this.addresses = List.copyOf(addresses);
    }

    /** Starts a server without TLS, on one address. */
    public static RpcServer start(String address, BindableService... services) {
        return start(Transport.PLAIN, List.of(address), () -> "", services);
    }

    /** Starts a server on one address, for callers of any cluster. */
    public static RpcServer start(Transport transport, String address, BindableService... services) {
        return start(transport, List.of(address), () -> "", services);
    }

    /**
     * Listens on all these addresses, each {@code host:port} (port 0: any free one) or {@code inproc:NAME}.
     * IllegalArgumentException if one is no address, BadSetting if one is not for the transport, UncheckedIOException if one is taken; then none is listened on.
     *
     * @param cluster id of this process's cluster: callers that name another one are refused. Empty while it is unknown. Called for each
     *     call, on any thread
     */
    public static RpcServer start(
            Transport transport, List<String> listen, Supplier<String> cluster, BindableService... services) {
        PeerHandshake handshake = PeerHandshake.ofServer(FeatureLevels.SUPPORTED, cluster);
        List<Server> started = new ArrayList<>();
        List<Address> bound = new ArrayList<>();
        RpcServer made = null;
        try {
            for (String text : listen) {
                Address address = Address.parse(text);
                transport.checkListen("of an address", text);
                Server server = builder(transport, address)
                        .directExecutor()
                        .intercept(handshake)
                        .maxInboundMessageSize(Limits.MESSAGE_BYTES_MAX)
                        .addServices(Stream.of(services)
                                .map(BindableService::bindService)
                                .toList())
                        .build()
                        .start();
                started.add(server);
                bound.add(address.isInProcess() ? address : address.at(server.getPort()));
            }
            made = new RpcServer(started, bound);
            return made;
        } catch (IOException taken) {
            throw new UncheckedIOException("cannot listen on " + listen + ": " + taken.getMessage(), taken);
        } finally {
            if (made == null) {
                started.forEach(Server::shutdownNow);
            }
        }
    }

    private static ServerBuilder<?> builder(Transport transport, Address address) {
        if (address.isInProcess()) {
            return InProcessServerBuilder.forName(address.name());
        }
        NettyServerBuilder builder =
                NettyServerBuilder.forAddress(new InetSocketAddress(address.name(), address.port()));
        NetworkLoops loops = transport.loops();
        if (loops != null) {
            builder.bossEventLoopGroup(loops.group())
                    .workerEventLoopGroup(loops.group())
                    .channelType(loops.serverChannelType());
        }
        SslContext tls = transport.ofServer();
        if (tls != null) {
            PermissionGuard guard = new PermissionGuard();
            builder.sslContext(tls).addTransportFilter(guard).intercept(guard);
        }
        return builder.keepAliveTime(PING_SECONDS, TimeUnit.SECONDS)
                .keepAliveTimeout(PING_ANSWER_SECONDS_MAX, TimeUnit.SECONDS)
                .permitKeepAliveTime(PERMITTED_PING_MILLIS, TimeUnit.MILLISECONDS)
                .permitKeepAliveWithoutCalls(true);
    }

    /** The first address, with its actual port. */
    public String address() {
        return addresses.get(0).toString();
    }

    /** All addresses, with their actual ports, in the given order. */
    public List<String> addresses() {
        return addresses.stream().map(Address::toString).toList();
    }

    /** The port of the first address; -1 inside the process. */
    public int port() {
        return addresses.get(0).port();
    }

    /** Refuses new calls, gives calls in flight half a second, then cancels them. Idempotent. */
    @Override
    public void close() {
        close(GRACE);
    }

    /** Refuses new calls, gives calls in flight this time, then cancels them. Idempotent. */
    public void close(Duration grace) {
        servers.forEach(Server::shutdown);
        try {
            if (!terminated(grace.toNanos())) {
                servers.forEach(Server::shutdownNow);
                terminated(TimeUnit.MILLISECONDS.toNanos(KILL_MILLIS_MAX));
            }
        } catch (InterruptedException hurried) {
            servers.forEach(Server::shutdownNow);
            Thread.currentThread().interrupt();
        }
    }

    private boolean terminated(long nanosMax) throws InterruptedException {
        long deadline = System.nanoTime() + nanosMax;
        for (Server server : servers) {
            if (!server.awaitTermination(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                return false;
            }
        }
        return true;
    }
}
