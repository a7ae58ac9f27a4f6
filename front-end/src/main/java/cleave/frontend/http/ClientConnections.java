package cleave.frontend.http;

import cleave.frontend.metrics.FrontEndMetrics;
import cleave.frontend.settings.FrontEndConfig.HttpLimits;
import cleave.loop.EventLoop;
import io.vertx.core.http.HttpConnection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The open connections of one loop, and the time-outs of their clients. Confined to its loop.
 *
 * <p>A client that drips bytes is as slow as one that sends none: what counts is when a whole head, or the end of a body, is
 * there.
 * In HTTP/2 a stream that is too slow is reset, and the connection goes on.
 */
final class ClientConnections {
    private static final Logger LOG = LoggerFactory.getLogger(ClientConnections.class);
    private static final long SWEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final EventLoop loop;
    private final HttpLimits limits;
    private final int max;
    private final FrontEndMetrics metrics;
    private final Map<HttpConnection, ClientConnection> open = new HashMap<>();

    ClientConnections(EventLoop loop, HttpLimits limits, int max, FrontEndMetrics metrics) {
        this.loop = loop;
        this.limits = limits;
        this.max = max;
        this.metrics = metrics;
        loop.schedule(SWEEP_NANOS, this::sweep);
    }

    void opened(HttpConnection connection) {
        if (open.size() >= max) {
            metrics.closing("limit");
            connection.close();
            return;
        }
        open.put(connection, new ClientConnection(connection, loop.nanos()));
        metrics.connected();
        connection.exceptionHandler(ClientConnections::broken);
        connection.closeHandler(nothing -> closed(connection));
    }

    /** Vert.x closes it. A client that resets its connection, or breaks its framing, is nothing that an operator must know. */
    private static void broken(Throwable cause) {
        LOG.debug("a connection broke", cause);
    }

    private void closed(HttpConnection connection) {
        if (open.remove(connection) != null) {
            metrics.disconnected();
        }
    }

    /** Null if it was refused or is closed. */
    @Nullable
    ClientConnection of(HttpConnection connection) {
        return open.get(connection);
    }

    private void sweep() {
        long now = loop.nanos();
        for (ClientConnection connection : List.copyOf(open.values())) {
            if (connection.isIdle(now, limits)) {
                metrics.closing("idle");
                connection.abort();
            } else {
                endOverdue(connection, now);
            }
        }
        loop.schedule(SWEEP_NANOS, this::sweep);
    }

    private void endOverdue(ClientConnection connection, long now) {
        for (Exchange slow = connection.overdue(now, limits); slow != null; slow = connection.overdue(now, limits)) {
            metrics.closing(slow.isAnswered() ? "slow-reader" : "slow-body");
            if (!connection.isMultiplexed()) {
                connection.abort();
                return;
            }
            slow.abandon();
        }
    }
}
