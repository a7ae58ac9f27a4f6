package cleave.server.metrics;

import cleave.model.TraceId;
import cleave.model.table.TableName;
import cleave.runtime.metrics.Buckets;
import cleave.server.state.TableSize;
import cleave.wire.ErrorCode;
import cleave.wire.RangeLoad;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;
import io.prometheus.client.Histogram;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** All metrics of a partition server. Thread-safe. */
public final class ServerMetrics {
    private static final double NANOS = 1e-9;
    private static final List<String> USES = List.of("split", "merge", "move");
    private static final List<String> HANDOFF_ENDS = List.of("done", "given up", "unknown", "abandoned");

    /** The metrics of requests of one kind. */
    public static final class OfRequests {
        private final Histogram.Child seconds;
        private final Histogram.Child queueWaitSeconds;

        private OfRequests(String kind, Histogram seconds, Histogram queueWaitSeconds) {
            this.seconds = seconds.labels(kind);
            this.queueWaitSeconds = queueWaitSeconds.labels(kind);
        }

        /** One that was admitted is answered this long after it arrived. */
        public void answered(long nanos) {
            seconds.observe(nanos * NANOS);
        }

        /** The same of one whose trace is exported, and is the example of its latency. */
        public void answered(long nanos, TraceId trace) {
            seconds.observeWithExemplar(nanos * NANOS, "trace_id", trace.toString());
        }

        /** One begins to be executed, or is refused after its wait, this long after it arrived. */
        public void waited(long nanos) {
            queueWaitSeconds.observe(nanos * NANOS);
        }
    }

    public final OfRequests ofWrites;

    public final OfRequests ofReads;
    public final OfRequests ofScans;
    public final OfRequests ofDrops;

    private final Measured measured;
    private final Capacity capacity;
    private final Histogram.Child logAppendSeconds;
    private final Histogram.Child confirmSeconds;

    /** Operations of writes that were executed. */
    public final Counter.Child writes;

    /** Appends of records: divided by the writes it shows the group commit. */
    public final Counter.Child appends;

    public final Counter.Child appendedBytes;
    public final Counter.Child reads;
    public final Counter.Child barriers;
    public final Counter.Child fenceBarriers;
    public final Gauge.Child fenceArmed;
    private final Gauge.Child fenceBarrierSeconds;
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
    public final Gauge.Child bytesHeldMax;
    public final Gauge.Child registered;
    public final Gauge.Child storeFreeBytes;
    public final Gauge.Child storeReserveBytes;
    public final Counter.Child storeFailures;
    /** Requests for data that the DFS holds damaged. */
    public final Counter.Child unreadable;

    public final Gauge.Child damagedFiles;
    public final Counter.Child scrubbedBytes;
    /** By the place where a file was found damaged: dfs, local. */
    public final Counter scrubDamaged;

    public final Counter.Child scrubRepaired;
    public final Gauge.Child scrubRoundTimestampSeconds;
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

    /** By the outcome of the attempt: opened, failed. */
    public final Counter opens;

    /** By the kind of opening: takeover, own. */
    public final Histogram openSeconds;

    /** By the error code of the answer. */
    public final Counter refused;

    private final Counter busy;

    private final EnumMap<ErrorCode, Counter.Child> refusedFor = new EnumMap<>(ErrorCode.class);

