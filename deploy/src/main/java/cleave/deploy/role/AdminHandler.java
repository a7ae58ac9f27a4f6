package cleave.deploy.role;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/** Hands the one request of a connection to {@code answer}, sends the reply, and closes the connection. */
final class AdminHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
    private static final int PIECE_BYTES = 64 << 10;

    private final AdminConnections connections;
    private final BiConsumer<FullHttpRequest, Reply> answer;
    private boolean asked;

    AdminHandler(AdminConnections connections, BiConsumer<FullHttpRequest, Reply> answer) {
        this.connections = connections;
        this.answer = answer;
    }

    /** The receiver of the answer; used once. Thread-safe. */
    static final class Reply {
        private final ChannelHandlerContext context;
        private final boolean head;
        private volatile String allowed = "GET, HEAD";

        private Reply(ChannelHandlerContext context, boolean head) {
            this.context = context;
            this.head = head;
        }

        void text(int status, String body) {
            send(status, "text/plain; charset=utf-8", body);
        }

        void send(int status, String type, String body) {
            ByteBuf bytes = Unpooled.copiedBuffer(body, StandardCharsets.UTF_8);
            int length = bytes.readableBytes();
            DefaultFullHttpResponse response = new DefaultFullHttpResponse(
                    HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(status), head ? Unpooled.EMPTY_BUFFER : bytes);
            response.headers()
                    .set(HttpHeaderNames.CONTENT_TYPE, type)
                    .set(HttpHeaderNames.CONTENT_LENGTH, length)
                    .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
            if (status == 405) {
                response.headers().set(HttpHeaderNames.ALLOW, allowed);
            }
            context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
        }

        /** The path takes other methods than the usual ones. */
        void notAllowed(String methods) {
            allowed = methods;
            text(405, "only " + methods + "\n");
        }

        Channel channel() {
            return context.channel();
        }

        /** The certificate that the caller has shown; null without TLS. */
        @Nullable
        X509Certificate certificate() {
            SslHandler tls = context.pipeline().get(SslHandler.class);
            if (tls == null) {
                return null;
            }
            try {
                return (X509Certificate) tls.engine().getSession().getPeerCertificates()[0];
            } catch (SSLPeerUnverifiedException impossible) {
                throw new IllegalStateException("TLS without a certificate", impossible);
            }
        }

        /**
         * Sends all bytes of a stream, in pieces, each when the one before was taken. Blocks, so not in the event loop. If it ends half-way, so does
         * the connection, which tells the caller that bytes are missing.
         *
         * @param pieceSeconds how long the caller may take for a piece
         * @return the number of bytes; -1: the caller went away or did not take them
         */
        long stream(InputStream bytes, String type, int pieceSeconds) throws IOException, InterruptedException {
            DefaultHttpResponse response = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
            response.headers()
                    .set(HttpHeaderNames.CONTENT_TYPE, type)
                    .set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED)
                    .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
            try {
                context.writeAndFlush(response);
                long count = 0;
                for (byte[] piece = bytes.readNBytes(PIECE_BYTES);
                        piece.length > 0;
                        piece = bytes.readNBytes(PIECE_BYTES)) {
                    ChannelFuture sent = context.writeAndFlush(new DefaultHttpContent(Unpooled.wrappedBuffer(piece)));
                    if (!sent.await(pieceSeconds, TimeUnit.SECONDS) || !sent.isSuccess()) {
                        return -1;
                    }
                    count += piece.length;
                }
                ChannelFuture last = context.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
                return last.await(pieceSeconds, TimeUnit.SECONDS) && last.isSuccess() ? count : -1;
            } finally {
                context.close();
            }
        }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
        if (!asked) {
            asked = true;
            connections.asked(context.channel());
            answer.accept(request, new Reply(context, request.method().equals(HttpMethod.HEAD)));
        }
    }

    /** A connection that broke, or that does not speak HTTP, is nothing to report. */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }
}
