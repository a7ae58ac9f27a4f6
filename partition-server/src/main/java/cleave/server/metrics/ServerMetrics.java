package cleave.server.metrics;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;
import io.prometheus.client.Histogram;

/** All metrics of a partition server. Thread-safe. */
public final class ServerMetrics {
    private static final double[] SECONDS = {0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30};

    /** Operations of writes that were executed. */
    public final Counter.Child writes;

    /** Appends of records: divided by the writes it shows the group commit. */
    public final Counter.Child appends;

    public final Counter.Child appendedBytes;
    public final Counter.Child reads;
    public final Counter.Child barriers;
    public final Counter.Child scans;
    public final Counter.Child entitiesScanned;
    public final Counter.Child entitiesReturned;
    public final Counter.Child publishes;
    public final Histogram.Child checkpointSeconds;
    public final Gauge.Child unpublishedBytes;
    public final Gauge.Child ranges;
    public final Gauge.Child openings;
    public final Gauge.Child requestsInside;
    public final Gauge.Child registered;

    /** By what became of the attempt: opened, failed. */
    public final Counter opens;

    /** By what it was: takeover, own. */
    public final Histogram openSeconds;

    /** By the error code of the answer. */
    public final Counter refused;

    public ServerMetrics(CollectorRegistry registry) {
        Counters make = new Counters(registry);
        writes = make.counter("writes_total", "Operations of writes that were executed.");
        appends = make.counter("appends_total", "Records appended to commit logs.");
        appendedBytes = make.counter("appended_bytes_total", "Bytes appended to commit logs.");
        reads = make.counter("reads_total", "Point reads answered.");
        barriers = make.counter("barriers_total", "Barriers sent to confirm reads.");
        scans = make.counter("scans_total", "Scans answered.");
        entitiesScanned = make.counter("entities_scanned_total", "Entities that scans looked at.");
        entitiesReturned = make.counter("entities_returned_total", "Entities that scans returned.");
        publishes = make.counter("publishes_total", "Manifests published.");
        checkpointSeconds = Histogram.build("cleave_server_checkpoint_seconds", "Time to make and upload a checkpoint.")
                .buckets(SECONDS)
                .register(registry)
                .labels();
        unpublishedBytes = make.gauge("unpublished_log_bytes", "Bytes of commit logs that a takeover would replay.");
        ranges = make.gauge("ranges", "Ranges served.");
        openings = make.gauge("openings", "Ranges being opened.");
        requestsInside = make.gauge("requests_inside", "Requests that were admitted and not yet answered.");
        registered = make.gauge("registered", "1 while registered with the masters.");
        opens = Counter.build("cleave_server_opens_total", "Attempts to open a range.")
                .labelNames("outcome")
                .register(registry);
        openSeconds = Histogram.build(
                        "cleave_server_open_seconds", "Time from the order to open a range to its commit.")
                .buckets(SECONDS)
                .labelNames("kind")
                .register(registry);
        refused = Counter.build("cleave_server_refused_total", "Requests that were not answered with OK.")
                .labelNames("code")
                .register(registry);
    }

    private record Counters(CollectorRegistry registry) {
        Counter.Child counter(String name, String help) {
            return Counter.build("cleave_server_" + name, help)
                    .register(registry)
                    .labels();
        }

        Gauge.Child gauge(String name, String help) {
            return Gauge.build("cleave_server_" + name, help).register(registry).labels();
        }
    }
}
