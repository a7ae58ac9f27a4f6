package cleave.frontend.http;

import cleave.frontend.settings.FrontEndConfig.HttpLimits;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.impl.HttpServerConnection;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A connection and the exchanges on it that are not over: one after the other in HTTP/1.1, many at once in HTTP/2. Its time-outs
 * are judged by them. Confined to its loop.
 */
final class ClientConnection {
    private final HttpConnection http;
    private final boolean multiplexed;
    private final Set<Exchange> open = new LinkedHashSet<>();
    /** The beginning of the connection, or the end of its last exchange. */
    private long sinceNanos;

    ClientConnection(HttpConnection http, long nowNanos) {
        this.http = http;
        this.multiplexed = http.protocolVersion() == HttpVersion.HTTP_2;
        this.sinceNanos = nowNanos;
    }

    /** True in HTTP/2, where what ends an exchange early leaves the others alone. */
    boolean isMultiplexed() {
        return multiplexed;
    }

    void began(Exchange exchange) {
        open.add(exchange);
    }

    /** Idempotent. */
    void ended(Exchange exchange, long nowNanos) {
        if (open.remove(exchange)) {
            sinceNanos = nowNanos;
        }
    }

    /** An exchange whose client is overdue; null if there is none. */
    @Nullable
    Exchange overdue(long nowNanos, HttpLimits limits) {
        for (Exchange exchange : open) {
            // Answers of HTTP/1.1 leave in their order: each that has left is a sign of life for those behind it.
            if (exchange.isOverdue(nowNanos, multiplexed ? Long.MIN_VALUE : sinceNanos, limits)) {
                return exchange;
            }
        }
        return null;
    }

    boolean isIdle(long nowNanos, HttpLimits limits) {
        return open.isEmpty() && nowNanos - sinceNanos > limits.idleNanos();
    }

    /** Closes when the client has taken what was written. */
    void close() {
        http.close();
    }

    /** Closes at once. Vert.x has no public way to do so: its close waits for a client that takes nothing. */
    void abort() {
        if (http instanceof HttpServerConnection connection) {
            connection.channelHandlerContext().close();
        } else {
            http.close();
        }
    }
}
