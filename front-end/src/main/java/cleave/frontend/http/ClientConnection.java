package cleave.frontend.http;

import cleave.frontend.settings.FrontEndConfig.HttpLimits;
import io.netty.channel.Channel;
import io.vertx.core.http.Http1ServerConfig;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.impl.HttpServerConnection;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A connection and the exchanges on it that are not over: one after the other in HTTP/1.1, many at once in HTTP/2. Its time-outs
 * are judged by them, and it knows what it keeps for a client that has shown no signature. Confined to its loop.
 */
final class ClientConnection {
    private static final int LINGERING_MAX = 8;

    private final HttpConnection http;
    private final boolean multiplexed;
    private final Consumer<ClientConnection> keepsMore;
    private final Set<Exchange> open = new LinkedHashSet<>();
    private @Nullable MeteredRequestDecoder decoder;
    private @Nullable FrameMeter frames;
    /** The beginning of the connection, or the end of its last exchange. */
    private long sinceNanos;

    private long undecodedBytes;
    private long refusedBytes;
    private boolean closed;
    private int lingering;

    /** @param keepsMore told when it keeps more or less without a signature */
    ClientConnection(
            HttpConnection http, Http1ServerConfig config, Consumer<ClientConnection> keepsMore, long nowNanos) {
        this.http = http;
        this.multiplexed = http.protocolVersion() == HttpVersion.HTTP_2;
        this.keepsMore = keepsMore;
        this.sinceNanos = nowNanos;
        meter(((HttpServerConnection) http).channelHandlerContext().channel(), config);
    }

    /** Vert.x has no public way to its pipeline. */
    private void meter(Channel channel, Http1ServerConfig config) {
        frames = AcceptedConnections.begun(channel);
        if (multiplexed && frames != null) {
            frames.listen(this::undecoded);
        } else if (!multiplexed) {
            decoder = new MeteredRequestDecoder(config, this::undecoded);
            channel.pipeline().replace("httpDecoder", "httpDecoder", decoder);
        }
    }

    private void undecoded(long bytes) {
        if (bytes != undecodedBytes) {
            undecodedBytes = bytes;
            keepsMore.accept(this);
        }
    }

    /** It keeps so many bytes more, or less, of requests that were refused and are not over. */
    void keeps(long bytes) {
        if (bytes != 0) {
            refusedBytes += bytes;
            keepsMore.accept(this);
        }
    }

    /** Bytes that it keeps though nobody has signed for them. */
    long unsignedBytes() {
        return closed ? 0 : undecodedBytes + refusedBytes;
    }

    /** It keeps nothing any more, whatever is still to end. */
    void closed() {
        closed = true;
    }

    /** The next head is about to be judged; gives what it takes. */
    long beginHead(HeaderFields fields, int targetBytes) {
        if (decoder == null) {
            return fields.cost(targetBytes);
        }
        long cost = decoder.begin();
        undecoded(decoder.kept());
        return cost;
    }

    /** True in HTTP/2, where what ends an exchange early leaves the others alone. */
    boolean isMultiplexed() {
        return multiplexed;
    }

    /** True if one more stream may wait for the rest of its body though it was answered. */
    boolean letsLinger() {
        if (lingering >= LINGERING_MAX) {
            return false;
        }
        lingering++;
        return true;
    }

    void lingeredOn() {
        lingering--;
    }

    int exchanges() {
        return open.size();
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

    /** True in HTTP/2 if the client has not taken what was sent for too long, be it answers or acknowledgements. */
    boolean takesNothing(long nowNanos, HttpLimits limits) {
        return frames != null && frames.isUnwritableFor(limits.answerNanos(), nowNanos);
    }

    /** Closes when the client has taken what was written. */
    void close() {
        http.close();
    }

    /** Closes at once. Vert.x has no public way to do so: its close waits for a client that takes nothing. */
    void abort() {
        // From the first handler on, so that neither TLS nor HTTP/2 has a word to say before.
        ((HttpServerConnection) http)
                .channelHandlerContext()
                .pipeline()
                .firstContext()
                .close();
    }
}
