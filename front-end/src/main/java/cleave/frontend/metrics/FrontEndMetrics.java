package cleave.frontend.metrics;

import cleave.frontend.fairness.Admission.Bound;
import cleave.frontend.request.Operation;
import cleave.frontend.routing.QueryClass;
import cleave.frontend.routing.RequestCost;
import cleave.model.TraceId;
import cleave.runtime.metrics.Buckets;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;
import io.prometheus.client.Histogram;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The metrics of a front end. Thread-safe: shared by its loops. To count allocates nothing. */
public final class FrontEndMetrics {
    private static final double NANOS = 1e-9;
    /** The label of a request that is no query. */
    private static final String NO_QUERY = "none";

    /** The status codes of HTTP. */
    private static final int STATUS_MIN = 100;

    private static final int STATUSES = 500;
    private static final int[] FAILURES = {500, 503};
    private static final String[] RELOADED = {"accounts", "certificate", "issuer-keys"};
    private static final int HUNDRED = 100;
    private static final int STATUS_CLASSES = 6;

    private final Counter requests;
    private final Histogram seconds;
    private final Map<Operation, OfOperation> operations = new EnumMap<>(Operation.class);
    private final Counter faults;
    private final Map<QueryClass, OfQueries> queries = new EnumMap<>(QueryClass.class);
    private final Traffic traffic;
    private final Counter throttled;
    private final Counter refused;
    private final Gauge inFlight;
    private final Gauge connections;
    private final Counter connectionsClosed;
    private final Counter reloads;
    private final Counter traces;
    private final Gauge certificateExpires;
    private volatile LongSupplier mapUnconfirmedNanos = () -> 0;

    /** The counters of one class of queries. */
    private record OfQueries(
            Counter.Child answered,
            Counter.Child calls,
            Counter.Child ranges,
            Counter.Child servers,
            Counter.Child examined,
            Counter.Child received,
            Counter.Child returned) {
        void count(RequestCost cost) {
            answered.inc();
            calls.inc((double) cost.calls());
            ranges.inc(cost.ranges());
            servers.inc(cost.servers());
            examined.inc((double) cost.examined());
            received.inc((double) cost.received());
            returned.inc((double) cost.returned());
        }
    }

    public FrontEndMetrics(CollectorRegistry registry) {
        this(registry, System::nanoTime);
    }

    /** @param clock of the figures by account and table, which are ranked from time to time */
    FrontEndMetrics(CollectorRegistry registry, LongSupplier clock) {
        requests = Counter.build("cleave_front_end_requests_total", "Requests answered, by operation and HTTP status.")
                .labelNames("op", "outcome")
                .register(registry);
        seconds = Histogram.build(
                        "cleave_front_end_request_seconds",
                        "Time from a request's head to its answer, by operation, query class and status class.")
                .labelNames("op", "class", "status")
                .buckets(Buckets.seconds())
                .register(registry);
        faults = Counter.build("cleave_front_end_faults_total", "Requests and events that failed because of a bug.")
                .register(registry);
        queriesOf(registry);
        traffic = new Traffic("cleave_front_end", clock).register(registry);
        throttled = Counter.build(
                        "cleave_front_end_throttled_total",
                        "Requests that exceeded the rate limit of their account or of a partition.")
                .labelNames("limit")
                .register(registry);
        refused = Counter.build(
                        "cleave_front_end_refused_total",
                        "Requests that were refused for want of room, by the bound that had none.")
                .labelNames("bound")
                .register(registry);
        inFlight = Gauge.build("cleave_front_end_requests_in_flight", "Requests being received or processed.")
                .register(registry);
        connections = Gauge.build("cleave_front_end_connections", "Open client connections.")
                .register(registry);
        connectionsClosed = Counter.build(
                        "cleave_front_end_connections_closed_total",
                        "Client connections and HTTP/2 streams closed by this front end, by reason.")
                .labelNames("reason")
                .register(registry);
        reloads = Counter.build(
                        "cleave_front_end_reloads_total",
                        "Reloads of changed files and documents, by what was reloaded and outcome.")
                .labelNames("what", "outcome")
                .register(registry);
        traces = Counter.build(
                        "cleave_front_end_traces_total", "Traces of requests that were to be exported, by outcome.")
                .labelNames("outcome")
                .register(registry);
        certificateExpires = Gauge.build(
                        "cleave_front_end_certificate_expires_timestamp_seconds",
                        "Expiry of the HTTPS certificate, in Unix time; 0 without HTTPS.")
                .register(registry);
        Gauge.build(
                        "cleave_front_end_map_unconfirmed_seconds",
                        "How long no seed has been connected that told its partition map.")
                .create()
                .<Gauge>setChild(new Gauge.Child() {
                    @Override
                    public double get() {
                        return mapUnconfirmedNanos.getAsLong() * NANOS;
                    }
                })
                .register(registry);
        beginAtZero();
    }

