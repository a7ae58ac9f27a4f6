package cleave.frontend.http;

import cleave.frontend.loop.Admission;
import cleave.frontend.loop.Answer;
import cleave.frontend.loop.Request;
import cleave.frontend.odata.ServiceCode;
import cleave.frontend.odata.ServiceError;
import cleave.frontend.settings.FrontEndConfig.HttpLimits;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClosedException;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.SocketAddress;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request and its answer. Confined to its loop.
 *
 * <p>The head is judged before the body is read. A request that is refused by its head is answered when its body has passed by,
 * so that the connection can go on; one whose body is too large, at once, and the connection, or in HTTP/2 the stream, ends soon
 * after.
 */
final class Exchange {
    private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);

    /** What a client whose body is too large may still send, so that it comes to read the answer before the connection ends. */
    private static final long LINGER_BYTES = 64L << 20;

    /** What must have a body, if an empty one, and say how long it is. */
    private static final Set<HttpMethod> NEEDS_LENGTH = Set.of(HttpMethod.POST, HttpMethod.PUT);

    private static final long NOT_ANNOUNCED = -1;

    private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Error codes of HTTP/2. */
    private static final long NO_ERROR = 0;

    private static final long INTERNAL_ERROR = 2;
    private static final long ENHANCE_YOUR_CALM = 11;

    /** What is awaited. */
    private enum Phase {
        /** From the client: the rest of the body. */
        RECEIVING,
        /** From us: the answer, which has a deadline of its own. */
        WORKING,
        /** From the client: that it takes the answer. */
        SENDING
    }

    private final HttpService service;
    private final ClientConnection connection;
    private final HttpServerRequest http;
    private final HeaderFields headers;
    private final Request request;
    private final long announcedBytes;
    private final BodyBytes received;
    private @Nullable Admission admission;
    private @Nullable Answer refusal;
    private boolean isPreflight;
    private boolean counted;
    private boolean isWorkedOn;
    private boolean lingers;
    /** Bytes of the body that nobody wants any more. */
    private long passedBy;

    private boolean answered;
    private Phase phase = Phase.RECEIVING;
    private long phaseSinceNanos;
    /** Of the body, or of the answer. */
    private long held;

    Exchange(HttpService service, ClientConnection connection, HttpServerRequest http) {
        this.service = service;
        this.connection = connection;
        this.http = http;
        this.headers = HeaderFields.of(http);
        this.request = Request.of(
                service.core().requestId(),
                http.method().name(),
                http.uri(),
                http.isSSL() ? "https" : "http",
                client(http),
                headers);
        this.announcedBytes = announcedBytes(headers);
        this.received = new BodyBytes(service.limits().bodyBytes());
    }

    private static String client(HttpServerRequest http) {
        SocketAddress address = http.remoteAddress();
        String host = address == null ? null : address.hostAddress();
        return host == null ? "" : host;
    }

    /** The head is there. */
    void begin() {
        http.handler(this::receive);
        http.endHandler(nothing -> ended());
        http.exceptionHandler(this::broken);
        connection.began(this);
        enterPhase(Phase.RECEIVING);
        guarded(this::judge);
    }

    private void enterPhase(Phase next) {
        phase = next;
        phaseSinceNanos = service.loop().nanos();
    }

    /**
     * Whether the client lets us wait for too long.
     *
     * @param sinceNanos not before this time it could have done more
     */
    boolean isOverdue(long nowNanos, long sinceNanos, HttpLimits limits) {
        return switch (phase) {
            case RECEIVING -> nowNanos - phaseSinceNanos > limits.bodyNanos();
            case WORKING -> false;
            case SENDING -> nowNanos - Math.max(phaseSinceNanos, sinceNanos) > limits.answerNanos();
        };
    }

    boolean isAnswered() {
        return answered;
    }

    private void judge() {
        try {
            boolean asksOnly = http.method().equals(HttpMethod.OPTIONS);
            if (!asksOnly) {
                enter();
            }
            Admission admitted = asksOnly ? null : service.core().admit(request);
            checkFraming();
            isPreflight = asksOnly;
            admission = admitted;
            if (expectsContinue()) {
                http.response().writeContinue();
            }
        } catch (ServiceError error) {
            refuse(error);
        }
    }

    private void enter() {
        counted = !service.core().room().isFull() && service.inFlight().enter();
        if (!counted) {
            throw ServiceError.of(ServiceCode.SERVER_BUSY);
        }
    }

    private void checkFraming() {
        if (announcesTooMuch()) {
            throw ServiceError.of(ServiceCode.REQUEST_BODY_TOO_LARGE);
        }
        if (announcedBytes == NOT_ANNOUNCED && http.version() != HttpVersion.HTTP_2) {
            String coding = headers.first("Transfer-Encoding");
            if (coding == null && NEEDS_LENGTH.contains(http.method())) {
                throw ServiceError.of(ServiceCode.MISSING_CONTENT_LENGTH_HEADER);
            }
            if (coding != null && !coding.equalsIgnoreCase("chunked")) {
                throw ServiceError.of(
                        ServiceCode.NOT_IMPLEMENTED, "The only transfer coding that is known is chunked.");
            }
        }
    }

    private boolean announcesTooMuch() {
        return announcedBytes > service.limits().bodyBytes();
    }

    /** What is no number has been refused by the decoder before. */
    private static long announcedBytes(HeaderFields headers) {
        String length = headers.first("Content-Length");
        try {
            return length == null ? NOT_ANNOUNCED : Long.parseLong(length);
        } catch (NumberFormatException tooLong) {
            return Long.MAX_VALUE;
        }
    }

    private boolean expectsContinue() {
        return http.version() != HttpVersion.HTTP_1_0 && "100-continue".equalsIgnoreCase(headers.first("Expect"));
    }

    /** What is refused is not in flight any more: nobody works on it, and its body is not kept. */
    private void refuse(ServiceError error) {
        leave();
        Answer answer = service.core().refuse(request, error);
        if (expectsContinue() && !connection.isMultiplexed()) {
            // Nobody can know whether the client will send its body now, so the connection cannot go on.
            answerAndClose(answer);
        } else if (announcesTooMuch() || expectsContinue()) {
            answerAndLinger(answer);
        } else {
            refusal = answer;
        }
    }

    private void receive(Buffer piece) {
        Answer known = refusal;
        if (lingers) {
            passedBy += piece.length();
            if (passedBy > LINGER_BYTES) {
                stopLingering();
            }
        } else if (known != null || isPreflight) {
            passedBy += piece.length();
            if (!answered && passedBy > service.limits().bodyBytes()) {
                guarded(() -> answerAndLinger(known != null ? known : tooLarge()));
            }
        } else if (!answered && service.core().room().isFull()) {
            admission = null;
            received.drop();
            guarded(() -> refuse(ServiceError.of(ServiceCode.SERVER_BUSY)));
        } else if (!answered && !received.add(piece)) {
            admission = null;
            guarded(() -> answerAndLinger(tooLarge()));
        } else if (!answered) {
            held += piece.length();
            service.core().room().take(piece.length());
        }
    }

    private Answer tooLarge() {
        return service.core().refuse(request, ServiceError.of(ServiceCode.REQUEST_BODY_TOO_LARGE));
    }

    private void ended() {
        if (lingers && connection.isMultiplexed()) {
            lingers = false;
        } else if (lingers) {
            http.response().end().onComplete(done -> connection.close());
        } else if (refusal != null) {
            work(service.core().shared(request, refusal));
        } else if (isPreflight) {
            preflight();
        } else if (admission != null) {
            work(service.core().answer(admission, received.body()));
        }
    }

    /** Nobody signs it, so it is in flight only from here on, and its body is not kept. */
    private void preflight() {
        try {
            enter();
            work(service.core().preflight(request));
        } catch (ServiceError busy) {
            work(CompletableFuture.completedFuture(service.core().refuse(request, busy)));
        }
    }

    private void work(CompletableFuture<Answer> answer) {
        isWorkedOn = true;
        enterPhase(Phase.WORKING);
        answer.whenComplete(this::worked);
    }

    private void worked(@Nullable Answer answer, @Nullable Throwable bug) {
        isWorkedOn = false;
        if (bug != null || answer == null) {
            failed(bug);
        } else {
            guarded(() -> answer(answer));
        }
    }

    private void answer(Answer answer) {
        if (prepare(answer)) {
            HttpServerResponse response = http.response();
            held = answer.body().length;
            service.core().room().take(held);
            (AnswerWriter.sendsBody(http, answer) ? response.end(Buffer.buffer(answer.body())) : response.end())
                    .onComplete(done -> over());
        }
    }

    /** With what scripts of other origins need to read it, if that is known already. */
    private Answer shared(Answer refused) {
        return service.core().shared(request, refused).getNow(refused);
    }

    private void answerAndClose(Answer answer) {
        if (connection.isMultiplexed()) {
            answerAndLinger(answer);
        } else if (prepare(shared(answer))) {
            HttpServerResponse response = http.response();
            response.putHeader("Connection", "close");
            response.end(Buffer.buffer(answer.body())).onComplete(done -> connection.close());
        }
    }

    private void answerAndLinger(Answer answer) {
        if (prepare(shared(answer))) {
            lingers = true;
            if (connection.isMultiplexed()) {
                http.response().end(Buffer.buffer(answer.body())).onComplete(done -> over());
            } else {
                http.response().putHeader("Connection", "close");
                http.response().write(Buffer.buffer(answer.body()));
            }
            service.loop().schedule(LINGER_NANOS, this::stopLingering);
        }
    }

    private void stopLingering() {
        if (!connection.isMultiplexed()) {
            connection.abort();
        } else if (lingers) {
            lingers = false;
            http.response().reset(NO_ERROR);
        }
    }

    /** Ends a stream of HTTP/2 whose client is too slow. */
    void abandon() {
        admission = null;
        answered = true;
        leave();
        http.response().reset(ENHANCE_YOUR_CALM);
        over();
    }

    /** False if there is nobody to answer any more. */
    private boolean prepare(Answer answer) {
        leave();
        if (answered || http.response().closed()) {
            over();
            return false;
        }
        service.answers().writeHead(http, request.id(), headers, answer);
        answered = true;
        enterPhase(Phase.SENDING);
        return true;
    }

    /** The client went away, or the framing of its body is broken; then the connection ends, but not without a word. */
    private void broken(Throwable cause) {
        boolean isGone =
                connection.isMultiplexed() || cause instanceof HttpClosedException || cause instanceof IOException;
        if (!answered && !isGone) {
            guarded(() -> answerAndClose(service.core().refuse(request, ServiceError.of(ServiceCode.INVALID_INPUT))));
        }
        answered = true;
        lingers = false;
        if (!isWorkedOn) {
            admission = null;
            leave();
        }
        if (isGone && !isWorkedOn) {
            over();
        }
    }

    /** There is nothing more to come. Idempotent. */
    private void over() {
        letGo();
        connection.ended(this, service.loop().nanos());
    }

    private void letGo() {
        service.core().room().give(held);
        held = 0;
    }

    /** A request that is worked on is in flight until it has its answer, even if there is nobody to give it to. */
    private void leave() {
        letGo();
        if (counted) {
            counted = false;
            service.inFlight().leave();
        }
    }

    /** Runs a step; what it throws is a bug, which costs this connection and no other. */
    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | AssertionError bug) {
            failed(bug);
        }
    }

    private void failed(@Nullable Throwable bug) {
        LOG.error("a request could not be answered requestId={}", request.id(), bug);
        service.metrics().faulted();
        abandonBroken();
    }

    private void abandonBroken() {
        HttpServerResponse response = http.response();
        if (!answered && !response.headWritten() && !response.closed()) {
            response.headers().clear();
            answerAndClose(service.core().refuse(request, ServiceError.of(ServiceCode.INTERNAL_ERROR)));
        } else {
            leave();
            if (connection.isMultiplexed()) {
                http.response().reset(INTERNAL_ERROR);
                over();
            } else {
                connection.close();
            }
        }
    }
}
