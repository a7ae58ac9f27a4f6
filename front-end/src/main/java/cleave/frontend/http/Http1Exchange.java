package cleave.frontend.http;

import cleave.frontend.request.Answer;
import io.vertx.core.http.HttpClosedException;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * An exchange of HTTP/1.1. A request that is refused is answered when its body has been read and discarded, so that the connection can
 * be reused. One whose body is too large is answered at once, and the connection closes soon after.
 */
final class Http1Exchange extends Exchange {
    /** The answer to a request that is refused; null for a preflight. */
    private @Nullable CompletableFuture<Answer> refusal;

    Http1Exchange(HttpService service, ClientConnection connection, HttpServerRequest http) {
        super(service, connection, http);
    }

    @Override
    void permitted() {
        state = State.DISCARDING;
        continueIfAsked();
    }

    @Override
    void refused(Answer answer) {
        if (awaitsContinue()) {
            // The client may or may not send its body now, so the connection cannot be reused.
            answerLast(answer);
        } else if (framing.exceeds(service.limits().bodyBytes())) {
            answerEarly(answer);
        } else {
            state = State.DISCARDING;
            refusal = withCorsSoon(answer);
        }
    }

    @Override
    void passedBy(long bytes) {
        if (state == State.DISCARDING && bytes > service.limits().bodyBytes()) {
            CompletableFuture<Answer> known = refusal;
            guarded(() -> answerEarly(known != null && known.isDone() ? known.join() : tooLarge()));
        } else if (state == State.LINGERING && bytes > LINGER_BYTES) {
            connection.abort();
        }
    }

    @Override
    void ended() {
        switch (state) {
            case RECEIVING -> execute();
            case DISCARDING -> {
                if (refusal == null) {
                    preflight();
                } else {
                    work(refusal);
                }
            }
            case LINGERING -> http.response().end().onComplete(done -> connection.close());
            case WORKING, ABANDONED, SENDING, OVER -> {}
        }
    }

    @Override
    void send(Answer answer) {
        long now = service.loop().nanos();
        boolean isAged = connection.isAged(now);
        boolean isLast = isAged || service.isLeaving();
        if (isLast) {
            endConnection();
        }
        if (isAged) {
            service.closings().closing(Closings.Reason.AGE, now);
        }
        write(answer).onComplete(done -> {
            over();
            if (isLast) {
                connection.close();
            }
        });
    }

    private void endConnection() {
        connection.endsWithAnswer();
        http.response().putHeader("Connection", "close");
    }

    @Override
    void answerEarly(Answer answer) {
        if (prepare(withCors(answer))) {
            state = State.LINGERING;
            http.response().putHeader("Connection", "close");
            http.response().write(AnswerWriter.body(answer));
            service.loop().schedule(LINGER_NANOS, connection::abort);
        }
    }

    @Override
    void answerLast(Answer answer) {
        if (prepare(withCors(answer))) {
            endConnection();
            http.response().end(AnswerWriter.body(answer)).onComplete(done -> connection.close());
        }
    }

    @Override
    void breakOff() {
        connection.close();
    }

    @Override
    void abandon() {
        connection.abort();
    }

    @Override
    boolean isGone(Throwable cause) {
        return cause instanceof HttpClosedException || cause instanceof IOException;
    }
}
