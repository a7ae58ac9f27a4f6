package cleave.frontend.core;

import cleave.frontend.fairness.AccountThrottle;
import cleave.frontend.fairness.FairShare;
import cleave.frontend.fairness.Turns;
import cleave.frontend.handlers.AclRequests;
import cleave.frontend.handlers.BatchRequests;
import cleave.frontend.handlers.Cors;
import cleave.frontend.handlers.EntityRequests;
import cleave.frontend.handlers.Guids;
import cleave.frontend.handlers.Levels;
import cleave.frontend.handlers.PropertiesStore;
import cleave.frontend.handlers.ServiceRequests;
import cleave.frontend.handlers.TableMaster;
import cleave.frontend.handlers.TableRequests;
import cleave.frontend.metrics.FrontEndMetrics;
import cleave.frontend.protocol.auth.Authenticator;
import cleave.frontend.protocol.auth.Grant;
import cleave.frontend.protocol.auth.Trace;
import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.odata.Headers;
import cleave.frontend.protocol.odata.MetadataLevel;
import cleave.frontend.protocol.odata.Resource;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.frontend.request.Admission;
import cleave.frontend.request.Answer;
import cleave.frontend.request.Gate;
import cleave.frontend.request.Operation;
import cleave.frontend.request.Refusals;
import cleave.frontend.request.Request;
import cleave.frontend.request.Rights;
import cleave.frontend.routing.EntityStore;
import cleave.frontend.routing.EntityStore.Caller;
import cleave.frontend.routing.PageScan;
import cleave.frontend.routing.RequestCost;
import cleave.frontend.routing.TableDirectory;
import cleave.frontend.settings.FrontEndConfig.RequestLimits;
import cleave.model.AccountNumber;
import cleave.route.MapView;
import cleave.route.RangeClient;
import cleave.runtime.loop.EventLoop;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One event loop's worth of a front end: requests in, answers out. Confined to its loop. All that it keeps is the requests in
 * flight and a memory of what is stored elsewhere, so nothing is lost with it.
 *
 * <p>Invariant I10: whatever a request holds, it gets an answer, and no other request notices.
 */
public final class FrontEndCore {
    private static final Logger LOG = LoggerFactory.getLogger(FrontEndCore.class);

    private final EventLoop loop;
    private final Turns turns;
    private final Gate gate;
    private final Guids guids;
    private final Refusals refusals;
    private final EntityRequests entities;
    private final TableDirectory directory;
    private final TableRequests tables;
    private final BatchRequests batches;
    private final AclRequests acls;
    private final ServiceRequests service;
    private final Cors crossOrigin;
    private final FrontEndMetrics metrics;
    private final AccountThrottle throttle;
    private final FairShare heldBytes;

    /**
     * What a loop is made of, besides its event loop.
     *
     * @param authorizationUri where clients without credentials are told to get a token
     * @param limits of this loop
     * @param throttle shared by the loops of a front end
     */
    public record Parts(
            RangeClient ranges,
            MapView map,
            TableMaster master,
            Authenticator authenticator,
            Trace trace,
            String authorizationUri,
            List<String> hostSuffixes,
            RequestLimits limits,
            AccountThrottle throttle,
            Random random,
            FrontEndMetrics metrics) {
        public Parts {
            hostSuffixes = List.copyOf(hostSuffixes);
        }
    }

    public FrontEndCore(EventLoop loop, Parts parts) {
        RequestLimits limits = parts.limits();
        directory = new TableDirectory(loop, parts.ranges(), limits.tableNanos(), limits.tablesMax());
        // Twice as many as there can be, so that no request is refused a turn that was given a slot.
        this.turns = new Turns(loop, 2 * limits.inFlightMax());
        EntityStore store =
                new EntityStore(new PageScan.Means(loop, parts.ranges(), parts.map(), turns), directory, limits);
        this.loop = loop;
        this.gate = new Gate(parts.authenticator(), parts.hostSuffixes(), limits.timeoutNanos());
        this.guids = new Guids(parts.random());
        this.refusals = new Refusals(loop, parts.trace(), parts.authorizationUri());
        this.entities = new EntityRequests(store);
        this.tables = new TableRequests(directory, store, parts.master());
        this.batches = new BatchRequests(loop, guids, store, entities);
        this.acls = new AclRequests(directory);
        PropertiesStore properties = new PropertiesStore(loop, parts.ranges(), limits.tableNanos(), limits.tablesMax());
        this.service = new ServiceRequests(loop, properties);
        this.crossOrigin = new Cors(properties);
        this.metrics = parts.metrics();
        this.throttle = parts.throttle();
        this.heldBytes = new FairShare(limits.heldBytesMax());
    }

    /** An id for a request that has just come. */
    public String requestId() {
        return guids.next();
    }

    /** Lets a request in, or throws the {@link ServiceError} to {@linkplain #refuse refuse} it with. */
    public Admission admit(Request request) {
        loop.assertInside();
        long now = loop.nanos();
        Admission admission = gate.admit(request, now, loop.ticks());
        if (!throttle.admits(admission.account(), now)) {
            metrics.throttled("account");
            throw ServiceError.of(ServiceCode.SERVER_BUSY, "Operations per second is over the account limit.");
        }
        return admission;
    }

    /**
     * How many bytes the loop holds for each account: requests with their bodies, pages that are being put together, and answers that
     * clients have not taken. While an account holds too much, none of its requests is let in, none of its bodies grows, and its pages
     * end early.
     */
    public FairShare heldBytes() {
        return heldBytes;
    }