    private void queriesOf(CollectorRegistry registry) {
        Counter answered = byClass(registry, "cleave_front_end_queries_total", "Pages and point gets answered.");
        Counter calls = byClass(registry, "cleave_front_end_query_calls_total", "Calls to ranges made for queries.");
        Counter ranges = byClass(registry, "cleave_front_end_query_ranges_total", "Ranges that queries visited.");
        Counter servers = byClass(registry, "cleave_front_end_query_servers_total", "Servers that queries visited.");
        Counter examined = byClass(
                registry, "cleave_front_end_entities_examined_total", "Entities that servers examined for queries.");
        Counter received = byClass(
                registry, "cleave_front_end_entities_received_total", "Entities that servers sent for queries.");
        Counter returned = byClass(
                registry, "cleave_front_end_entities_returned_total", "Entities that queries returned to clients.");
        for (QueryClass each : QueryClass.values()) {
            String label = each.label();
            queries.put(
                    each,
                    new OfQueries(
                            answered.labels(label),
                            calls.labels(label),
                            ranges.labels(label),
                            servers.labels(label),
                            examined.labels(label),
                            received.labels(label),
                            returned.labels(label)));
        }
    }

    private static Counter byClass(CollectorRegistry registry, String name, String help) {
        return Counter.build(name, help).labelNames("class").register(registry);
    }

    /** Makes the counters that alerts look at before they count: a rate does not see a counter's first value. */
    private void beginAtZero() {
        for (Operation each : Operation.values()) {
            OfOperation its = new OfOperation(each.label());
            operations.put(each, its);
            for (int status : FAILURES) {
                its.requests(status);
                if (each == Operation.QUERY) {
                    for (QueryClass queryClass : QueryClass.values()) {
                        its.seconds(queryClass, status);
                    }
                } else {
                    its.seconds(each == Operation.GET ? QueryClass.POINT : null, status);
                }
            }
        }
        for (Bound bound : Bound.values()) {
            if (bound != Bound.RATE_OF_ACCOUNT) {
                refused.labels(label(bound));
            }
        }
        throttled.labels("account");
        throttled.labels("partition");
        for (TraceEnd end : TraceEnd.values()) {
            traces.labels(label(end));
        }
        for (String what : RELOADED) {
            reloads.labels(what, "taken");
            reloads.labels(what, "refused");
        }
    }

    /** The counters of one operation. They are resolved when first used, by all threads to the same. */
    private final class OfOperation {
        private final String label;
        private final Counter.@Nullable Child[] byStatus = new Counter.Child[STATUSES];
        private final Histogram.@Nullable Child[] ofOthers = new Histogram.Child[STATUS_CLASSES];
        private final Map<QueryClass, Histogram.@Nullable Child[]> ofQueries = new EnumMap<>(QueryClass.class);

        OfOperation(String label) {
            this.label = label;
            for (QueryClass each : QueryClass.values()) {
                ofQueries.put(each, new Histogram.Child[STATUS_CLASSES]);
            }
        }

        Counter.Child requests(int status) {
            int index = Math.max(0, Math.min(STATUSES - 1, status - STATUS_MIN));
            Counter.Child known = byStatus[index];
            if (known == null) {
                known = requests.labels(label, Integer.toString(index + STATUS_MIN));
                byStatus[index] = known;
            }
            return known;
        }

