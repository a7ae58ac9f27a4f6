package cleave.frontend.http;

import cleave.frontend.settings.FrontEndConfig.HttpLimits;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.vertx.core.http.Http1ServerConfig;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.impl.HttpServerConnection;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A client connection and its open exchanges: one at a time in HTTP/1.1, many concurrently in HTTP/2. Tracks the times that its time-outs
 * depend on, and the bytes that it buffers for an unauthenticated client. Confined to its loop.
 */
final class ClientConnection {
    private static final int LINGERING_MAX = 8;
    /** The error code of a GOAWAY without an error. */
    private static final long NO_ERROR = 0;

    private final HttpConnection http;
    private final Channel channel;
    private final boolean multiplexed;
    private final Consumer<ClientConnection> keepsMore;
    private final Set<Exchange> open = new LinkedHashSet<>();
    private @Nullable MeteredRequestDecoder decoder;
    private @Nullable FrameMeter frames;
    private @Nullable RecordMeter records;
    private final long bornNanos;
    private final long ageNanosMax;
    /** The beginning of the connection, or the end of its last exchange. */
    private long sinceNanos;

    private long undecodedBytes;
    private long refusedBytes;
    private boolean hasAsked;
    private boolean closed;
    private boolean goneAway;
    private boolean ends;
    private int lingering;

    /**
     * @param keepsMore called when the unauthenticated bytes change
     * @param ageNanosMax the age after which its client is told to connect anew
     */
    ClientConnection(
            HttpConnection http,
            Http1ServerConfig config,
            Consumer<ClientConnection> keepsMore,
            long nowNanos,
            long ageNanosMax) {
        this.http = http;
        this.multiplexed = http.protocolVersion() == HttpVersion.HTTP_2;
        this.keepsMore = keepsMore;
        this.bornNanos = nowNanos;
        this.ageNanosMax = ageNanosMax;
        this.sinceNanos = nowNanos;
        this.channel = ((HttpServerConnection) http).channelHandlerContext().channel();
        meter(config);
    }

    /** Vert.x has no public way to its pipeline. */
    private void meter(Http1ServerConfig config) {
        frames = AcceptedConnections.begun(channel);
        records = AcceptedConnections.records(channel);
        if (multiplexed && frames != null) {
            frames.listen(this::undecoded);
        } else if (!multiplexed) {
            decoder = new MeteredRequestDecoder(config, System::nanoTime, this::undecoded);
            channel.pipeline().replace("httpDecoder", "httpDecoder", decoder);
        }
    }

    private void undecoded(long bytes) {
        if (bytes != undecodedBytes) {
            undecodedBytes = bytes;
            keepsMore.accept(this);
        }
    }

    /** Adds to the bytes it keeps for requests that were refused and are not finished; negative to subtract. */
    void keeps(long bytes) {
        if (bytes != 0) {
            refusedBytes += bytes;
            keepsMore.accept(this);
        }
    }

    /** Bytes that it buffers for requests that are not authenticated. */
    long unsignedBytes() {
        return closed ? 0 : undecodedBytes + refusedBytes;
    }

    /** The connection is closed, and buffers nothing, even if exchanges are still ending. */
    void closed() {
        closed = true;
    }

    /** Begins the next head; returns its size in memory. */
    long beginHead(HeaderFields fields, int targetBytes) {
        if (decoder == null) {
            return fields.cost(targetBytes);
        }
        long cost = decoder.begin();
        undecoded(decoder.kept());
        return cost;
    }

    /** True in HTTP/2, where an exchange can end early without affecting the others. */
    boolean isMultiplexed() {
        return multiplexed;
    }

    /** True if one more answered stream may stay open for the rest of its body. */
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
        if (!hasAsked) {
            hasAsked = true;
            AcceptedConnections.asked(channel);
        }
    }

    /** Idempotent. */
    void ended(Exchange exchange, long nowNanos) {
        if (open.remove(exchange)) {
            sinceNanos = nowNanos;
        }
    }

    /** An exchange whose client exceeded its time-out; null if there is none. */
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

    /**
     * True if a head has been unfinished for too long, however much of it came last: of an HTTP/2 connection any frame but those of bodies.
     * While an answer of HTTP/1.1 is under way, the next head is not waited for.
     */
    boolean isHeadOverdue(long nowNanos, HttpLimits limits) {
        long nanosMax = limits.headNanos();
        if (multiplexed && frames != null && frames.isOverdue(nanosMax, nowNanos)) {
            return true;
        }
        boolean isRead = frames == null || !frames.isUnwritable();
        return open.isEmpty()
                && isRead
                && nowNanos - sinceNanos > nanosMax
                && ((decoder != null && decoder.isHeadOverdue(nanosMax, nowNanos))
                        || (records != null && records.isOverdue(nanosMax, nowNanos)));
    }

    boolean isIdle(long nowNanos, HttpLimits limits) {
        return open.isEmpty() && nowNanos - sinceNanos > limits.idleNanos();
    }

    /** True if it is to end: in HTTP/1.1 with its next answer, in HTTP/2 by GOAWAY. */
    boolean isAged(long nowNanos) {
        return nowNanos - bornNanos >= ageNanosMax;
    }

    /** True in HTTP/2 if the client has not read for too long, be it answers or acknowledgements. */
    boolean takesNothing(long nowNanos, HttpLimits limits) {
        return frames != null && frames.isUnwritableFor(limits.answerNanos(), nowNanos);
    }

    /**
     * Sends GOAWAY in HTTP/2, with the highest stream there can be (RFC 9113, section 6.8): streams that the client has opened, or opens
     * before it reads this, are served. False if this is HTTP/1.1, or was done before.
     */
    @SuppressWarnings(
            "deprecation") // What replaces it, shutdown, has a time-out, after which it aborts what is in flight.
    boolean leave() {
        if (!multiplexed || goneAway) {
            return false;
        }
        goneAway = true;
        http.goAway(NO_ERROR, Integer.MAX_VALUE);
        return true;
    }

    /** In HTTP/1.1, an answer says that the connection closes: requests that the client had sent behind it are not executed. */
    void endsWithAnswer() {
        ends = true;
    }

    boolean ends() {
        return ends;
    }

    /** Closes after the client has read what was written. */
    void close() {
        http.close();
    }

    /** Closes at once. Vert.x has no public way to do so: its close waits for a client that does not read. */
    void abort() {
        // From the first handler on, to bypass the closing handshakes of TLS and HTTP/2.
        ChannelHandlerContext first =
                ((HttpServerConnection) http).channelHandlerContext().pipeline().firstContext();
        if (first != null) { // Netty takes all handlers out of the pipeline of a connection that has ended.
            first.close();
        }
    }
}
