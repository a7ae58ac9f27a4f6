package cleave.frontend.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Counts what HTTP/2 has to keep of frames and header blocks that have not ended, as they pass on their way from TLS to the decoder;
 * and stops reading while the client does not take what is sent, be it only acknowledgements. Confined to the connection's loop.
 */
final class FrameMeter extends ChannelInboundHandlerAdapter {
    private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    private static final int FRAME_HEAD_BYTES = 9;
    private static final int HEADERS = 1;
    private static final int CONTINUATION = 9;
    private static final int END_HEADERS = 4;
    /** A buffer that grows is up to twice as large as what is in it. */
    private static final int GROWTH = 2;

    private @Nullable LongConsumer listener;
    private int prefaceLeft = PREFACE.length();
    private int headCount;
    private int payloadBytes;
    private int payloadLeft;
    private int type;
    private int flags;
    private long blockBytes;
    private long unwritableSinceNanos;
    private boolean isUnwritable;

    /** To be told what is kept, whenever that may have changed. */
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
        while (at < end) {
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
            payloadLeft = payloadBytes;
            endIfRead();
        }
    }

    private void endIfRead() {
        if (payloadLeft == 0) {
            if (type == HEADERS || type == CONTINUATION) {
                blockBytes = (flags & END_HEADERS) != 0 ? 0 : blockBytes + payloadBytes;
            }
            headCount = 0;
            payloadBytes = 0;
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
        unwritableSinceNanos = System.nanoTime();
        context.channel().config().setAutoRead(!isUnwritable);
        context.fireChannelWritabilityChanged();
    }

    /** Whether the client has taken too little for so long. */
    boolean isUnwritableFor(long nanos, long nowNanos) {
        return isUnwritable && nowNanos - unwritableSinceNanos > nanos;
    }
}
