package cleave.frontend.http;

import cleave.frontend.metrics.FrontEndMetrics;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Counts the connections of a front end from the moment that they are accepted, before TLS and before any byte, and closes those
 * that do not come to HTTP in time. At the limit a new connection takes the place of the oldest that has not sent a whole head; if all
 * have, the new one is closed. Thread-safe; in the pipeline of each listening channel.
 */
@ChannelHandler.Sharable
public final class AcceptedConnections extends ChannelInboundHandlerAdapter {
    private static final String OPENING = "opening";
    private static final String FRAME_METER = "frameMeter";
    private static final String RECORD_METER = "recordMeter";
    /** Connections that may be open beyond the limit because they are being closed. */
    private static final int LEAVING_MAX = 32;

    private static final AttributeKey<Runnable> WHEN_ASKED =
            AttributeKey.valueOf(AcceptedConnections.class, "whenAsked");
    private static final long OPENING_NANOS_MAX = TimeUnit.SECONDS.toNanos(10);
    /** The bytes of one reading, and so the most that small requests or frames can bring at once. */
    private static final int READ_BYTES_MAX = 16 << 10;

    private final int max;
    private final long openingNanos;
    private final FrontEndMetrics metrics;
    private final Closings closings;
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicLong numbers = new AtomicLong();
    /** The connections that have not sent a whole head, in the order in which they came. */
    private final ConcurrentSkipListMap<Long, Opening> unasked = new ConcurrentSkipListMap<>();

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
                closings.closing(Closings.Reason.LIMIT, System.nanoTime());
                if (!makesRoom()) {
                    open.decrementAndGet();
                    connection.unsafe().closeForcibly();
                    return;
                }
            }
            metrics.connected();
            connection.closeFuture().addListener(closed -> {
                open.decrementAndGet();
                metrics.disconnected();
            });
            connection.config().setRecvByteBufAllocator(new AdaptiveRecvByteBufAllocator(64, 2048, READ_BYTES_MAX));
            Opening opening = new Opening(connection);
            opening.enlist(numbers.getAndIncrement());
            connection.pipeline().addLast(OPENING, opening);
        }
        context.fireChannelRead(accepted);
    }

    private boolean makesRoom() {
        if (open.get() > max + LEAVING_MAX) {
            return false; // As many are being closed as may be.
        }
        Map.Entry<Long, Opening> oldest = unasked.pollFirstEntry();
        if (oldest == null) {
            return false;
        }
        oldest.getValue().leave();
        return true;
    }

    /** A whole head has come on this connection. Inside the connection's loop. */
    static void asked(Channel connection) {
        Runnable first = connection.attr(WHEN_ASKED).getAndSet(null);
        if (first != null) {
            first.run();
        }
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

    /**
     * First in the pipeline of a connection until HTTP begins. Confined to the connection's loop, but for {@link #enlist} and {@link #leave},
     * which the accepting thread calls, perhaps before the connection has a loop.
     */
    private final class Opening extends ChannelInboundHandlerAdapter {
        private final Channel connection;
        private volatile boolean leaves;
        private @Nullable ScheduledFuture<?> deadline;
        private boolean isMetered;

        Opening(Channel connection) {
            this.connection = connection;
        }

        /** At once, not when the connection has its loop: a newcomer may come before that. */
        void enlist(long number) {
            unasked.put(number, this);
            connection.attr(WHEN_ASKED).set(() -> unasked.remove(number));
            connection.closeFuture().addListener(closed -> unasked.remove(number));
        }

        void leave() {
            leaves = true;
            if (connection.isRegistered()) {
                connection.eventLoop().execute(this::close);
            } // Else it closes as soon as it is.
        }

        private void close() {
            connection.unsafe().close(connection.unsafe().voidPromise()); // Without a word of TLS.
        }

        /** When the connection has its loop; of plain HTTP this is taken out again before anything else happens. */
        @Override
        public void handlerAdded(ChannelHandlerContext context) {
            if (leaves) {
                close();
            }
        }

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
