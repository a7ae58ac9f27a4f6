package cleave.frontend.http;

import cleave.frontend.fairness.UnsignedBytes;
import cleave.frontend.http.Closings.Reason;
import cleave.frontend.settings.FrontEndConfig.HttpLimits;
import cleave.runtime.loop.EventLoop;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.vertx.core.http.Http1ServerConfig;
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
    private static final double GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;
    /** The part of the greatest age by which the ages of connections differ. */
    private static final double SPREAD = 0.25;

    private final EventLoop loop;
    private final HttpLimits limits;
    private final Http1ServerConfig decoding;
    private final Closings closings;
    private final UnsignedBytes<ClientConnection> unsigned;
    private final Map<HttpConnection, ClientConnection> open = new HashMap<>();
    private long made;

    /** @param unsignedMax bytes that all connections of the loop may keep without a signature */
    ClientConnections(
            EventLoop loop, HttpLimits limits, Http1ServerConfig decoding, long unsignedMax, Closings closings) {
        this.loop = loop;
        this.limits = limits;
        this.decoding = decoding;
        this.closings = closings;
        this.unsigned = new UnsignedBytes<>(unsignedMax);
        loop.schedule(SWEEP_NANOS, this::sweep);
    }

    void opened(HttpConnection connection) {
        loop.assertInside();
        long age = age(limits.ageNanos(), made++);
        open.put(connection, new ClientConnection(connection, decoding, this::keepsMore, loop.nanos(), age));
        connection.exceptionHandler(this::broken);
        connection.closeHandler(nothing -> closed(connection));
    }

    /**
     * The age at which the connection of this number is to end: between three quarters of the setting and all of it. Connections that begin
     * together, as after the loss of a front end, so do not end together. Multiples of the golden ratio are spread evenly, however many.
     *
     * @param nanosMax the setting; 0: none
     */
    static long age(long nanosMax, long number) {
        return nanosMax == 0 ? Long.MAX_VALUE : (long) (nanosMax * (1 - SPREAD * (number * GOLDEN_RATIO % 1)));
    }

    /** Vert.x closes it. A client that resets its connection, or breaks its framing, is nothing that an operator must know. */
    private void broken(Throwable cause) {
        LOG.debug("connection failed", cause);
        if (cause instanceof Http2Exception error && error.error() == Http2Error.ENHANCE_YOUR_CALM) {
            closings.closing(Reason.FLOOD, loop.nanos());
        }
    }

    private void closed(HttpConnection connection) {
        ClientConnection known = open.remove(connection);
        if (known != null) {
            known.closed();
            unsigned.holds(known, 0);
        }
    }

    private void keepsMore(ClientConnection connection) {
        loop.assertInside();
        unsigned.holds(connection, connection.unsignedBytes());
        for (ClientConnection most = unsigned.excess(); most != null; most = unsigned.excess()) {
            most.closed();
            unsigned.holds(most, 0);
            abort(most, Reason.UNSIGNED_BYTES);
        }
    }

    /** Tells the clients of HTTP/2 to open no more streams on these connections. */
    void leave() {
        loop.assertInside();
        List.copyOf(open.values()).forEach(ClientConnection::leave);
    }

    /** Ends a connection at once. */
    void abort(ClientConnection connection, Reason reason) {
        closings.closing(reason, loop.nanos());
        connection.abort();
    }

    /** Null if it was refused or is closed. */
    @Nullable
    ClientConnection of(HttpConnection connection) {
        loop.assertInside();
        return open.get(connection);
    }

    private void sweep() {
        long now = loop.nanos();
        for (ClientConnection connection : List.copyOf(open.values())) {
            if (connection.isIdle(now, limits)) {
                abort(connection, Reason.IDLE);
            } else if (connection.isHeadOverdue(now, limits)) {
                abort(connection, Reason.SLOW_HEAD);
            } else if (connection.takesNothing(now, limits)) {
                abort(connection, Reason.SLOW_READER);
            } else {
                endOverdue(connection, now);
                if (connection.isAged(now) && connection.leave()) {
                    closings.closing(Reason.AGE, now);
                }
            }
        }
        loop.schedule(SWEEP_NANOS, this::sweep);
    }

    private void endOverdue(ClientConnection connection, long now) {
        for (Exchange slow = connection.overdue(now, limits); slow != null; slow = connection.overdue(now, limits)) {
            Reason reason = slow.isAnswered() ? Reason.SLOW_READER : Reason.SLOW_BODY;
            closings.closing(reason, now);
            slow.abandon();
            if (!connection.isMultiplexed()) {
                return;
            }
        }
    }
}
