package cleave.dfs.metrics;

import cleave.runtime.metrics.Buckets;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;
import io.prometheus.client.Histogram;
import java.util.EnumMap;
import java.util.Locale;

/** The metrics of DFS nodes ({@code cleave_dfs_...}) and clients ({@code cleave_dfs_client_...}). Thread-safe. */
public final class DfsMetrics {
    private static final double NANOS = 1e9;

    /** A call that a node answers; appends and barriers come on streams. */
    public enum Call {
        FENCE,
        VISIBLE_LENGTHS,
        DROP_EXTENTS,
        READ_EXTENT,
        NAMES,
        LOOK_UP,
        LIST_FILES,
        PROBE,
        SPACE
    }

    private final CollectorRegistry registry;
    private final EnumMap<Call, Histogram.Child> callSeconds = new EnumMap<>(Call.class);
    private final EnumMap<Call, Counter.Child> callFailures = new EnumMap<>(Call.class);
    private final Histogram appendSeconds;

    private final Counter appends;
    private final Counter appendedBytes;
    private final Counter groups;
    private final Histogram commitSeconds;
    private final Histogram groupAppends;
    private final Counter barriers;
    private final Counter fences;
    private final Counter refusals;
    private final Counter checkpoints;
    private final Gauge extents;
    private final Gauge files;
    private final Gauge deletedNames;
    private final Gauge queue;
    private final Gauge diskFree;
    private final Gauge diskTotal;
    private final Gauge diskReserve;
    private final Gauge diskSpace;
    private final Gauge clientSpace;
    private final Counter clientAppends;
    private final Counter clientAppendedBytes;
    private final Histogram clientAppendSeconds;
    private final Counter clientBarriers;
    private final Counter clientSeals;
    private final Counter clientRepairs;
    private final Counter clientReconnects;
    private final Gauge clientOpenFiles;

    /** For a process that is a client, and perhaps a node too. */
    public DfsMetrics(CollectorRegistry registry) {
        this(registry, registry);
    }

    /** For a node that serves clients in other processes. */
    public static DfsMetrics ofNode(CollectorRegistry registry) {
        return new DfsMetrics(registry, new CollectorRegistry());
    }

    /** For a client of a node in another process. It must not show what only a node measures. */
    public static DfsMetrics ofClient(CollectorRegistry registry) {
        return new DfsMetrics(new CollectorRegistry(), registry);
    }

