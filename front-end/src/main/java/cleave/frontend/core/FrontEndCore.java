package cleave.frontend.core;

import cleave.frontend.fairness.Admission;
import cleave.frontend.fairness.Turns;
import cleave.frontend.handlers.AclRequests;
import cleave.frontend.handlers.BatchRequests;
import cleave.frontend.handlers.Cors;
import cleave.frontend.handlers.EntityRequests;
import cleave.frontend.handlers.Guids;
import cleave.frontend.handlers.PropertiesStore;
import cleave.frontend.handlers.ServiceRequests;
import cleave.frontend.handlers.TableMaster;
import cleave.frontend.handlers.TableRequests;
import cleave.frontend.metrics.FrontEndMetrics;
import cleave.frontend.protocol.auth.Authenticator;
import cleave.frontend.protocol.auth.Grant;
import cleave.frontend.protocol.auth.Trace;
import cleave.frontend.protocol.odata.AnswerFormat;
import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.odata.Headers;
import cleave.frontend.protocol.odata.Resource;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.frontend.request.AdmittedRequest;
import cleave.frontend.request.Answer;
import cleave.frontend.request.ClientRequestId;
import cleave.frontend.request.ErrorAnswers;
import cleave.frontend.request.Gate;
import cleave.frontend.request.Operation;
import cleave.frontend.request.Request;
import cleave.frontend.request.Rights;
import cleave.frontend.routing.Caller;
import cleave.frontend.routing.EntityStore;
import cleave.frontend.routing.PageScan;
import cleave.frontend.routing.RequestCost;
import cleave.frontend.routing.TableDirectory;
import cleave.frontend.settings.FrontEndConfig.RequestLimits;
import cleave.frontend.throttle.AccountThrottle;
import cleave.frontend.tracing.FinishedTrace;
import cleave.frontend.tracing.RequestTrace;
import cleave.frontend.tracing.Tracing;
import cleave.model.AccountNumber;
import cleave.model.RequestId;
import cleave.model.TraceId;
import cleave.route.MapView;
import cleave.route.RangeClient;
import cleave.route.RangeTransport;
import cleave.runtime.loop.EventLoop;
import cleave.runtime.loop.LogLimit;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * The core of a front end on one event loop: requests in, answers out. Confined to its loop. It keeps only the requests in flight
 * and caches of what is stored elsewhere, so losing it loses nothing.
 *
 * <p>Invariant I10: every request gets an answer, whatever it contains, and does not affect other requests.
 */
public final class FrontEndCore {
    private static final Logger LOG = LoggerFactory.getLogger(FrontEndCore.class);
    private static final int SLOW_PER_SECOND = 10;

    private final EventLoop loop;
    private final Turns turns;
    private final Gate gate;
    private final Guids guids;
    private final ErrorAnswers errorAnswers;
    private final EntityRequests entities;
    private final TableDirectory directory;
    private final TableRequests tables;
    private final BatchRequests batches;
    private final AclRequests acls;
    private final ServiceRequests service;
    private final PropertiesStore properties;
    private final FrontEndMetrics metrics;
    private final Admission admission;
    private final long slowNanos;
    private final LogLimit slow = new LogLimit(SLOW_PER_SECOND);
    /** Null if traces are off. */
    private final @Nullable Tracing tracing;

    /**
     * The outside of a core: everything that it depends on beyond its own state.
     *
     * @param random for retries and ids; the cores of all front ends must not draw the same
     * @param throttle shared by the cores of a front end
     * @param tracing null if traces are off
     */
    public record Outside(
            EventLoop loop,
            RangeTransport servers,
            MapView map,
            TableMaster masters,
            Authenticator authenticator,
            Trace trace,
            AccountThrottle throttle,
            Random random,
            FrontEndMetrics metrics,
            @Nullable Tracing tracing) {
        /** Without traces. */
        public Outside(
                EventLoop loop,
                RangeTransport servers,
                MapView map,
                TableMaster masters,
                Authenticator authenticator,
                Trace trace,
                AccountThrottle throttle,
                Random random,
                FrontEndMetrics metrics) {
            this(loop, servers, map, masters, authenticator, trace, throttle, random, metrics, null);
        }
    }

