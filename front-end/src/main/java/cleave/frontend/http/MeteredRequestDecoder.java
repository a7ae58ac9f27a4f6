package cleave.frontend.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.util.AsciiString;
import io.netty.util.ByteProcessor;
import io.vertx.core.http.Http1ServerConfig;
import io.vertx.core.http.impl.http1.VertxHttpRequestDecoder;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The decoder of HTTP/1.1, which counts what it keeps: the head that has not ended, and those that nobody has begun to answer; and tells
 * how long that head has been unfinished. It refuses a head of too many fields, and other versions. Confined to the connection's loop.
 */
final class MeteredRequestDecoder extends VertxHttpRequestDecoder {
    private static final Pattern VERSION = Pattern.compile("HTTP/(\\d)\\.(\\d)");

    private final LongSupplier nanos;
    private final LongConsumer listener;
    private final Unfinished head = new Unfinished();
    private final Queue<Long> waiting = new ArrayDeque<>();
    private long waitingBytes;
    private long bytes;
    private int fields;
    private boolean isInBody;

    /** A major version of HTTP that is not served here. */
    static final class OtherVersion extends IllegalArgumentException {
        private static final long serialVersionUID = 1;

        OtherVersion(String version) {
            super("not served here: " + version);
        }
    }

    /** @param listener told what is kept, whenever that may have changed */
    MeteredRequestDecoder(Http1ServerConfig config, LongSupplier nanos, LongConsumer listener) {
        super(config);
        this.nanos = nanos;
        this.listener = listener;
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf buffer, List<Object> out) throws Exception {
        int before = buffer.readableBytes();
        int known = out.size();
        if (!isInBody && buffer.forEachByte(ByteProcessor.FIND_NON_CRLF) >= 0) { // Empty lines may precede a head.
            head.begins(nanos.getAsLong());
        }
        super.decode(context, buffer, out);
        out.subList(known, out.size()).forEach(this::decoded);
        bytes += before - buffer.readableBytes();
        if (out.size() > known) {
            if (out.get(known) instanceof HttpRequest) {
                long cost = HeaderFields.cost(bytes, fields);
                waiting.add(cost);
                waitingBytes += cost;
            }
            bytes = 0;
            fields = 0;
        }
    }

    /** An unknown minor version is answered as the last known one (RFC 9110, section 2.5). */
    @Override
    protected HttpMessage createMessage(String[] requestLine) {
        if (requestLine[2].equals(HttpVersion.HTTP_1_1.text())) {
            return super.createMessage(requestLine);
        }
        Matcher version = VERSION.matcher(requestLine[2]);
        if (!version.matches()) {
            throw new IllegalArgumentException("'" + requestLine[2] + "' is no version of HTTP");
        }
        if (!version.group(1).equals("1")) {
            throw new OtherVersion(requestLine[2]);
        }
        if (!version.group(2).equals("0")) {
            requestLine[2] = HttpVersion.HTTP_1_1.text();
        }
        return super.createMessage(requestLine);
    }

    /** Stands for what could not be read; its version is that of the answer. */
    @Override
    protected HttpMessage createInvalidMessage() {
        return new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/bad-request", Unpooled.EMPTY_BUFFER);
    }

    private void decoded(Object part) {
        if (part instanceof HttpRequest) {
            head.ends();
            isInBody = true;
        }
        if (part instanceof LastHttpContent) {
            isInBody = false;
        }
    }

    /** Whether a head has been unfinished for longer, from its first byte on. */
    boolean isHeadOverdue(long nanosMax, long nowNanos) {
        return head.isOverdue(nanosMax, nowNanos);
    }

    @Override
    protected AsciiString splitHeaderName(byte[] line, int start, int length) {
        if (++fields > HeaderFields.FIELDS_MAX) {
            throw new TooLongHttpHeaderException("more than " + HeaderFields.FIELDS_MAX + " header fields");
        }
        return super.splitHeaderName(line, start, length);
    }

    /** The next head that was decoded is about to be answered; gives what it takes. */
    long begin() {
        Long cost = waiting.poll();
        if (cost == null) {
            return 0; // Upgraded or broken: there is no head behind this request.
        }
        waitingBytes -= cost;
        return cost;
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) throws Exception {
        super.channelReadComplete(context);
        listener.accept(kept());
    }

    /** Bytes that are kept. */
    long kept() {
        return waitingBytes + (bytes == 0 ? 0 : HeaderFields.cost(bytes, fields));
    }
}
