package cleave.deploy.role;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;
import java.util.function.BiConsumer;

/** Hands the one request of a connection to {@code answer}, sends the reply, and closes the connection. */
final class AdminHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
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
                response.headers().set(HttpHeaderNames.ALLOW, "GET, HEAD");
            }
            context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
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