    /** The answer to a request that is refused before it was worked on. */
    public Answer refuse(Request request, ServiceError error) {
        loop.assertInside();
        Answer answer = refusals.answer(request, error);
        metrics.answered(Operation.OTHER.label(), answer.status(), 0);
        return answer;
    }

    /** The answer to a request; the future completes inside the loop and never fails. */
    public CompletableFuture<Answer> answer(Admission admission, Body body) {
        loop.assertInside();
        RequestCost visits = new RequestCost(heldBytes, admission.account());
        // Through a future, so that what is thrown while the request is read is handled like what fails later.
        CompletableFuture<Answer> answer = CompletableFuture.completedFuture(admission)
                .thenCompose(this::authorize)
                .thenCompose(nothing -> turns.await(AccountNumber.of(admission.account()), body.length()))
                .thenCompose(nothing -> dispatch(admission, body, visits))
                .exceptionally(failure ->
                        refusals.answer(admission, error(admission.request(), TableDirectory.unwrapped(failure))))
                .thenApply(its -> concluded(admission, visits, its));
        Request request = admission.request();
        return crossOrigin.concerns(admission.account(), request)
                ? answer.thenCombine(
                        crossOrigin.rules(admission.account(), request),
                        (its, rules) -> Cors.shared(rules, request, its))
                : answer;
    }

    /** The answer to an OPTIONS request, which is not let in, for it has no signature; completes inside the loop, never fails. */
    public CompletableFuture<Answer> preflight(Request request) {
        loop.assertInside();
        long began = loop.nanos();
        return CompletableFuture.completedFuture(request)
                .thenCompose(its -> crossOrigin.preflight(gate.preflighted(its), its.headers()))
                .exceptionally(failure -> refusals.answer(request, error(request, TableDirectory.unwrapped(failure))))
                .thenApply(answer -> {
                    metrics.answered(Operation.OTHER.label(), answer.status(), loop.nanos() - began);
                    return answer;
                });
    }

    /** A refusal, such that scripts of other origins can read it; completes inside the loop, never fails. */
    public CompletableFuture<Answer> shared(Request request, Answer refusal) {
        loop.assertInside();
        if (!Cors.names(request)) {
            return CompletableFuture.completedFuture(refusal);
        }
        try {
            return crossOrigin
                    .rules(gate.account(request), request)
                    .thenApply(rules -> Cors.shared(rules, request, refusal));
        } catch (ServiceError noAccount) {
            return CompletableFuture.completedFuture(refusal);
        }
    }

    /** What the gate could not judge: a stored access policy is known with its table only. Who comes here has signed. */
    private CompletableFuture<Void> authorize(Admission admission) {
        if (!(admission.grant() instanceof Grant.ByPolicy referring)) {
            return CompletableFuture.completedFuture(null);
        }
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

    private CompletableFuture<Answer> dispatch(Admission admission, Body body, RequestCost visits) {
        Caller caller = new Caller(admission.account(), admission.grant(), admission.deadlineNanos(), visits);
        Headers headers = admission.request().headers();
        Resource resource = admission.address().resource();
        return switch (admission.operation()) {
            case CREATE_TABLE -> tables.create(caller, admission.base(), admission.query(), headers, body);
            case LIST_TABLES -> tables.list(caller, admission.base(), admission.query(), level(admission));
            case GET_TABLE ->
                tables.get(caller, admission.base(), admission.query(), level(admission), nameOf(resource));
            case DELETE_TABLE -> tables.delete(caller, nameOf(resource));
            case GET ->
                entities.get(
                        caller,
                        admission.base(),
                        (Resource.EntityAddress) resource,
                        admission.query(),
                        level(admission));
            case QUERY ->
                entities.query(
                        caller, admission.base(), (Resource.EntitySet) resource, admission.query(), level(admission));
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

    private static String nameOf(Resource resource) {
        return ((Resource.Table) resource).name();
    }

    private static MetadataLevel level(Admission admission) {
        return Levels.negotiated(admission.query(), admission.request().headers(), false);
    }

    private ServiceError error(Request request, Throwable failure) {
        if (failure instanceof ServiceError error) {
            return error;
        }
        metrics.faulted();
        LOG.error("a request failed through a bug requestId={}", request.id(), failure);
        return ServiceError.of(ServiceCode.INTERNAL_ERROR);
    }

    private Answer concluded(Admission admission, RequestCost visits, Answer answer) {
        long now = loop.nanos();
        long nanos = now - admission.beganNanos();
        visits.letGo();
        throttle.pay(admission.account(), visits.entities(), now);
        if (visits.isThrottled()) {
            metrics.throttled("partition");
        }
        metrics.answered(admission.operation().label(), answer.status(), nanos);
        if (visits.queryClass() != null) {
            metrics.queried(RequestCost.label(visits.queryClass()), visits.cost());
        }
        boolean explains = "true".equalsIgnoreCase(admission.request().headers().first("x-cleave-explain"));
        // It tells of other entities than a narrower credential reaches, and of how the service is deployed.
        return explains && admission.grant() instanceof Grant.Full
                ? answer.with("x-cleave-explain", visits.explain(TimeUnit.NANOSECONDS.toMillis(nanos)))
                : answer;
    }

    /** The answer to a request that could not be read as one: a malformed request line, header or body framing. */
    public Answer refuseUnreadable(String requestId, ServiceError error) {
        return refuse(Request.of(requestId, "GET", "/", "http", "", Headers.NONE), error);
    }
}