    /**
     * @param authorizationUri where clients without credentials are told to get a token
     * @param hostSuffixes of addresses that name the account in the host
     * @param limits of this core alone
     * @param slowNanos a request that takes longer is logged
     */
    public record Settings(String authorizationUri, List<String> hostSuffixes, RequestLimits limits, long slowNanos) {
        public Settings {
            hostSuffixes = List.copyOf(hostSuffixes);
        }
    }

    /** The one wiring of a front end's core: the process, the simulator and the tests use it. */
    public static FrontEndCore of(Outside outside, Settings settings) {
        return new FrontEndCore(outside, settings);
    }

    private FrontEndCore(Outside outside, Settings settings) {
        RequestLimits limits = settings.limits();
        this.loop = outside.loop();
        this.metrics = outside.metrics();
        this.slowNanos = settings.slowNanos();
        this.tracing = outside.tracing();
        this.admission =
                new Admission(limits.inFlightMax(), limits.heldBytesMax(), outside.throttle(), metrics::refused);
        // Twice as many as there are requests in flight, so a request that was admitted is never refused a turn.
        this.turns = new Turns(loop, 2 * limits.inFlightMax());
        this.guids = new Guids(outside.random());
        this.gate = new Gate(outside.authenticator(), settings.hostSuffixes(), limits.timeoutNanos());
        this.errorAnswers = new ErrorAnswers(loop, outside.trace(), settings.authorizationUri());
        RangeClient ranges = new RangeClient(loop, outside.servers(), outside.map(), outside.random());
        this.directory = new TableDirectory(loop, ranges, limits.tableNanos(), limits.tablesMax());
        EntityStore store =
                new EntityStore(new PageScan.Outside(loop, ranges, outside.map(), turns, limits), directory);
        this.entities = new EntityRequests(store);
        this.tables = new TableRequests(directory, store, outside.masters());
        this.batches = new BatchRequests(loop, guids, store, entities);
        this.acls = new AclRequests(directory);
        this.properties = new PropertiesStore(loop, ranges, limits.tableNanos(), limits.tablesMax());
        this.service = new ServiceRequests(loop, properties);
    }

    /** An id for a new request. */
    public String requestId() {
        return guids.next();
    }

    /** Admits a request, or throws the {@link ServiceError} to {@linkplain #refuse refuse} it with. */
    public AdmittedRequest admit(Request request) {
        loop.assertInside();
        long now = loop.nanos();
        long ticks = loop.ticks();
        AdmittedRequest admitted = gate.admit(request, now, ticks);
        admission.checkRate(admitted.account(), now);
        return tracing == null ? admitted : admitted.with(tracing.begin(request.headers(), now, ticks));
    }

    /** While an account exceeds its share of bytes, its requests are refused, its bodies stop growing, and its pages end early. */
    public Admission admission() {
        return admission;
    }

    /** The answer to a request that is refused before it is processed. */
    public Answer refuse(Request request, ServiceError error) {
        loop.assertInside();
        Answer answer = errorAnswers.answer(request, error);
        metrics.answered(Operation.OTHER, null, answer.status(), 0, null);
        return answer;
    }

    /** The answer to a request; the future completes inside the loop and never fails. */
    public CompletableFuture<Answer> answer(AdmittedRequest admission, Body body) {
        loop.assertInside();
        RequestCost cost = new RequestCost(this.admission, admission.account());
        int requestBytes = body.length();
        RequestTrace trace = admission.trace();
        if (trace != null && requestBytes > 0) {
            trace.received();
        }
        CompletableFuture<Answer> answer = worked(admission, body, cost)
                .handle((its, failure) -> concluded(admission, cost, requestBytes, its, failure));
        Request request = admission.request();
        return Cors.concerns(properties, admission.account(), request)
                ? answer.thenCombine(
                        Cors.rules(properties, admission.account(), request),
                        (its, rules) -> Cors.withCors(rules, request, its))
                : answer;
    }

