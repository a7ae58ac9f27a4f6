package cleave.frontend.http;

import cleave.frontend.fairness.FairShare;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.frontend.request.AdmittedRequest;
import cleave.frontend.request.Answer;
import cleave.frontend.request.Request;
import cleave.frontend.settings.FrontEndConfig.HttpLimits;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.SocketAddress;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request and its answer. Confined to its loop.
 *
 * <p>The head is checked before the body is read. {@link Http1Exchange} and {@link Http2Exchange} decide when a request that is refused
 * is answered, and what becomes of a client that still sends when it has its answer.
 */
abstract class Exchange {
    private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);

    /** How much a client that was answered early may still send, so that it reads the answer before the connection or stream closes. */
    static final long LINGER_BYTES = 64L << 20;

    static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** An exchange waits for one thing at a time, from one side. */
    enum State {
        /** The body, from the client; it is kept. */
        RECEIVING,
        /** The end of the body, from the client: the request is refused, or a preflight, and its body is not kept. */
        DISCARDING,
        /** The answer, from the core, which has a deadline of its own. */
        WORKING,
        /** The answer, from the core; the client is gone. */
        ABANDONED,
        /** The client, to read its answer. */
        SENDING,
        /** The client, to stop sending: it has its answer, and some clients do not read one before their body has ended. */
        LINGERING,
        /** Nothing. */
        OVER
    }

    final HttpService service;
    final ClientConnection connection;
    final HttpServerRequest http;
    final Framing framing;
    private final HeaderFields headers;
    private final Request request;
    private final Holdings holdings;
    private final BodyBytes received;
    private final long headBytes;
    private @Nullable AdmittedRequest admission;
    /** Bytes of the body that were not kept. */
    private long passedBy;

    State state = State.RECEIVING;
    /** The end of the head, of the body, or the beginning of the answer. */
    private long sinceNanos;

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

    /** A preflight may be answered. It is not authenticated, so its body is discarded. */
    abstract void permitted();

    /** The request is refused; decides when it is answered. */
    abstract void refused(Answer answer);

    /** Part of the body was discarded. The bytes are those discarded so far. */
    abstract void passedBy(long bytes);

    /** The body has ended. */
    abstract void ended();

    /** Sends an answer whose head is written. */
    abstract void send(Answer answer);

    /** Answers a client that has not sent its whole body. */
    abstract void answerEarly(Answer answer);

    /** Answers a client that is not understood any more. */
    abstract void answerLast(Answer answer);

    /** Ends the exchange without an answer, or in the middle of one: this is a bug. */
    abstract void breakOff();

    /** Ends an exchange whose client is too slow. */
    abstract void abandon();

    /** True if the client cannot be answered after this failure of its request. */
    abstract boolean isGone(Throwable cause);

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
        sinceNanos = service.loop().nanos();
        holdings.holdUnsigned(headBytes);
        guarded(() -> {
            if (error == null) {
                judge();
            } else {
                refuse(error);
            }
        });
    }

    /**
     * Whether the client exceeded its time-out.
     *
     * @param blockedNanos before this time the client could not proceed
     */
    boolean isOverdue(long nowNanos, long blockedNanos, HttpLimits limits) {
        return switch (state) {
            case RECEIVING, DISCARDING -> nowNanos - sinceNanos > limits.bodyNanos();
            case WORKING, ABANDONED, OVER -> false;
            case SENDING, LINGERING -> nowNanos - Math.max(sinceNanos, blockedNanos) > limits.answerNanos();
        };
    }

    boolean isAnswered() {
        return switch (state) {
            case RECEIVING, DISCARDING, WORKING -> false;
            case ABANDONED, SENDING, LINGERING, OVER -> true;
        };
    }

    private void judge() {
        try {
            if (http.method().equals(HttpMethod.OPTIONS)) {
                checkFraming();
                permitted();
            } else {
                admit();
                continueIfAsked();
            }
        } catch (ServiceError error) {
            refuse(error);
        }
    }

    /** True if the client waits to be told to send its body, and was not. */
    final boolean awaitsContinue() {
        return framing.expectsContinue() && admission == null;
    }

    final void continueIfAsked() {
        if (framing.expectsContinue()) {
            http.response().writeContinue();
        }
    }

    private void admit() {
        service.core().admission().checkShared();
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
        refused(service.core().refuse(request, error));
    }

    final Answer tooLarge() {
        return service.core().refuse(request, ServiceError.of(ServiceCode.REQUEST_BODY_TOO_LARGE));
    }

    /** With the CORS headers that scripts need to read it, if the CORS rules are known already. */
    final Answer withCors(Answer refused) {
        return service.core().withCors(request, refused).getNow(refused);
    }

    /** With the CORS headers that scripts need to read it, unless too many refusals wait for CORS rules already. */
    final CompletableFuture<Answer> withCorsSoon(Answer refused) {
        CompletableFuture<Answer> readable = service.core().withCors(request, refused);
        if (!readable.isDone()) {
            Holdings waiting =
                    new Holdings(service, connection); // It ends with the wait, even if the client is gone before.
            try {
                waiting.takeSlot(FairShare.NO_ACCOUNT);
            } catch (ServiceError busy) {
                return CompletableFuture.completedFuture(refused);
            }
            readable.whenComplete((answer, never) -> waiting.release());
        }
        return readable;
    }

    private void receive(Buffer piece) {
        if (state == State.RECEIVING) {
            add(piece);
        } else {
            passedBy += piece.length();
            passedBy(passedBy);
        }
    }

    private void add(Buffer piece) {
        int before = received.capacity();
        if (!holdings.admitsMore()) {
            received.drop();
            guarded(() -> refuse(ServiceError.of(ServiceCode.SERVER_BUSY)));
        } else if (!received.add(piece)) {
            guarded(() -> answerEarly(tooLarge()));
        } else {
            holdings.hold(received.capacity() - before);
        }
    }

    /** Executes the request, whose body is there. */
    final void execute() {
        work(service.core().answer(Objects.requireNonNull(admission), received.body()));
    }

    /** Answers a preflight, which takes a slot only here. */
    final void preflight() {
        try {
            holdings.takeSlot(FairShare.NO_ACCOUNT);
            work(service.core().preflight(request));
        } catch (ServiceError busy) {
            work(CompletableFuture.completedFuture(service.core().refuse(request, busy)));
        }
    }

    final void work(CompletableFuture<Answer> answer) {
        state = State.WORKING;
        sinceNanos = service.loop().nanos();
        answer.whenComplete(this::worked);
    }

    private void worked(@Nullable Answer answer, @Nullable Throwable bug) {
        if (bug != null || answer == null) {
            failed(bug);
        } else {
            guarded(() -> answer(answer));
        }
    }

    final void answer(Answer answer) {
        if (prepare(answer)) {
            if (holdings.isAdmitted()) {
                holdings.hold(answer.body().length);
            }
            send(answer);
        }
    }

    /** Writes the head; false if the client is gone. */
    final boolean prepare(Answer answer) {
        holdings.release();
        if (isAnswered() || http.response().closed()) {
            over();
            return false;
        }
        service.writeHead(http, request.id(), headers, answer);
        state = State.SENDING;
        sinceNanos = service.loop().nanos();
        return true;
    }

    final Future<Void> write(Answer answer) {
        HttpServerResponse response = http.response();
        return AnswerWriter.sendsBody(http, answer) ? response.end(AnswerWriter.body(answer)) : response.end();
    }

    /** The client went away, or its body's framing is malformed; then the connection closes after an error response. */
    private void broken(Throwable cause) {
        boolean isGone = isGone(cause);
        if (!isGone && !isAnswered()) {
            guarded(() -> answerLast(service.core().refuse(request, ServiceError.of(ServiceCode.INVALID_INPUT))));
        }
        if (state == State.WORKING) {
            state = State.ABANDONED;
        } else if (state != State.ABANDONED) {
            holdings.release();
            if (isGone) {
                over();
            }
        }
    }

    /** Ends the exchange. Idempotent. */
    void over() {
        holdings.end();
        state = State.OVER;
        connection.ended(this, service.loop().nanos());
        if (service.isLeaving()) {
            connection.leave(); // Not at once on a new connection: some clients give up the streams that are open then.
        }
    }

    final void release() {
        holdings.release();
    }

    /** Runs a step; an exception is a bug, which closes this connection and no other. */
    final void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | AssertionError bug) {
            failed(bug);
        }
    }

    private void failed(@Nullable Throwable bug) {
        LOG.error("failed to answer a request, this is a bug requestId={}", request.id(), bug);
        service.metrics().faulted();
        HttpServerResponse response = http.response();
        if (!isAnswered() && !response.headWritten() && !response.closed()) {
            response.headers().clear();
            answerLast(service.core().refuse(request, ServiceError.of(ServiceCode.INTERNAL_ERROR)));
        } else {
            holdings.release();
            breakOff();
        }
    }
}
