package cleave.frontend.http;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.InternetProtocolFamily;
import io.vertx.core.datagram.DatagramSocketOptions;
import io.vertx.core.net.TcpConfig;
import io.vertx.core.transport.Transport;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * A transport of Vert.x whose listening channels have one handler more, which sees each connection before anything else does. Vert.x
 * has no other place for it: it tells of connections when TLS and the first frames of HTTP/2 are done. Thread-safe.
 */
public final class GuardedTransport implements Transport {
    private final Transport plain;
    private final ChannelHandler guard;

    private GuardedTransport(Transport plain, ChannelHandler guard) {
        this.plain = plain;
        this.guard = guard;
    }

    /** The native transport if there is one; the handler must be sharable. */
    public static GuardedTransport of(ChannelHandler guard) {
        Transport fast = Transport.nativeTransport();
        return new GuardedTransport(fast != null && fast.available() ? fast : Transport.NIO, guard);
    }

    public boolean isNative() {
        return plain != Transport.NIO;
    }

    @Override
    public String name() {
        return plain.name();
    }

    @Override
    public boolean available() {
        return plain.available();
    }

    @Override
    public @Nullable Throwable unavailabilityCause() {
        return plain.unavailabilityCause();
    }

    @Override
    public io.vertx.core.spi.transport.Transport implementation() {
        return new Guarded(plain.implementation(), guard);
    }

    private record Guarded(io.vertx.core.spi.transport.Transport plain, ChannelHandler guard)
            implements io.vertx.core.spi.transport.Transport {
        @Override
        public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
            ChannelFactory<? extends ServerChannel> factory = plain.serverChannelFactory(domainSocket);
            return () -> {
                ServerChannel channel = factory.newChannel();
                channel.pipeline().addLast(guard);
                return channel;
            };
        }

        @Override
        public boolean supportsDomainSockets() {
            return plain.supportsDomainSockets();
        }

        @Override
        public boolean supportFileRegion() {
            return plain.supportFileRegion();
        }

        @Override
        public boolean isAvailable() {
            return plain.isAvailable();
        }

        @Override
        public @Nullable Throwable unavailabilityCause() {
            return plain.unavailabilityCause();
        }

        @Override
        public java.net.SocketAddress convert(io.vertx.core.net.SocketAddress address) {
            return plain.convert(address);
        }

        @Override
        public io.vertx.core.net.SocketAddress convert(java.net.SocketAddress address) {
            return plain.convert(address);
        }

        @Override
        public IoHandlerFactory ioHandlerFactory() {
            return plain.ioHandlerFactory();
        }

        @Override
        public EventLoopGroup eventLoopGroup(int type, int threads, ThreadFactory factory, int ioRatio) {
            return plain.eventLoopGroup(type, threads, factory, ioRatio);
        }

        @Override
        @SuppressWarnings("deprecation") // Vert.x's interface has it.
        public DatagramChannel datagramChannel(InternetProtocolFamily family) {
            return plain.datagramChannel(family);
        }

        @Override
        public ChannelFactory<? extends DatagramChannel> datagramChannelFactory() {
            return plain.datagramChannelFactory();
        }

        @Override
        public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
            return plain.channelFactory(domainSocket);
        }

        @Override
        public void configure(DatagramChannel channel, DatagramSocketOptions options) {
            plain.configure(channel, options);
        }

        @Override
        public void configure(TcpConfig config, boolean domainSocket, Bootstrap bootstrap) {
            plain.configure(config, domainSocket, bootstrap);
        }

        @Override
        public void configure(TcpConfig config, boolean domainSocket, ServerBootstrap bootstrap) {
            plain.configure(config, domainSocket, bootstrap);
        }
    }
}
