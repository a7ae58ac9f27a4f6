package cleave.frontend.http;

import cleave.frontend.fairness.FairShare;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.frontend.request.AdmittedRequest;
import cleave.frontend.request.Answer;
import cleave.frontend.request.Request;
import cleave.frontend.settings.FrontEndConfig.HttpLimits;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClosedException;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.SocketAddress;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request and its answer. Confined to its loop.
 *
 * <p>The head is checked before the body is read. In HTTP/2 a refused request is answered at once, and its stream is reset soon after. In
 * HTTP/1.1 a request that is refused by its head is answered after its body was read and discarded, so that the connection can be reused;
 * one whose body is too large is answered at once, and the connection closes soon after.
 */
final class Exchange {
    private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);

    /** How much a client that was answered early may still send, so that it reads the answer before the connection or stream closes. */
    private static final long LINGER_BYTES = 64L << 20;

    private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Error codes of HTTP/2. */
    private static final long NO_ERROR = 0;

    private static final long INTERNAL_ERROR = 2;
    private static final long ENHANCE_YOUR_CALM = 11;

    /** What the exchange waits for. */
    private enum Phase {
        /** From the client: the rest of the body. */
        RECEIVING,
        /** From the core: the answer, which has its own deadline. */
        WORKING,
        /** From the client: reading the answer. */
        SENDING
    }

    private final HttpService service;
    private final ClientConnection connection;
    private final HttpServerRequest http;
    private final HeaderFields headers;
    private final Request request;
    private final Framing framing;
    private final Holdings holdings;
    private final BodyBytes received;
    private @Nullable AdmittedRequest admission;
    private @Nullable CompletableFuture<Answer> refusal;
    private boolean isPreflight;
    private final long headBytes;
    private boolean isWorkedOn;
    private boolean lingers;
    private boolean isReceived;
    /** Bytes of the body that were discarded. */
    private long passedBy;

    private boolean answered;
    private Phase phase = Phase.RECEIVING;
    private long phaseSinceNanos;

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
        this.headBytes = connection.beginHead(headers, http.uri().length());
        this.framing = Framing.of(http, headers);
        this.holdings = new Holdings(service, connection);
        this.received = new BodyBytes(service.limits().bodyBytes());
    }

    private static String client(HttpServerRequest http) {
        SocketAddress address = http.remoteAddress();
        String host = address == null ? null : address.hostAddress();
        return host == null ? "" : host;
    }

    /** The head was received. */
    void begin() {
        begin(null);
    }

    /** The head was received; the request is refused if there is an error. */
    void begin(@Nullable ServiceError error) {
        service.loop().assertInside();
        http.handler(this::receive);
        http.endHandler(nothing -> ended());
        http.exceptionHandler(this::broken);
        connection.began(this);
        enterPhase(Phase.RECEIVING);
        holdings.holdUnsigned(headBytes);
        guarded(() -> {
            if (error == null) {
                judge();
            } else {
                refuse(error);
            }
        });
    }

    private void enterPhase(Phase next) {
        phase = next;
        phaseSinceNanos = service.loop().nanos();
    }

    /**
     * Whether the client exceeded its time-out.
     *
     * @param sinceNanos before this time the client could not proceed
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
            isPreflight = http.method().equals(HttpMethod.OPTIONS);
            if (isPreflight) {
                checkFraming();
            } else {
                admit();
            }
            if (isPreflight && connection.isMultiplexed()) {
                atOnce(this::preflight);
            } else if (framing.expectsContinue()) {
                http.response().writeContinue();
            }
        } catch (ServiceError error) {
            isPreflight = false;
            admission = null;
            refuse(error);
        }
    }

    /** Checks the bounds that all accounts share before the signature, because verifying a signature takes time. */
    private void admit() {
        if (service.core().heldBytes().isFull() || service.inFlight().isFull()) {
            throw ServiceError.of(ServiceCode.SERVER_BUSY);
        }
        AdmittedRequest admitted = service.core().admit(request);
        checkFraming();
        holdings.admit(admitted.account());
        admission = admitted;
    }

    private void checkFraming() {
        framing.check(service.limits().bodyBytes());
    }

    /** A refused request is no longer in flight, and its body is discarded. */
    private void refuse(ServiceError error) {
        holdings.release();
        Answer answer = service.core().refuse(request, error);
        if (framing.expectsContinue() && !connection.isMultiplexed()) {
            // The client may or may not send its body now, so the connection cannot be reused.
            answerAndClose(answer);
        } else if (framing.exceeds(service.limits().bodyBytes()) && !connection.isMultiplexed()) {
            answerAndLinger(answer);
        } else {
            refusal = withCorsSoon(answer);
            if (connection.isMultiplexed()) {
                CompletableFuture<Answer> soon = refusal;
                atOnce(() -> work(soon));
            }
        }
    }

    /** Answers in the next event: by then it is known whether the request has a body, and without one the stream need not be reset. */
    private void atOnce(Runnable answering) {
        isWorkedOn = true;
        service.loop().submit(() -> guarded(answering));
    }

    /** With the CORS headers that scripts need to read it, unless too many refusals wait for CORS rules already. */
    private CompletableFuture<Answer> withCorsSoon(Answer refused) {
        CompletableFuture<Answer> readable = service.core().withCors(request, refused);
        if (!readable.isDone()) {
            try {
                holdings.takeSlot(FairShare.NO_ACCOUNT);
            } catch (ServiceError busy) {
                return CompletableFuture.completedFuture(refused);
            }
            readable.whenComplete((answer, never) -> holdings.release());
        }
        return readable;
    }

    private void receive(Buffer piece) {
        if (lingers) {
            passedBy += piece.length();
            if (passedBy > LINGER_BYTES) {
                stopLingering();
            }
        } else if (refusal != null || isPreflight) {
            CompletableFuture<Answer> known = refusal;
            passedBy += piece.length();
            if (!answered && passedBy > service.limits().bodyBytes() && !connection.isMultiplexed()) {
                guarded(() -> answerAndLinger(known != null && known.isDone() ? known.join() : tooLarge()));
            }
        } else if (!answered && holdings.isAdmitted()) {
            add(piece);
        }
    }

    private void add(Buffer piece) {
        int before = received.capacity();
        if (!holdings.admitsMore()) {
            admission = null;
            received.drop();
            guarded(() -> refuse(ServiceError.of(ServiceCode.SERVER_BUSY)));
        } else if (!received.add(piece)) {
            admission = null;
            guarded(() -> answerAndLinger(tooLarge()));
        } else {
            holdings.hold(received.capacity() - before);
        }
    }

    private Answer tooLarge() {
        return service.core().refuse(request, ServiceError.of(ServiceCode.REQUEST_BODY_TOO_LARGE));
    }

    private void ended() {
        isReceived = true;
        if (lingers && connection.isMultiplexed()) {
            over();
        } else if (lingers) {
            http.response().end().onComplete(done -> connection.close());
        } else if (connection.isMultiplexed() && (refusal != null || isPreflight)) {
            return; // Its answer did not wait for this.
        } else if (refusal != null) {
            work(refusal);
        } else if (isPreflight) {
            preflight();
        } else if (admission != null) {
            work(service.core().answer(admission, received.body()));
        }
    }

    /** A preflight is not authenticated, so it takes a slot only here, and its body is discarded. */
    private void preflight() {
        try {
            holdings.takeSlot(FairShare.NO_ACCOUNT);
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
            if (holdings.isAdmitted()) {
                holdings.hold(answer.body().length);
            }
            boolean closes = service.isLeaving() && !connection.isMultiplexed();
            if (closes) {
                connection.endsWithAnswer();
                response.putHeader("Connection", "close");
            }
            (AnswerWriter.sendsBody(http, answer) ? response.end(AnswerWriter.body(answer)) : response.end())
                    .onComplete(done -> {
                        sent();
                        if (closes) {
                            connection.close();
                        }
                    });
        }
    }

    private void sent() {
        if (!connection.isMultiplexed() || isReceived || http.response().closed()) {
            over();
        } else if (connection.letsLinger()) {
            lingers = true; // Some clients do not read an answer whose stream is reset while they send.
            service.loop().schedule(LINGER_NANOS, this::stopLingering);
        } else {
            reset();
        }
    }

    private void reset() {
        service.closings().closing(Closings.Reason.REFUSED, service.loop().nanos());
        http.response().reset(NO_ERROR);
        over();
    }

    /** With the CORS headers that scripts need to read it, if the CORS rules are known already. */
    private Answer withCors(Answer refused) {
        return service.core().withCors(request, refused).getNow(refused);
    }

    private void answerAndClose(Answer answer) {
        if (connection.isMultiplexed()) {
            answerAndLinger(answer);
        } else if (prepare(withCors(answer))) {
            HttpServerResponse response = http.response();
            connection.endsWithAnswer();
            response.putHeader("Connection", "close");
            response.end(AnswerWriter.body(answer)).onComplete(done -> connection.close());
        }
    }

    private void answerAndLinger(Answer answer) {
        if (connection.isMultiplexed()) {
            answer(withCors(answer));
        } else if (prepare(withCors(answer))) {
            lingers = true;
            http.response().putHeader("Connection", "close");
            http.response().write(AnswerWriter.body(answer));
            service.loop().schedule(LINGER_NANOS, this::stopLingering);
        }
    }

    private void stopLingering() {
        if (!connection.isMultiplexed()) {
            connection.abort();
        } else if (lingers) {
            reset();
        }
    }

    /** Ends a stream of HTTP/2 whose client is too slow. */
    void abandon() {
        admission = null;
        answered = true;
        holdings.release();
        http.response().reset(ENHANCE_YOUR_CALM);
        over();
    }

    /** False if the client is gone. */
    private boolean prepare(Answer answer) {
        holdings.release();
        if (answered || http.response().closed()) {
            over();
            return false;
        }
        service.answers().writeHead(http, request.id(), headers, answer);
        answered = true;
        enterPhase(Phase.SENDING);
        return true;
    }

    /** The client went away, or its body's framing is malformed; then the connection closes after an error response. */
    private void broken(Throwable cause) {
        boolean isGone =
                connection.isMultiplexed() || cause instanceof HttpClosedException || cause instanceof IOException;
        if (!answered && !isGone) {
            guarded(() -> answerAndClose(service.core().refuse(request, ServiceError.of(ServiceCode.INVALID_INPUT))));
        }
        answered = true;
        if (!isWorkedOn) {
            admission = null;
            holdings.release();
        }
        if (isGone && !isWorkedOn) {
            over();
        }
    }

    /** Ends the exchange. Idempotent. */
    private void over() {
        holdings.end();
        if (lingers && connection.isMultiplexed()) {
            connection.lingeredOn();
        }
        lingers = false;
        connection.ended(this, service.loop().nanos());
        if (service.isLeaving()) {
            connection.leave(); // Not at once on a new connection: some clients give up the streams that are open then.
        }
    }

    /** Runs a step; an exception is a bug, which closes this connection and no other. */
    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | AssertionError bug) {
            failed(bug);
        }
    }

    private void failed(@Nullable Throwable bug) {
        LOG.error("failed to answer a request, this is a bug requestId={}", request.id(), bug);
        service.metrics().faulted();
        abandonBroken();
    }

    private void abandonBroken() {
        HttpServerResponse response = http.response();
        if (!answered && !response.headWritten() && !response.closed()) {
            response.headers().clear();
            answerAndClose(service.core().refuse(request, ServiceError.of(ServiceCode.INTERNAL_ERROR)));
        } else {
            holdings.release();
            if (connection.isMultiplexed()) {
                http.response().reset(INTERNAL_ERROR);
                over();
            } else {
                connection.close();
            }
        }
    }
}
