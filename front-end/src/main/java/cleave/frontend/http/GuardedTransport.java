package cleave.frontend.http;

import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ServerChannel;
import io.vertx.core.transport.Transport;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/**
 * A transport of Vert.x whose listening channels have one more handler, which sees each connection before anything else does. Vert.x
 * has no other place for it: it reports connections when TLS and the first frames of HTTP/2 are done. Thread-safe.
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
        io.vertx.core.spi.transport.Transport unguarded = plain.implementation();
        Class<?> type = io.vertx.core.spi.transport.Transport.class;
        return (io.vertx.core.spi.transport.Transport) Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    Object result = invoke(unguarded, method, arguments);
                    return result instanceof ChannelFactory<?> factory
                                    && method.getName().equals("serverChannelFactory")
                            ? guarded(factory)
                            : result;
                });
    }

    private static @Nullable Object invoke(Object target, Method method, Object... arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException failed) {
            throw failed.getCause();
        }
    }

    private ChannelFactory<ServerChannel> guarded(ChannelFactory<?> factory) {
        return () -> {
            ServerChannel channel = (ServerChannel) factory.newChannel();
            channel.pipeline().addLast(guard);
            return channel;
        };
    }
}
