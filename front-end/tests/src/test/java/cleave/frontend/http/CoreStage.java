package cleave.frontend.http;

import cleave.exchanges.Stage;
import cleave.frontend.core.FrontEndCore;
import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.odata.Headers;
import cleave.frontend.protocol.odata.HttpDate;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.frontend.request.Answer;
import cleave.frontend.request.Request;
import cleave.model.Ticks;
import cleave.runtime.loop.ManualLoop;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.vertx.core.MultiMap;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A front end's core as one scene meets it: requests are decoded, and answers have the headers of all answers, but nothing else of
 * {@link HttpService} is there.
 *
 * @param scheme http or https
 * @param onPrepared divides the tables that the scene begins with
 */
record CoreStage(ManualLoop loop, FrontEndCore core, String scheme, Runnable onPrepared) implements Stage {
    private static final int BODY_BYTES_MAX = 8 << 20;
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(10);

    @Override
    public Answered exchange(byte[] request) {
        EmbeddedChannel channel =
                new EmbeddedChannel(new HttpRequestDecoder(), new HttpObjectAggregator(BODY_BYTES_MAX));
        channel.writeInbound(Unpooled.wrappedBuffer(request));
        FullHttpRequest http = channel.readInbound();
        Body body = Body.of(ByteBufUtil.getBytes(http.content()));
        http.release();
        Headers headers = http.headers()::getAll;
        Request head = Request.of(core.requestId(), http.method().name(), http.uri(), scheme, "127.0.0.1", headers);
        CompletableFuture<Answer> answer = loop.call(() -> answer(head, body));
        if (!loop.advanceUntil(answer::isDone, PATIENCE_NANOS)) {
            throw new AssertionError("no answer");
        }
        return answered(head, answer.join());
    }

    private CompletableFuture<Answer> answer(Request request, Body body) {
        try {
            return request.verb().equals("OPTIONS") ? core.preflight(request) : core.answer(core.admit(request), body);
        } catch (ServiceError error) {
            return core.withCors(request, core.refuse(request, error));
        }
    }

    private Answered answered(Request request, Answer answer) {
        MultiMap fields = MultiMap.caseInsensitiveMultiMap();
        String date = new HttpDate().of(loop.ticks());
        AnswerWriter.putFields(fields, request.id(), request.headers(), request.rawQuery(), answer, date);
        List<String> lines = fields.entries().stream()
                .map(field -> field.getKey() + ": " + field.getValue())
                .toList();
        String body = request.verb().equals("HEAD") ? "" : new String(answer.body(), StandardCharsets.UTF_8);
        return new Answered(HttpResponseStatus.valueOf(answer.status()).toString(), lines, body);
    }

    @Override
    public void prepared() {
        onPrepared.run();
    }

    @Override
    public Instant now() {
        return Ticks.toInstant(loop.ticks());
    }
}
