package cleave.server.metrics;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;
import io.prometheus.client.Histogram;

/** All metrics of a partition server. Thread-safe. */
public final class ServerMetrics {
    private static final double[] SECONDS = {0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30};

    private static final double[] SWITCH_SECONDS = {0.003, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5, 1, 3};

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
    public final Gauge.Child bytesHeld;
    public final Gauge.Child registered;
    public final Gauge.Child storeFreeBytes;
    public final Counter.Child storeFailures;
    public final Gauge.Child clockSkewSeconds;
    public final Gauge.Child timestampsAheadSeconds;

    /** Requests that came in the switch of a handoff. */
    public final Counter.Child requestsWaited;

    /** By use (split, merge, move) and by how it ended (done, given up, unknown, abandoned). */
    public final Counter handoffs;

    /** By use: from the order until every target follows closely. */
    public final Histogram handoffPrepareSeconds;

    /** By use: from the stop of the sources until the targets serve. */
    public final Histogram handoffSwitchSeconds;

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
        bytesHeld = make.gauge(
                "request_bytes", "Bytes of requests that were not yet answered, and of answers not yet taken.");
        registered = make.gauge("registered", "1 while registered with the masters.");
        storeFreeBytes = make.gauge("store_free_bytes", "Bytes that are free on the disk of the stores.");
        storeFailures = make.counter("store_failures_total", "Ranges given up since their local store failed.");
        clockSkewSeconds = make.gauge(
                "clock_skew_seconds", "How far this server's clock is ahead of the leader's, as the leader says.");
        timestampsAheadSeconds = make.gauge(
                "timestamps_ahead_seconds", "How far timestamps of ranges are beyond the limit that the clocks set.");
        requestsWaited = make.counter("requests_waited_total", "Requests that waited for the end of a switch.");
        handoffs = Counter.build(
                        "cleave_server_handoffs_total", "Planned handoffs, as the owner of the sources saw them.")
                .labelNames("use", "outcome")
                .register(registry);
        handoffPrepareSeconds = Histogram.build(
                        "cleave_server_handoff_prepare_seconds", "Time to prepare a handoff, while its sources serve.")
                .buckets(SECONDS)
                .labelNames("use")
                .register(registry);
        handoffSwitchSeconds = Histogram.build(
                        "cleave_server_handoff_switch_seconds", "Time in which neither sources nor targets serve.")
                .buckets(SWITCH_SECONDS)
                .labelNames("use")
                .register(registry);
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