    /** The answer to an OPTIONS request, which is not admitted because it has no signature; completes inside the loop, never fails. */
    public CompletableFuture<Answer> preflight(Request request) {
        loop.assertInside();
        long began = loop.nanos();
        return CompletableFuture.completedFuture(request) // So that what is thrown below becomes an answer, too.
                .thenCompose(its -> Cors.preflight(properties, gate.preflighted(its), its.headers()))
                .exceptionally(failure -> errorAnswers.answer(request, error(request, failure)))
                .thenApply(answer -> {
                    metrics.answered(Operation.OTHER, null, answer.status(), loop.nanos() - began, null);
                    return answer;
                });
    }

    /** A refusal with the CORS headers that scripts need to read it; completes inside the loop, never fails. */
    public CompletableFuture<Answer> withCors(Request request, Answer refusal) {
        loop.assertInside();
        if (!Cors.names(request)) {
            return CompletableFuture.completedFuture(refusal);
        }
        try {
            return Cors.rules(properties, gate.account(request), request)
                    .thenApply(rules -> Cors.withCors(rules, request, refusal));
        } catch (ServiceError noAccount) {
            return CompletableFuture.completedFuture(refusal);
        }
    }

    /** An exception while a request is read fails its future, like a later failure. */
    private CompletableFuture<Answer> worked(AdmittedRequest admission, Body body, RequestCost cost) {
        try {
            CompletableFuture<Void> turn = admission.grant() instanceof Grant.ByPolicy referring
                    ? RequestTrace.within(admission.trace(), "authorize", () -> authorize(admission, referring))
                            .thenCompose(nothing -> turn(admission, body))
                    : turn(admission, body);
            return turn == Turns.NOW
                    ? dispatch(admission, body, cost)
                    : turn.thenCompose(nothing -> dispatch(admission, body, cost));
        } catch (Throwable failure) { // Judged below, like what a stage of a future throws.
            return CompletableFuture.failedFuture(failure);
        }
    }

    /** Checks a signature that refers to a stored access policy, which is known only with its table. The signature itself is valid. */
    private CompletableFuture<Void> authorize(AdmittedRequest admission, Grant.ByPolicy referring) {
        return directory.judged(
                admission.account(),
                referring.table(),
                admission.deadlineNanos(),
                table -> Rights.check(
                        referring.under(table.policies(), loop.ticks()),
                        admission.operation(),
                        admission.address().resource(),
                        admission.request().headers()));
    }

    private CompletableFuture<Void> turn(AdmittedRequest admission, Body body) {
        CompletableFuture<Void> turn = turns.await(AccountNumber.of(admission.account()), body.length());
        RequestTrace trace = admission.trace();
        if (trace == null || turn == Turns.NOW) {
            return turn;
        }
        long since = trace.now();
        return turn.thenRun(() -> trace.spent("queue", since, trace.now()));
    }

    private CompletableFuture<Answer> dispatch(AdmittedRequest admission, Body body, RequestCost cost) {
        Caller caller = new Caller(
                admission.account(),
                admission.grant(),
                RequestId.of(admission.request().id()),
                admission.deadlineNanos(),
                cost,
                admission.trace());
        Resource resource = admission.address().resource();
        return switch (admission.operation()) {
            case CREATE_TABLE -> tables.create(caller, admission, body);
            case LIST_TABLES -> tables.list(caller, admission.base(), admission.query(), format(admission));
            case GET_TABLE ->
                tables.get(caller, admission.base(), admission.query(), format(admission), nameOf(resource));
            case DELETE_TABLE -> tables.delete(caller, nameOf(resource));
            case GET ->
                entities.get(
                        caller,
                        admission.base(),
                        (Resource.EntityAddress) resource,
                        admission.query(),
                        admission.request().headers(),
                        format(admission));
            case QUERY ->
                entities.query(
                        caller,
                        admission.base(),
                        (Resource.EntitySet) resource,
                        admission.query(),
                        format(admission),
                        asks(admission, "x-cleave-salvage"));
            case INSERT -> entities.insert(caller, admission, body);
            case REPLACE, MERGE, DELETE -> entities.change(caller, admission, body);
            case TRANSACTION -> batches.answer(caller, admission, body);
            case GET_ACL -> acls.get(caller, ((Resource.EntitySet) resource).table());
            case SET_ACL -> acls.set(caller, ((Resource.EntitySet) resource).table(), body);
            case GET_PROPERTIES -> service.properties(caller);
            case SET_PROPERTIES -> service.setProperties(caller, body);
            case GET_STATS -> service.statistics();
            case OTHER -> throw new AssertionError("admitted what is nothing");
        };
    }