    public ServerMetrics(CollectorRegistry registry) {
        Counters make = new Counters(registry);
        Histogram requestSeconds = make.seconds(
                "request_seconds", "From the arrival of an admitted request to its answer, by kind.", "kind");
        Histogram queueWaitSeconds = make.seconds(
                "queue_wait_seconds", "From the arrival of a request until it begins to be executed, by kind.", "kind");
        ofWrites = new OfRequests("write", requestSeconds, queueWaitSeconds);
        ofReads = new OfRequests("read", requestSeconds, queueWaitSeconds);
        ofScans = new OfRequests("scan", requestSeconds, queueWaitSeconds);
        ofDrops = new OfRequests("drop", requestSeconds, queueWaitSeconds);
        logAppendSeconds = make.seconds(
                        "log_append_seconds",
                        "From sending a record to the DFS until the range knows that it is durable.")
                .labels();
        confirmSeconds = make.seconds(
                        "confirm_seconds",
                        "From the execution of reads until a barrier or an append confirmed them; of each group the longest.")
                .labels();
        writes = make.counter("writes_total", "Operations of writes that were executed.");
        appends = make.counter("appends_total", "Records appended to commit logs.");
        appendedBytes = make.counter("appended_bytes_total", "Bytes appended to commit logs.");
        reads = make.counter("reads_total", "Point reads answered.");
        barriers = make.counter("barriers_total", "Barriers sent to commit logs to confirm reads of one range.");
        fenceBarriers =
                make.counter("fence_barriers_total", "Barriers sent to fences to confirm reads of many ranges.");
        fenceArmed = make.gauge("fence_armed", "1 while reads are confirmed by a fence.");
        fenceBarrierSeconds = make.gauge(
                "fence_barrier_seconds", "For how long the oldest barrier on a fence has not been answered; 0: none.");
        scans = make.counter("scans_total", "Scans answered.");
        entitiesScanned = make.counter("entities_scanned_total", "Entities that scans looked at.");
        entitiesReturned = make.counter("entities_returned_total", "Entities that scans returned.");
        publishes = make.counter("publishes_total", "Manifests published.");
        checkpointSeconds = make.seconds("checkpoint_seconds", "Time to make and upload a checkpoint.")
                .labels();
        unpublishedBytes = make.gauge("unpublished_log_bytes", "Bytes of commit logs that a takeover would replay.");
        ranges = make.gauge("ranges", "Ranges served.");
        openings = make.gauge("openings", "Ranges being opened.");
        requestsInside = make.gauge("requests_inside", "Requests that were admitted and not yet answered.");
        bytesHeld = make.gauge(
                "request_bytes", "Bytes of requests that were not yet answered, and of answers not yet taken.");
        bytesHeldMax =
                make.gauge("request_limit_bytes", "Bytes of requests and answers that the server holds at most.");
        registered = make.gauge("registered", "1 while registered with the masters.");
        storeFreeBytes = make.gauge("store_free_bytes", "Bytes that are free on the disk of the stores.");
        storeReserveBytes = make.gauge(
                "store_reserve_bytes", "Free bytes on the disk of the stores below which the server gets no ranges.");
        storeFailures = make.counter("store_failures_total", "Ranges given up since their local store failed.");
        unreadable =
                make.counter("unreadable_total", "Requests refused since the DFS holds damaged what they asked for.");
        damagedFiles = make.gauge(
                "damaged_files", "Files of the checkpoints of ranges served here that the DFS holds damaged.");
        scrubbedBytes =
                make.counter("scrubbed_bytes_total", "Bytes that the scrub has read, in the DFS and in stores.");
        scrubDamaged = Counter.build(
                        "cleave_server_scrub_damaged_total",
                        "Files that the scrub found damaged, by the place of the copy.")
                .labelNames("place")
                .register(registry);
        scrubRepaired = make.counter(
                "scrub_repaired_total", "Files that were damaged in the DFS and that no manifest names any more.");
        scrubRoundTimestampSeconds = make.gauge(
                "scrub_round_timestamp_seconds",
                "When the scrub completed its last round, or when the server started; 0 if it is off.");
        clockSkewSeconds = make.gauge(
                "clock_skew_seconds", "How far this server's clock is ahead of the leader's, as the leader says.");
        timestampsAheadSeconds = make.gauge(
                "timestamps_ahead_seconds", "How far timestamps of ranges are beyond the limit that the clocks set.");
        requestsWaited = make.counter("requests_waited_total", "Requests that waited for the end of a switch.");
        handoffs = Counter.build(
                        "cleave_server_handoffs_total", "Planned handoffs, as the owner of the sources saw them.")
                .labelNames("use", "outcome")
                .register(registry);
        handoffPrepareSeconds =
                make.seconds("handoff_prepare_seconds", "Time to prepare a handoff, while its sources serve.", "use");
        handoffSwitchSeconds =
                make.seconds("handoff_switch_seconds", "Time in which neither sources nor targets serve.", "use");
        opens = Counter.build("cleave_server_opens_total", "Attempts to open a range.")
                .labelNames("outcome")
                .register(registry);
        openSeconds = make.seconds("open_seconds", "Time from the order to open a range to its commit.", "kind");
        refused = Counter.build("cleave_server_refused_total", "Requests that were not answered with OK.")
                .labelNames("code")
                .register(registry);
        busy = Counter.build("cleave_server_busy_total", "Requests refused as BUSY, by the bound that had no room.")
                .labelNames("bound")
                .register(registry);
        measured = new Measured(System::nanoTime).register(registry);
        capacity = new Capacity(System::nanoTime).register(registry);
        beginAtZero();
    }