    private DfsMetrics(CollectorRegistry node, CollectorRegistry client) {
        registry = client;
        Histogram calls = seconds(node, "cleave_dfs_call_seconds", "Time to answer a call, by call.", "call");
        Counter failures = Counter.build("cleave_dfs_call_failures_total", "Calls that failed, by call.")
                .labelNames("call")
                .register(node);
        for (Call each : Call.values()) {
            String label = each.name().toLowerCase(Locale.ROOT).replace('_', '-');
            callSeconds.put(each, calls.labels(label));
            callFailures.put(each, failures.labels(label));
        }
        appendSeconds = seconds(
                node,
                "cleave_dfs_append_seconds",
                "From the first record of a group until the group is durable: what the oldest append of each group waits.");
        appends = counter(node, "cleave_dfs_appends_total", "Appends made durable by this node.");
        appendedBytes = counter(node, "cleave_dfs_appended_bytes_total", "Bytes made durable by this node.");
        groups = counter(node, "cleave_dfs_groups_total", "Groups of appends, each made durable by one sync.");
        commitSeconds = seconds(node, "cleave_dfs_commit_seconds", "Writing and syncing one group.");
        groupAppends = Histogram.build("cleave_dfs_group_appends", "Appends in one group.")
                .buckets(1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
                .register(node);
        barriers = counter(node, "cleave_dfs_barriers_total", "Barriers passed.");
        fences = counter(node, "cleave_dfs_fences_total", "Extents fenced.");
        refusals = counter(node, "cleave_dfs_refusals_total", "Appends and barriers refused.");
        checkpoints = counter(node, "cleave_dfs_checkpoints_total", "Checkpoints of this node's state.");
        extents = gauge(node, "cleave_dfs_extents", "Extents on this node.");
        files = gauge(node, "cleave_dfs_files", "Files that exist.");
        deletedNames = gauge(
                node,
                "cleave_dfs_deleted_names",
                "Intervals of numbers and single paths that are kept of what was deleted.");
        queue = gauge(node, "cleave_dfs_queued_works", "Works on extent files that wait.");
        diskFree = gauge(node, "cleave_dfs_disk_free_bytes", "Bytes that are free on the disk.");
        diskTotal = gauge(node, "cleave_dfs_disk_total_bytes", "Size of the disk.");
        diskReserve = gauge(
                node, "cleave_dfs_disk_reserve_bytes", "Free bytes below which clients' writes are refused; 0: never.");
        diskSpace = gauge(
                node,
                "cleave_dfs_disk_space_state",
                "0: the disk has space. 1: it is short of space, clients' writes are refused. 2: it is full, appends wait.");
        clientSpace = gauge(
                client,
                "cleave_dfs_client_space_state",
                "Space as the DFS reported it last. 0: enough, 1: short, 2: full.");
        clientAppends = counter(client, "cleave_dfs_client_appends_total", "Appends acknowledged to this process.");
        clientAppendedBytes =
                counter(client, "cleave_dfs_client_appended_bytes_total", "Bytes acknowledged to this process.");
        clientAppendSeconds =
                seconds(client, "cleave_dfs_client_append_seconds", "From an append to its acknowledgement.");
        clientBarriers = counter(client, "cleave_dfs_client_barriers_total", "Barriers passed.");
        clientSeals = counter(client, "cleave_dfs_client_seals_total", "Files sealed by this process.");
        clientRepairs = counter(client, "cleave_dfs_client_repairs_total", "Open files that went on after a fault.");
        clientReconnects = counter(client, "cleave_dfs_client_reconnects_total", "Sessions with nodes that broke.");
        clientOpenFiles = gauge(client, "cleave_dfs_client_open_files", "Files that this process writes.");
    }

    private static Histogram seconds(CollectorRegistry registry, String name, String help, String... labels) {
        return Histogram.build(name, help)
                .labelNames(labels)
                .buckets(Buckets.seconds())
                .register(registry);
    }

    private static Counter counter(CollectorRegistry registry, String name, String help) {
        return Counter.build(name, help).register(registry);
    }

    private static Gauge gauge(CollectorRegistry registry, String name, String help) {
        return Gauge.build(name, help).register(registry);
    }

    /** Registers the metrics of a distributed engine, for a client that has one. Call it once. */
    public EngineMetrics engine() {
        return new EngineMetrics(registry, System::nanoTime);
    }

    /** A call was answered. */
    public void answered(Call call, long nanos, boolean failed) {
        Histogram.Child its = callSeconds.get(call);
        Counter.Child failures = callFailures.get(call);
        if (its != null && failures != null) {
            its.observe(nanos / NANOS);
            failures.inc(failed ? 1 : 0);
        }
    }

    /**
     * A group is durable.
     *
     * @param nanos to write and sync it
     * @param waitNanos since its first record came
     */
    public void group(int appendsOfGroup, long bytes, long nanos, long waitNanos) {
        appendSeconds.observe(waitNanos / NANOS);
        groups.inc();
        appends.inc(appendsOfGroup);
        appendedBytes.inc((double) bytes);
        groupAppends.observe(appendsOfGroup);
        commitSeconds.observe(nanos / NANOS);
    }

    public void barrier() {
        barriers.inc();
    }

    public void fence() {
        fences.inc();
    }

    public void refusal() {
        refusals.inc();
    }

    public void checkpoint() {
        checkpoints.inc();
    }

    public void extents(int count) {
        extents.set(count);
    }

    public void files(int count) {
        files.set(count);
    }

    public void deletedNames(int count) {
        deletedNames.set(count);
    }

    public void queue(int count) {
        queue.set(count);
    }

    public void space(long freeBytes, int state) {
        diskFree.set((double) freeBytes);
        diskSpace.set(state);
    }

    /** Sets the numbers that do not change while the node runs. */
    public void disk(long totalBytes, long reserveBytes) {
        diskTotal.set((double) totalBytes);
        diskReserve.set((double) reserveBytes);
    }

    public void clientSpace(int state) {
        clientSpace.set(state);
    }

    public void clientAppend(int bytes, long nanos) {
        clientAppends.inc();
        clientAppendedBytes.inc(bytes);
        clientAppendSeconds.observe(nanos / NANOS);
    }

    public void clientBarrier() {
        clientBarriers.inc();
    }

    public void clientSeal() {
        clientSeals.inc();
    }

    public void clientRepair() {
        clientRepairs.inc();
    }

    public void clientReconnect() {
        clientReconnects.inc();
    }

    public void clientOpenFiles(int count) {
        clientOpenFiles.set(count);
    }
}
