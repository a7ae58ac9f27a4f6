package cleave.master.metrics;

import cleave.runtime.metrics.Buckets;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;
import io.prometheus.client.Histogram;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** All metrics of a master. Thread-safe. Touched by its loop and adapters only. */
public final class MasterMetrics {
    private static final List<String> HANDOFF_KINDS = List.of("split", "merge", "move");

    private final RaftGauges raft;
    public final Gauge leader;
    public final Gauge ranges;
    public final Gauge rangesWithoutOwner;
    public final Gauge servers;
    public final Gauge featureLevel;
    public final Gauge featureLevelSupported;
    public final Gauge dropsPending;
    public final Gauge watchers;
    public final Counter commands;
    /** By kind of the command. */
    public final Histogram commandSeconds;

    public final Counter declaredDead;
    public final Counter takeoversOrdered;
    public final Counter openFailures;
    public final Counter lateTicks;
    public final Counter mapUpdates;
    public final Counter snapshots;
    public final Counter events;
    public final Gauge handoffs;
    public final Histogram.Child handoffSwitchSeconds;

    /** By kind: split, merge, move. */
    public final Histogram handoffPrepareSeconds;

    /** By kind. */
    public final Histogram handoffSeconds;

    /** By kind and outcome: done, given-up. */
    public final Counter handoffsEnded;

    /** By reason. */
    public final Counter handoffsRefused;

    /** By kind (split, merge, move, verdict) and reason. */
    public final Counter decisions;

    public final Histogram.Child takeoverSeconds;
    public final Gauge halted;
    public final Gauge clockSkewSeconds;
    public final Gauge serversClockOff;
    public final Counter sweeps;
    public final Counter sweepsFailed;
    public final Counter filesSwept;

    public MasterMetrics(CollectorRegistry registry) {
        leader = gauge(registry, "cleave_master_leader", "1 while this master leads.");
        ranges = gauge(registry, "cleave_master_ranges", "Ranges of the partition map.");
        rangesWithoutOwner =
                gauge(registry, "cleave_master_ranges_without_owner", "Ranges whose owner is no live incarnation.");
        servers = gauge(registry, "cleave_master_servers", "Live partition servers.");
        featureLevel = gauge(registry, "cleave_master_feature_level", "The cluster's feature level.");
        featureLevelSupported = gauge(
                registry,
                "cleave_master_feature_level_supported",
                "The highest feature level that this master supports.");
        dropsPending = gauge(registry, "cleave_master_drops_pending", "Table drops under way.");
        watchers = gauge(registry, "cleave_master_watchers", "Open streams of the map.");
        commands = Counter.build("cleave_master_commands_total", "Commands proposed here, by kind and outcome.")
                .labelNames("op", "outcome")
                .register(registry);
        commandSeconds = seconds(
                registry,
                "cleave_master_command_seconds",
                "Time from proposing a command to its answer: replication by Raft and applying it, by kind.",
                "op");
        declaredDead = counter(registry, "cleave_master_declared_dead_total", "Incarnations declared dead.");
        takeoversOrdered = counter(registry, "cleave_master_takeovers_ordered_total", "Takeovers asked of a server.");
        openFailures =
                counter(registry, "cleave_master_open_failures_total", "Ranges that a server did not open when asked.");
        lateTicks = counter(registry, "cleave_master_late_ticks_total", "Ticks of the leader that came late.");
        mapUpdates = counter(registry, "cleave_master_map_updates_total", "Updates sent to watchers of the map.");
        events = Counter.build("cleave_master_events_total", "What the leader decided and saw, by kind.")
                .labelNames("kind")
                .register(registry);
        handoffs = gauge(registry, "cleave_master_handoffs", "Planned handoffs under way.");
        handoffSwitchSeconds = seconds(
                        registry,
                        "cleave_master_handoff_switch_seconds",
                        "How long the sources of handoffs did not serve.")
                .labels();
        handoffPrepareSeconds = seconds(
                registry,
                "cleave_master_handoff_prepare_seconds",
                "How long targets of handoffs were prepared, while the sources served, by kind.",
                "kind");
        handoffSeconds = seconds(
                registry,
                "cleave_master_handoff_seconds",
                "Time from the order of a handoff to its end, by kind.",
                "kind");
        handoffsEnded = Counter.build("cleave_master_handoffs_ended_total", "Planned handoffs, by kind and outcome.")
                .labelNames("kind", "outcome")
                .register(registry);
        handoffsRefused = Counter.build(
                        "cleave_master_handoffs_refused_total",
                        "Attempts to begin a handoff that were refused, by reason.")
                .labelNames("reason")
                .register(registry);
        decisions = Counter.build(
                        "cleave_master_decisions_total", "Decisions of the balancer, by kind (or verdict) and reason.")
                .labelNames("kind", "reason")
                .register(registry);
        takeoverSeconds = seconds(
                        registry,
                        "cleave_master_takeover_seconds",
                        "From when the leader saw that a range has no live owner until another server has it.")
                .labels();
        halted = gauge(
                registry,
                "cleave_master_halted",
                "1 while this master leads and changes nothing, for the DFS shows that it must not.");
        clockSkewSeconds = gauge(
                registry,
                "cleave_master_clock_skew_seconds",
                "How far this leader's clock is ahead of most servers', which agree with each other; 0 if it is right.");
        serversClockOff = gauge(
                registry,
                "cleave_master_servers_clock_off",
                "Servers that get no more ranges since their clocks are off.");
        sweeps = counter(registry, "cleave_master_sweeps_total", "Sweeps that came to their end.");
        sweepsFailed =
                counter(registry, "cleave_master_sweeps_failed_total", "Sweeps given up before they deleted anything.");
        filesSwept =
                counter(registry, "cleave_master_files_swept_total", "Files deleted that nothing reaches any more.");
        snapshots = counter(registry, "cleave_master_snapshots_total", "Snapshots of the replicated state taken.");
        raft = new RaftGauges().register(registry);
        beginAtZero();
    }

    /** From now on a scrape asks this, on its own thread. */
    public void raft(Supplier<RaftFigures> asked) {
        raft.of(asked);
    }

    /** Counters of alerts exist before their first event, because a rate does not see a counter's first value. */
    private void beginAtZero() {
        for (String kind : HANDOFF_KINDS) {
            handoffPrepareSeconds.labels(kind);
            handoffSeconds.labels(kind);
            handoffsEnded.labels(kind, "done");
            handoffsEnded.labels(kind, "given-up");
        }
    }

    /** These label values exist from now on, at 0. */
    public static void begin(Counter counter, Stream<String> labels) {
        labels.forEach(counter::labels);
    }

    private static Histogram seconds(CollectorRegistry registry, String name, String help, String... labels) {
        return Histogram.build(name, help)
                .labelNames(labels)
                .buckets(Buckets.seconds())
                .register(registry);
    }

    private static Gauge gauge(CollectorRegistry registry, String name, String help) {
        return Gauge.build(name, help).register(registry);
    }

    private static Counter counter(CollectorRegistry registry, String name, String help) {
        return Counter.build(name, help).register(registry);
    }
}