    /** Lets scrapes ask these from now on, on their own thread. */
    public void measure(Supplier<StoreFigures> stores, Supplier<List<RangeLoad>> loads) {
        measured.of(stores, loads);
    }

    /**
     * Lets scrapes ask these from now on, on their own thread: the sizes of tables in each range, and the names of tables as far as known.
     */
    public void measureTables(Supplier<List<TableSize>> sizes, Supplier<Map<Long, TableName>> names) {
        capacity.of(sizes, names);
    }

    /** Makes the counters of alerts before they count: a rate does not see a counter's first value. */
    private void beginAtZero() {
        for (Busy bound : Busy.values()) {
            busy.labels(bound.label());
        }
        for (ErrorCode code : ErrorCode.values()) {
            if (code != ErrorCode.UNRECOGNIZED && code != ErrorCode.OK) {
                refusedFor.put(code, refused.labels(code.name()));
            }
        }
        for (String use : USES) {
            handoffPrepareSeconds.labels(use);
            handoffSwitchSeconds.labels(use);
            HANDOFF_ENDS.forEach(end -> handoffs.labels(use, end));
        }
        scrubDamaged.labels("dfs");
        scrubDamaged.labels("local");
        opens.labels("opened");
        opens.labels("failed");
        openSeconds.labels("takeover");
        openSeconds.labels("own");
    }

    /** A request is refused with this code. */
    public void refused(ErrorCode code) {
        Counter.Child its = refusedFor.get(code);
        (its == null ? refused.labels(code.name()) : its).inc();
    }

    /** A request found no room, or no time, within this bound. */
    public void busy(Busy bound) {
        busy.labels(bound.label()).inc();
    }

    /** A record is durable, this long after it was sent. */
    public void appended(long nanos) {
        logAppendSeconds.observe(nanos * NANOS);
    }

    /** Reads were confirmed, the first of them this long after it was executed. */
    public void confirmed(long nanos) {
        confirmSeconds.observe(nanos * NANOS);
    }

    /** The oldest barrier on a fence that was not answered was sent this long ago; 0 if there is none. */
    public void fenceBarrierWaits(long nanos) {
        fenceBarrierSeconds.set(nanos * NANOS);
    }

    private record Counters(CollectorRegistry registry) {
        Counter.Child counter(String name, String help) {
            return Counter.build("cleave_server_" + name, help)
                    .register(registry)
                    .labels();
        }

        Histogram seconds(String name, String help, String... labels) {
            return Histogram.build("cleave_server_" + name, help)
                    .labelNames(labels)
                    .buckets(Buckets.seconds())
                    .register(registry);
        }

        Gauge.Child gauge(String name, String help) {
            return Gauge.build("cleave_server_" + name, help).register(registry).labels();
        }
    }
}
