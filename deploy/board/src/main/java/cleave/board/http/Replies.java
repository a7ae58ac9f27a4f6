package cleave.board.http;

import cleave.model.Damaged;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends answers and refusals. Called in the request's event loop; an answer to a connection that has closed meanwhile is dropped. */
final class Replies {
    private static final Logger LOG = LoggerFactory.getLogger(Replies.class);

    private Replies() {}

    /** @param zipped the same, compressed, if the request takes that */
    static void json(HttpServerRequest request, byte[] plain, byte @Nullable [] zipped) {
        request.response().putHeader("Cache-Control", "no-store");
        if (zipped != null) {
            request.response().putHeader("Content-Encoding", "gzip");
        }
        send(request, "application/json; charset=utf-8", zipped == null ? plain : zipped);
    }

    static void send(HttpServerRequest request, String type, byte[] bytes) {
        if (request.response().closed()) {
            return;
        }
        request.response().putHeader("Content-Type", type).putHeader("Content-Length", String.valueOf(bytes.length));
        if (request.method().equals(HttpMethod.HEAD)) {
            request.response().end();
        } else {
            request.response().end(Buffer.buffer(bytes));
        }
    }

    /** Answers what a failure means to who asked; one that should not happen is logged. */
    static void fail(HttpServerRequest request, Throwable failure) {
        if (failure instanceof Unusable known) {
            refuse(request, known);
        } else if (failure instanceof IOException || failure instanceof Damaged) {
            refuse(request, new Unusable(503, String.valueOf(failure.getMessage())));
        } else {
            LOG.error("request of the board failed path={}", request.path(), failure);
            refuse(request, new Unusable(500, "it failed: " + failure));
        }
    }

    static void refuse(HttpServerRequest request, Unusable refused) {
        if (!request.response().headWritten()) {
            request.response().setStatusCode(refused.status()).putHeader("Cache-Control", "no-store");
            send(request, "text/plain; charset=utf-8", (refused.getMessage() + "\n").getBytes(StandardCharsets.UTF_8));
        }
    }

    static boolean takesZip(HttpServerRequest request) {
        String accepted = request.getHeader("Accept-Encoding");
        for (String coding : accepted == null ? new String[0] : accepted.split(",")) {
            String[] parts = coding.replace(" ", "").split(";");
            if (parts.length > 0 && parts[0].equalsIgnoreCase("gzip")) {
                return parts.length == 1 || !parts[1].matches("q=0(?:\\.0*)?");
            }
        }
        return false;
    }
}
