package cleave.frontend.http;

import cleave.frontend.metrics.FrontEndMetrics;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Counts the connections of a front end from the moment that they are accepted, before TLS and before any byte, and closes those
 * beyond the limit, and those that do not come to HTTP in time. Thread-safe; in the pipeline of each listening channel.
 */
@ChannelHandler.Sharable
public final class AcceptedConnections extends ChannelInboundHandlerAdapter {
    private static final String OPENING = "opening";
    private static final String FRAME_METER = "frameMeter";
    private static final String RECORD_METER = "recordMeter";
    private static final long OPENING_NANOS_MAX = TimeUnit.SECONDS.toNanos(10);
    /** What one reading takes in, and so what many small requests or frames can bring at once. */
    private static final int READ_BYTES_MAX = 16 << 10;

    private final int max;
    private final long openingNanos;
    private final FrontEndMetrics metrics;
    private final Closings closings;
    private final AtomicInteger open = new AtomicInteger();

    /** @param idleNanos what a connection has until its first request at most */
    public AcceptedConnections(int max, long idleNanos, FrontEndMetrics metrics, Closings closings) {
        this.max = max;
        this.openingNanos = Math.min(idleNanos, OPENING_NANOS_MAX);
        this.metrics = metrics;
        this.closings = closings;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object accepted) {
        if (accepted instanceof Channel connection) {
            if (open.incrementAndGet() > max) {
                open.decrementAndGet();
                closings.closing(Closings.Reason.LIMIT, System.nanoTime());
                connection.unsafe().closeForcibly();
                return;
            }
            metrics.connected();
            connection.closeFuture().addListener(closed -> {
                open.decrementAndGet();
                metrics.disconnected();
            });
            connection.config().setRecvByteBufAllocator(new AdaptiveRecvByteBufAllocator(64, 2048, READ_BYTES_MAX));
            connection.pipeline().addLast(OPENING, new Opening());
        }
        context.fireChannelRead(accepted);
    }

    /** HTTP has begun on this connection; gives its meter if it is HTTP/2. Inside the connection's loop. */
    static @Nullable FrameMeter begun(Channel connection) {
        if (connection.pipeline().get(OPENING) != null) {
            connection.pipeline().remove(OPENING);
        }
        return (FrameMeter) connection.pipeline().get(FRAME_METER);
    }

    /** The meter of a connection's TLS; null if it has none. */
    static @Nullable RecordMeter records(Channel connection) {
        return (RecordMeter) connection.pipeline().get(RECORD_METER);
    }

    /** First in the pipeline of a connection until HTTP begins. Confined to the connection's loop. */
    private final class Opening extends ChannelInboundHandlerAdapter {
        private @Nullable ScheduledFuture<?> deadline;
        private boolean isMetered;

        @Override
        public void channelRegistered(ChannelHandlerContext context) {
            deadline = context.executor().schedule(() -> expire(context), openingNanos, TimeUnit.NANOSECONDS);
            context.fireChannelRegistered();
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object bytes) {
            if (!isMetered && context.pipeline().get(SslHandler.class) != null) {
                isMetered = true;
                String ssl = context.pipeline().context(SslHandler.class).name();
                context.pipeline().addBefore(ssl, RECORD_METER, new RecordMeter(System::nanoTime));
                context.pipeline().addAfter(ssl, FRAME_METER, new FrameMeter(System::nanoTime));
            }
            context.fireChannelRead(bytes);
        }

        private void expire(ChannelHandlerContext context) {
            closings.closing(Closings.Reason.HANDSHAKE, System.nanoTime());
            context.close();
        }

        @Override
        public void handlerRemoved(ChannelHandlerContext context) {
            if (deadline != null) {
                deadline.cancel(false);
            }
        }
    }
}
