package cleave.deploy.role;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * The open connections of the admin port. Each is for one request and lives for {@value #SECONDS_MAX} seconds at most. If there are too many,
 * the oldest whose request has not arrived is closed, or else the oldest; so a new caller is answered even while a stranger holds all the
 * others. Confined to the port's event loop.
 */
@Sharable
final class AdminConnections extends ChannelInboundHandlerAdapter {
    static final int OPEN_MAX = 64;
    private static final int SECONDS_MAX = 10;

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
        ScheduledFuture<?> deadline = context.executor().schedule(() -> channel.close(), SECONDS_MAX, TimeUnit.SECONDS);
        channel.closeFuture().addListener(closed -> {
            open.remove(channel);
            unasked.remove(channel);
            deadline.cancel(false);
        });
        context.fireChannelActive();
    }

    /** The connection's request has arrived. */
    void asked(Channel channel) {
        unasked.remove(channel);
    }
}
