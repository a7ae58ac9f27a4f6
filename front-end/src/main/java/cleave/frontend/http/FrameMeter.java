package cleave.frontend.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts what HTTP/2 has to keep of frames and header blocks that have not ended, as they pass on their way from TLS to the decoder, and
 * tells how long they have been unfinished, but for frames of bodies; and stops reading while the client does not take what is sent, be it only acknowledgements. Confined to the connection's loop.
 */
final class FrameMeter extends ChannelInboundHandlerAdapter {
    private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    private static final int FRAME_HEAD_BYTES = 9;
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int CONTINUATION = 9;
    private static final int END_HEADERS = 4;
    /** A buffer that grows is up to twice as large as what is in it. */
    private static final int GROWTH = 2;

    private final LongSupplier nanos;
    /** The frame, or the header block of several. */
    private final Unfinished part = new Unfinished();

    private @Nullable LongConsumer listener;
    private int prefaceLeft = PREFACE.length();
    private int headCount;
    private int payloadBytes;
    private int payloadLeft;
    private int type;
    private int flags;
    private boolean isBody;
    private long blockBytes;
    private long unwritableSinceNanos;
    private boolean isUnwritable;

    FrameMeter(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** Calls the listener with the bytes that are kept, whenever these may have changed. */
    void listen(LongConsumer told) {
        listener = told;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof ByteBuf bytes && !meter(bytes)) {
            context.pipeline().remove(this); // Not HTTP/2.
        }
        context.fireChannelRead(message);
    }

    private boolean meter(ByteBuf bytes) {
        int end = bytes.writerIndex();
        int at = bytes.readerIndex();
        long now = nanos.getAsLong();
        while (at < end) {
            part.begins(now);
            if (prefaceLeft > 0) {
                if (bytes.getByte(at++) != PREFACE.charAt(PREFACE.length() - prefaceLeft)) {
                    return false;
                }
                prefaceLeft--;
            } else if (headCount < FRAME_HEAD_BYTES) {
                readHead(bytes.getUnsignedByte(at++));
            } else {
                int some = Math.min(payloadLeft, end - at);
                payloadLeft -= some;
                at += some;
                endIfRead();
            }
        }
        return true;
    }

    private void readHead(int octet) {
        if (headCount < 3) {
            payloadBytes = (payloadBytes << 8) | octet;
        } else if (headCount == 3) {
            type = octet;
        } else if (headCount == 4) {
            flags = octet;
        }
        headCount++;
        if (headCount == FRAME_HEAD_BYTES) {
            isBody = type == DATA;
            payloadLeft = payloadBytes;
            endIfRead();
        }
    }

    private void endIfRead() {
        if (payloadLeft == 0) {
            boolean isOfBlock = type == HEADERS || type == CONTINUATION;
            boolean goesOn = isOfBlock && (flags & END_HEADERS) == 0;
            if (isOfBlock) {
                blockBytes = goesOn ? blockBytes + payloadBytes : 0;
            }
            if (!goesOn) {
                part.ends();
            }
            headCount = 0;
            payloadBytes = 0;
            isBody = false;
        }
    }

    /** Bytes that are kept of what has not ended. */
    long kept() {
        return GROWTH * (blockBytes + payloadBytes - payloadLeft);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        context.fireChannelReadComplete();
        if (listener != null) {
            listener.accept(kept());
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        isUnwritable = !context.channel().isWritable();
        unwritableSinceNanos = nanos.getAsLong();
        part.restarts(unwritableSinceNanos); // Nothing is read meanwhile.
        context.channel().config().setAutoRead(!isUnwritable);
        context.fireChannelWritabilityChanged();
    }

    /** Whether a frame that is of no body, or a header block, has been unfinished for longer, from its first byte on. */
    boolean isOverdue(long nanosMax, long nowNanos) {
        return !isUnwritable && !isBody && part.isOverdue(nanosMax, nowNanos);
    }

    boolean isUnwritable() {
        return isUnwritable;
    }

    /** Whether the client has taken too little for so long. */
    boolean isUnwritableFor(long nanos, long nowNanos) {
        return isUnwritable && nowNanos - unwritableSinceNanos > nanos;
    }
}
