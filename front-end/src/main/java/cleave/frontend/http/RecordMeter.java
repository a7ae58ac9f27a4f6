package cleave.frontend.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.function.LongSupplier;

/**
 * Tells how long a record of TLS has been unfinished, as it passes on its way to be decrypted: nothing behind it sees a byte of a record
 * before the last one. Confined to the connection's loop.
 */
final class RecordMeter extends ChannelInboundHandlerAdapter {
    private static final int HEAD_BYTES = 5;
    private static final int LENGTH_AT = 3;

    private final LongSupplier nanos;
    private final Unfinished record = new Unfinished();
    private int headCount;
    private int payloadLeft;

    RecordMeter(LongSupplier nanos) {
        this.nanos = nanos;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof ByteBuf bytes) {
            meter(bytes);
        }
        context.fireChannelRead(message);
    }

    private void meter(ByteBuf bytes) {
        int end = bytes.writerIndex();
        int at = bytes.readerIndex();
        long now = nanos.getAsLong();
        while (at < end) {
            record.begins(now);
            if (headCount < HEAD_BYTES) {
                if (headCount >= LENGTH_AT) {
                    payloadLeft = (payloadLeft << 8) | bytes.getUnsignedByte(at);
                }
                headCount++;
                at++;
            } else {
                int some = Math.min(payloadLeft, end - at);
                payloadLeft -= some;
                at += some;
            }
            if (headCount == HEAD_BYTES && payloadLeft == 0) {
                headCount = 0;
                record.ends();
            }
        }
    }

    boolean isOverdue(long nanosMax, long nowNanos) {
        return record.isOverdue(nanosMax, nowNanos);
    }
}
