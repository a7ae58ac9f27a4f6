package cleave.frontend.metrics;

import cleave.frontend.routing.QueryCost;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;
import io.prometheus.client.Histogram;

/** The metrics of a front end. Thread-safe: shared by its loops. */
public final class FrontEndMetrics {
    private static final double NANOS = 1e-9;

    private final Counter requests;
    private final Histogram seconds;
    private final Counter faults;
    private final Counter queries;
    private final Counter queryCalls;
    private final Counter queryRanges;
    private final Counter queryServers;
    private final Counter examined;
    private final Counter received;
    private final Counter returned;
    private final Counter throttled;
    private final Gauge inFlight;
    private final Gauge connections;
    private final Counter connectionsClosed;
    private final Counter reloads;
    private final Gauge certificateExpires;

    public FrontEndMetrics(CollectorRegistry registry) {
        requests = Counter.build("cleave_front_end_requests_total", "Requests answered, by operation and HTTP status.")
                .labelNames("op", "outcome")
                .register(registry);
        seconds = Histogram.build(
                        "cleave_front_end_request_seconds", "Time from a request's head to its answer, in seconds.")
                .labelNames("op")
                .buckets(0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)
                .register(registry);
        faults = Counter.build("cleave_front_end_faults_total", "Requests and events that failed because of a bug.")
                .register(registry);
        queries = byClass(registry, "cleave_front_end_queries_total", "Pages and point gets answered.");
        queryCalls = byClass(registry, "cleave_front_end_query_calls_total", "Calls to ranges made for queries.");
        queryRanges = byClass(registry, "cleave_front_end_query_ranges_total", "Ranges that queries visited.");
        queryServers = byClass(registry, "cleave_front_end_query_servers_total", "Servers that queries visited.");
        examined = byClass(
                registry, "cleave_front_end_entities_examined_total", "Entities that servers examined for queries.");
        received = byClass(
                registry, "cleave_front_end_entities_received_total", "Entities that servers sent for queries.");
        returned = byClass(
                registry, "cleave_front_end_entities_returned_total", "Entities that queries returned to clients.");
        throttled = Counter.build(
                        "cleave_front_end_throttled_total",
                        "Requests that exceeded the rate limit of their account or of a partition.")
                .labelNames("limit")
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
        certificateExpires = Gauge.build(
                        "cleave_front_end_certificate_expires_seconds",
                        "Expiry of the HTTPS certificate, in Unix time; 0 without HTTPS.")
                .register(registry);
    }

    private static Counter byClass(CollectorRegistry registry, String name, String help) {
        return Counter.build(name, help).labelNames("class").register(registry);
    }

    /** A request was answered. */
    public void answered(String operation, int status, long nanos) {
        requests.labels(operation, Integer.toString(status)).inc();
        seconds.labels(operation).observe(nanos * NANOS);
    }

    /** Something failed through a bug. */
    public void faulted() {
        faults.inc();
    }

    /** A query was answered, well or not. */
    public void queried(String queryClass, QueryCost cost) {
        queries.labels(queryClass).inc();
        queryCalls.labels(queryClass).inc((double) cost.calls());
        queryRanges.labels(queryClass).inc((double) cost.ranges());
        queryServers.labels(queryClass).inc((double) cost.servers());
        examined.labels(queryClass).inc((double) cost.examined());
        received.labels(queryClass).inc((double) cost.received());
        returned.labels(queryClass).inc((double) cost.returned());
    }

    /** A request exceeded a rate limit: {@code account} or {@code partition}. */
    public void throttled(String limit) {
        throttled.labels(limit).inc();
    }

    /** Something that changes while the front end runs was read again; the name is from a closed set. */
    public void reloaded(String what, boolean taken) {
        reloads.labels(what, taken ? "taken" : "refused").inc();
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
