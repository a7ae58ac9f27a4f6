package cleave.runtime.rpc;

import cleave.model.Limits;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.MethodDescriptor;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.ChannelOption;
import io.netty.handler.ssl.SslContext;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One channel to each address, made at the first request, and kept while it is used or a peer has the address. Thread-safe.
 *
 * <p>Replies arrive on network threads, so listeners must not block. Connections ignore the proxies of the environment.
 *
 * <p>gRPC waits up to two minutes before it reconnects. Channels in use reconnect within about {@link #RETRY_MILLIS}, so that a restarted
 * process is found soon; they look their name up again then ({@link NameLookups}). Keep-alive pings detect a peer that vanished silently.
 * gRPC also keeps the address of a connection that has ended, and tries it at the next call; these channels forget it.
 *
 * <p>Processes come back under new addresses, so old addresses would accumulate. A channel to one of them that was not requested lately is
 * given to no new caller, and closed later; calls in flight complete.
 *
 * <p>A peer that {@linkplain PeerHandshake refuses} calls, as one of another cluster does, keeps its connection open, so its name would
 * never be looked up again. Its channel connects anew, at most once a second; so does that of a peer which a caller itself recognizes as
 * the wrong one ({@link #findAgain}).
 */
public final class Channels implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Channels.class);

    /** Makes the channel to an address, with an interceptor for all its calls. IllegalArgumentException if the text is no address. */
    @FunctionalInterface
    public interface Maker {
        ManagedChannel make(String address, ClientInterceptor handshake);
    }

    private static final int RETRY_MILLIS = 200;
    private static final int CONNECT_MILLIS_MAX = 1_000;
    /** gRPC pings no more often than this. */
    private static final int PING_SECONDS = 10;

    private static final int PING_ANSWER_SECONDS_MAX = 2;
    /** A channel that was not requested for this long reconnects at gRPC's own pace. */
    private static final long IN_USE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final int CLOSE_MILLIS_MAX = 1_000;
    private static final int SWEEP_MILLIS = 5_000;
    private static final long WRONG_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long REFUSED_LOG_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final Map<String, Entry> entries = new ConcurrentHashMap<>();
    private final ScheduledExecutorService retries = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "channels");
        thread.setDaemon(true);
        return thread;
    });
    /** Removed from the entries, but not yet terminated. Guarded by its own lock. */
    private final List<Entry> leaving = new ArrayList<>();

    private volatile Supplier<Set<String>> peers = Set::of;
    private volatile Supplier<String> cluster = () -> "";
    private volatile Supplier<String> operator = () -> "";
    private volatile boolean closed;

    private static final class Entry {
        private final ManagedChannel channel;
        private volatile long askedNanos = System.nanoTime();
        private final AtomicLong wrongNanos = new AtomicLong(askedNanos - WRONG_NANOS);
        private final AtomicLong loggedNanos = new AtomicLong(askedNanos - REFUSED_LOG_NANOS);

        Entry(ManagedChannel channel) {
            this.channel = channel;
        }

        /** True if that was long ago; then it is now. */
        private static boolean again(AtomicLong last, long periodNanos, long nowNanos) {
            long then = last.get();
            return nowNanos - then >= periodNanos && last.compareAndSet(then, nowNanos);
        }
    }

    private final Maker maker;

    /** Channels without TLS. */
    public Channels() {
        this(Transport.PLAIN);
    }

    public Channels(Transport transport) {
        this(maker(transport));
        retries.scheduleWithFixedDelay(this::retry, RETRY_MILLIS, RETRY_MILLIS, TimeUnit.MILLISECONDS);
        retries.scheduleWithFixedDelay(
                () -> sweep(System.nanoTime()), SWEEP_MILLIS, SWEEP_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Channels by another implementation, which manage their connections themselves. */
    public Channels(Maker maker) {
        this.maker = maker;
    }

    /**
     * The channel to an address, not to be kept for long. IllegalArgumentException if the text is no address.
     * After {@link #close} it is a channel on which every call fails.
     */
    public ManagedChannel to(String address) {
        Entry entry = entries.get(address);
        if (entry == null) {
            entry = entries.computeIfAbsent(address, text -> new Entry(maker.make(text, handshake(text))));
        }
        if (closed) {
            entry.channel.shutdownNow();
        }
        entry.askedNanos = System.nanoTime();
        return entry.channel;
    }

    /**
     * Sets the cluster that all calls name, so that a process of another one refuses them; empty while it is unknown. The supplier is called
     * on any thread and must not block.
     */
    public void ofCluster(Supplier<String> idOfCluster) {
        cluster = idOfCluster;
    }

    /** Sets who all calls say that the caller is; empty: nobody. The supplier is called by each call, on its thread, and must not block. */
    public void asOperator(Supplier<String> nameOfOperator) {
        operator = nameOfOperator;
    }

    private ClientInterceptor handshake(String address) {
        PeerHandshake handshake = PeerHandshake.ofClient(() -> cluster.get(), why -> refused(address, why));
        ClientInterceptor saying = Callers.saying(() -> operator.get());
        return new ClientInterceptor() {
            @Override
            public <Q, A> ClientCall<Q, A> interceptCall(
                    MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
                return handshake.interceptCall(method, options, ClientInterceptors.intercept(next, saying));
            }
        };
    }

    private void refused(String address, String why) {
        Entry entry = entries.get(address);
        if (entry != null && Entry.again(entry.loggedNanos, REFUSED_LOG_NANOS, System.nanoTime())) {
            LOG.warn("a peer refuses the calls of this process address={} reason={}", address, why);
        }
        findAgain(address);
    }

    /**
     * Has the channel to an address look its name up and connect anew, at most once a second: the process that answered there is not the
     * one that is meant. Pending calls are not disturbed.
     */
    public void findAgain(String address) {
        Entry entry = entries.get(address);
        if (entry != null && Entry.again(entry.wrongNanos, WRONG_NANOS, System.nanoTime())) {
            entry.channel.enterIdle();
        }
    }

    /** Sets the addresses whose channels are kept without use. The supplier is called on another thread and must not block. */
    public void keep(Supplier<Set<String>> addressesOfPeers) {
        peers = addressesOfPeers;
    }

    /**
     * Closes channels that are neither used nor a peer's. In two steps, because a caller may have requested a channel and not begun its call
     * yet.
     */
    void sweep(long nowNanos) {
        synchronized (leaving) {
            for (Iterator<Entry> each = leaving.iterator(); each.hasNext(); ) {
                Entry entry = each.next();
                if (entry.channel.isTerminated()) {
                    each.remove();
                } else if (nowNanos - entry.askedNanos >= IN_USE_NANOS) {
                    entry.channel.shutdown();
                }
            }
            Set<String> kept = peers.get();
            entries.forEach((address, entry) -> {
                if (!kept.contains(address) && nowNanos - entry.askedNanos >= IN_USE_NANOS) {
                    entry.askedNanos = nowNanos;
                    leaving.add(entry);
                    entries.remove(address, entry);
                }
            });
        }
    }

    /** The number of channels that are open or being closed. */
    int size() {
        synchronized (leaving) {
            return entries.size() + leaving.size();
        }
    }

    private static Maker maker(Transport transport) {
        SslContext tls = transport.ofClient();
        NetworkLoops loops = transport.loops();
        return (text, handshake) -> {
            Address address = Address.parse(text);
            ManagedChannel channel = (address.isInProcess()
                            ? InProcessChannelBuilder.forName(address.name())
                            : overTcp(address, tls, loops))
                    .directExecutor()
                    .intercept(handshake)
                    .maxInboundMessageSize(Limits.MESSAGE_BYTES_MAX)
                    .build();
            forgetWhereItWas(channel, channel.getState(false));
            return channel;
        };
    }

    /** Has the channel look its name up whenever its connection has ended, before it connects again, not after that has failed. */
    private static void forgetWhereItWas(ManagedChannel channel, ConnectivityState before) {
        channel.notifyWhenStateChanged(before, () -> {
            ConnectivityState state = channel.getState(false);
            if (state == ConnectivityState.IDLE) {
                channel.enterIdle();
            }
            if (state != ConnectivityState.SHUTDOWN) {
                forgetWhereItWas(channel, state);
            }
        });
    }

    private static ManagedChannelBuilder<?> overTcp(
            Address address, @Nullable SslContext tls, @Nullable NetworkLoops loops) {
        NettyChannelBuilder builder = NettyChannelBuilder.forAddress(address.name(), address.port());
        if (loops != null) {
            builder.eventLoopGroup(loops.group()).channelType(loops.channelType());
        }
        if (address.authority() != null) {
            builder.overrideAuthority(address.authority());
        }
        return (tls == null ? builder.usePlaintext() : builder.sslContext(tls))
                .proxyDetector(target -> null)
                .disableServiceConfigLookUp()
                .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS_MAX)
                .keepAliveTime(PING_SECONDS, TimeUnit.SECONDS)
                .keepAliveTimeout(PING_ANSWER_SECONDS_MAX, TimeUnit.SECONDS)
                .keepAliveWithoutCalls(true);
    }

    private void retry() {
        long now = System.nanoTime();
        for (Entry entry : entries.values()) {
            if (now - entry.askedNanos < IN_USE_NANOS
                    && entry.channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE) {
                entry.channel.resetConnectBackoff();
            }
        }
    }

    /** Closes all connections and fails the calls on them. Idempotent. */
    @Override
    public void close() {
        closed = true;
        retries.shutdownNow();
        entries.values().forEach(entry -> entry.channel.shutdownNow());
        synchronized (leaving) {
            leaving.forEach(entry -> entry.channel.shutdownNow());
        }
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CLOSE_MILLIS_MAX);
        try {
            for (Entry entry : entries.values()) {
                entry.channel.awaitTermination(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
    }
}
