package cleave.frontend.http;

import cleave.frontend.request.Answer;
import io.vertx.core.http.HttpServerRequest;
import java.util.concurrent.CompletableFuture;

/**
 * An exchange of HTTP/2, a stream. A request that is refused is answered at once. If its body has not ended by then, the stream is reset
 * soon after: some clients do not read an answer whose stream is reset while they send.
 */
final class Http2Exchange extends Exchange {
    /** Error codes of HTTP/2. */
    private static final long NO_ERROR = 0;

    private static final long INTERNAL_ERROR = 2;
    private static final long ENHANCE_YOUR_CALM = 11;

    Http2Exchange(HttpService service, ClientConnection connection, HttpServerRequest http) {
        super(service, connection, http);
    }

    @Override
    void permitted() {
        atOnce(this::preflight);
    }

    @Override
    void refused(Answer answer) {
        CompletableFuture<Answer> refusal = withCorsSoon(answer);
        atOnce(() -> work(refusal));
    }

    /** Answers in the next event: by then it is known whether the request has a body, and without one the stream need not be reset. */
    private void atOnce(Runnable answering) {
        state = State.WORKING;
        service.loop()
                .submit(() -> guarded(() -> {
                    if (state == State.WORKING) {
                        answering.run();
                    } else {
                        over();
                    }
                }));
    }

    @Override
    void passedBy(long bytes) {
        if (state == State.LINGERING && bytes > LINGER_BYTES) {
            reset();
        }
    }

    @Override
    void ended() {
        switch (state) {
            case RECEIVING -> execute();
            case LINGERING -> over();
            case DISCARDING, WORKING, ABANDONED, SENDING, OVER -> {} // Its answer does not wait for this.
        }
    }

    @Override
    void send(Answer answer) {
        write(answer).onComplete(done -> sent());
    }

    private void sent() {
        if (http.isEnded() || http.response().closed()) {
            over();
        } else if (connection.letsLinger()) {
            state = State.LINGERING;
            service.loop().schedule(LINGER_NANOS, this::stopLingering);
        } else {
            reset();
        }
    }

    private void stopLingering() {
        if (state == State.LINGERING) {
            reset();
        }
    }

    private void reset() {
        service.closings().closing(Closings.Reason.REFUSED, service.loop().nanos());
        http.response().reset(NO_ERROR);
        over();
    }

    @Override
    void answerEarly(Answer answer) {
        answer(withCors(answer));
    }

    @Override
    void answerLast(Answer answer) {
        answerEarly(answer);
    }

    @Override
    void breakOff() {
        http.response().reset(INTERNAL_ERROR);
        over();
    }

    @Override
    void abandon() {
        release();
        http.response().reset(ENHANCE_YOUR_CALM);
        over();
    }

    @Override
    boolean isGone(Throwable cause) {
        return true;
    }

    @Override
    void over() {
        if (state == State.LINGERING) {
            connection.lingeredOn();
        }
        super.over();
    }
}