        Histogram.Child seconds(@Nullable QueryClass queryClass, int status) {
            int index = Math.max(1, Math.min(STATUS_CLASSES - 1, status / HUNDRED));
            Histogram.@Nullable Child[] ofClass = queryClass == null ? ofOthers : ofQueries.get(queryClass);
            Histogram.Child known = ofClass == null ? null : ofClass[index];
            if (ofClass != null && known == null) {
                known = resolved(queryClass, index);
                ofClass[index] = known;
            }
            return known == null ? resolved(queryClass, index) : known;
        }

        private Histogram.Child resolved(@Nullable QueryClass queryClass, int firstDigit) {
            return seconds.labels(label, queryClass == null ? NO_QUERY : queryClass.label(), firstDigit + "xx");
        }
    }

    /**
     * A request was answered.
     *
     * @param queryClass null if it is no query, or was refused before its class was known
     * @param trace of the request, if it is exported: the example of its latency; null otherwise
     */
    public void answered(
            Operation operation, @Nullable QueryClass queryClass, int status, long nanos, @Nullable TraceId trace) {
        OfOperation of = operations.get(operation);
        if (of != null) {
            of.requests(status).inc();
            Histogram.Child its = of.seconds(queryClass, status);
            if (trace == null) {
                its.observe(nanos * NANOS);
            } else {
                its.observeWithExemplar(nanos * NANOS, "trace_id", trace.toString());
            }
        }
    }

    /** A request of an authenticated account was answered, well or not, at this cost. */
    public void moved(String account, RequestCost cost, long requestBytes, long answerBytes) {
        QueryClass queryClass = cost.queryClass();
        OfQueries ofClass = queryClass == null ? null : queries.get(queryClass);
        if (ofClass != null) {
            ofClass.count(cost);
        }
        String table = cost.table();
        if (table == null) {
            traffic.count(account, cost.entities(), requestBytes, answerBytes);
        } else {
            traffic.count(account, table, cost.entities(), requestBytes, answerBytes);
        }
    }

    /** Something failed through a bug. */
    public void faulted() {
        faults.inc();
    }

    /** A partition refused a request because of its rate limit. */
    public void throttledByPartition() {
        throttled.labels("partition").inc();
    }

    /** A request was refused for want of room, or because of its account's rate limit. */
    public void refused(Bound bound) {
        if (bound == Bound.RATE_OF_ACCOUNT) {
            throttled.labels("account").inc();
        } else {
            refused.labels(label(bound)).inc();
        }
    }

    /** How traces end that were to be exported. */
    public enum TraceEnd {
        /** The collector has them. */
        SENT,
        /** Too many waited. */
        DROPPED,
        /** The collector did not take them. */
        FAILED
    }

    /** Traces were exported, or are lost. */
    public void traceEnded(TraceEnd end, int count) {
        traces.labels(label(end)).inc(count);
    }

    private static String label(Enum<?> bound) {
        return bound.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Something that changes while the front end runs was read again; the name is from a closed set. */
    public void reloaded(String what, boolean taken) {
        reloads.labels(what, taken ? "taken" : "refused").inc();
    }

    /** From now on a scrape asks this: how long the map was not confirmed. Thread-safe. */
    public void measureMap(LongSupplier unconfirmedNanos) {
        mapUnconfirmedNanos = unconfirmedNanos;
    }

    public void requestBegan() {
        inFlight.inc();
    }

    public void requestEnded() {
        inFlight.dec();
    }

    public void connected() {
        connections.inc();
    }

    public void disconnected() {
        connections.dec();
    }

    /** A connection is closed by this side; the reason is from a closed set. */
    public void closing(String reason) {
        connectionsClosed.labels(reason).inc();
    }

    /** A certificate for HTTPS is in use from now on. */
    public void certificateTaken(long expiresSeconds) {
        reloaded("certificate", true);
        certificateExpires.set((double) expiresSeconds);
    }

    /** Certificate files are wrong, and the certificate before stays in use. */
    public void certificateRefused() {
        reloaded("certificate", false);
    }
}