    /** True if a request asks by this header for what reveals keys beyond a narrower grant, and how the service is deployed. */
    private static boolean asks(AdmittedRequest admission, String header) {
        return "true".equalsIgnoreCase(admission.request().headers().first(header))
                && admission.grant() instanceof Grant.Full;
    }

    private static String nameOf(Resource resource) {
        return ((Resource.Table) resource).name();
    }

    private static AnswerFormat format(AdmittedRequest admission) {
        return admission
                .formats()
                .negotiate(admission.query(), admission.request().headers(), false);
    }

    private Answer refused(AdmittedRequest admission, @Nullable Throwable failure) {
        return errorAnswers.answer(admission, error(admission.request(), failure));
    }

    private ServiceError error(Request request, @Nullable Throwable thrown) {
        Throwable failure = EventLoop.cause(thrown);
        if (failure instanceof ServiceError error) {
            return error;
        }
        metrics.faulted();
        LOG.error("a request failed, this is a bug requestId={}", request.id(), failure);
        return ServiceError.of(ServiceCode.INTERNAL_ERROR);
    }

    private Answer concluded(
            AdmittedRequest admission,
            RequestCost cost,
            int requestBytes,
            @Nullable Answer given,
            @Nullable Throwable failure) {
        Answer answer = given != null ? given : refused(admission, failure);
        long now = loop.nanos();
        long nanos = now - admission.beganNanos();
        cost.settle(now);
        if (cost.isThrottled()) {
            metrics.throttledByPartition();
        }
        TraceId exported = exported(admission, cost, answer, now);
        metrics.answered(admission.operation(), cost.queryClass(), answer.status(), nanos, exported);
        metrics.moved(admission.account(), cost, requestBytes, answer.body().length);
        if (nanos >= slowNanos && slow.admits(now)) {
            slow(admission, answer, cost, nanos);
        }
        return asks(admission, "x-cleave-explain")
                ? answer.with("x-cleave-explain", cost.explain(TimeUnit.NANOSECONDS.toMillis(nanos)))
                : answer;
    }

    /** The id of the request's trace, if it is exported; null otherwise. */
    private @Nullable TraceId exported(AdmittedRequest admission, RequestCost cost, Answer answer, long now) {
        RequestTrace trace = admission.trace();
        if (tracing == null || trace == null) {
            return null;
        }
        FinishedTrace.Outcome outcome = new FinishedTrace.Outcome(
                admission.operation().label(),
                admission.request().verb(),
                admission.request().id(),
                admission.account(),
                cost.table(),
                answer.status());
        return tracing.ended(trace, outcome, admission.beganNanos(), now) ? trace.id() : null;
    }

    private void slow(AdmittedRequest admission, Answer answer, RequestCost cost, long nanos) {
        String named = admission.request().headers().first("x-ms-client-request-id");
        LoggingEventBuilder line = LOG.atWarn()
                .addKeyValue("requestId", admission.request().id())
                .addKeyValue("clientRequestId", ClientRequestId.isEchoed(named) ? named : "-")
                .addKeyValue("account", admission.account())
                .addKeyValue("operation", admission.operation().label())
                .addKeyValue("status", answer.status());
        RequestTrace trace = admission.trace();
        if (trace != null) {
            line = line.addKeyValue("traceId", trace.id());
        }
        cost.tell(line, nanos).addKeyValue("suppressed", slow.suppressed()).log("slow request");
    }

    /** The answer to a request that could not be read as one: a malformed request line, header or body framing. */
    public Answer refuseUnreadable(String requestId, ServiceError error) {
        return refuse(Request.of(requestId, "GET", "/", "http", "", Headers.NONE), error);
    }
}
