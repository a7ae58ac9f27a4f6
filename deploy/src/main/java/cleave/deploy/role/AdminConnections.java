package cleave.deploy.role;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.AttributeKey;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * The open connections of the admin port. Each is for one request and lives for {@value #SECONDS_MAX} seconds at most, unless an operator's
 * takes longer. If there are too many,
 * the oldest whose request has not arrived is closed, or else the oldest; so a new caller is answered even while a stranger holds all the
 * others. Confined to the port's event loop.
 */
@Sharable
final class AdminConnections extends ChannelInboundHandlerAdapter {
    static final int OPEN_MAX = 64;
    private static final int SECONDS_MAX = 10;
    private static final AttributeKey<ScheduledFuture<?>> DEADLINE = AttributeKey.valueOf("cleave-admin-deadline");

    /** In the order in which they were opened, as are the next. */
    private final Set<Channel> open = new LinkedHashSet<>();
    /** Connections whose request has not arrived. */
    private final Set<Channel> unasked = new LinkedHashSet<>();

    @Override
    public void channelActive(ChannelHandlerContext context) {
        Channel channel = context.channel();
        if (open.size() >= OPEN_MAX) {
            (unasked.isEmpty() ? open : unasked).iterator().next().close();
        }
        open.add(channel);
        unasked.add(channel);
        closeAfter(channel, SECONDS_MAX);
        channel.closeFuture().addListener(closed -> {
            open.remove(channel);
            unasked.remove(channel);
            ScheduledFuture<?> deadline = channel.attr(DEADLINE).getAndSet(null);
            if (deadline != null) {
                deadline.cancel(false);
            }
        });
        context.fireChannelActive();
    }

    private static void closeAfter(Channel channel, long seconds) {
        ScheduledFuture<?> deadline = channel.eventLoop().schedule(() -> channel.close(), seconds, TimeUnit.SECONDS);
        ScheduledFuture<?> before = channel.attr(DEADLINE).getAndSet(deadline);
        if (before != null) {
            before.cancel(false);
        }
    }

    /** The connection may last longer, and is not closed for the sake of others: it is an operator's, of which there are few. */
    void keep(Channel channel, long seconds) {
        open.remove(channel);
        unasked.remove(channel);
        closeAfter(channel, seconds);
    }

    /** The connection's request has arrived. */
    void asked(Channel channel) {
        unasked.remove(channel);
    }
}
