package cleave.dfs.metrics;

import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.runtime.metrics.Buckets;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;
import io.prometheus.client.Histogram;
import java.util.EnumMap;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The metrics of a client whose engine is distributed ({@code cleave_dfs_engine_...}). Thread-safe. */
public final class EngineMetrics {
    private static final double NANOS = 1e9;
    private static final String DONE = "done";

    /** A call of the DFS's contract. */
    public enum Call {
        CREATE,
        SEAL,
        DELETE,
        READ,
        STAT,
        LIST
    }

    private final LongSupplier nanoTime;
    private final EnumMap<Call, Histogram.Child> callSeconds = new EnumMap<>(Call.class);
    private final Counter calls;
    private final Counter readBytes;
    private final Gauge names;
    private final Gauge bucketNames;
    private final Counter sweptTombstones;
    private final Counter sweptLedgers;
    private volatile long sweptNanos;

    EngineMetrics(CollectorRegistry registry, LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.sweptNanos = nanoTime.getAsLong();
        Histogram seconds = Histogram.build("cleave_dfs_engine_call_seconds", "From a call to its answer, by call.")
                .labelNames("call")
                .buckets(Buckets.seconds())
                .register(registry);
        calls = Counter.build("cleave_dfs_engine_calls_total", "Calls that were answered, by call and outcome.")
                .labelNames("call", "outcome")
                .register(registry);
        for (Call each : Call.values()) {
            callSeconds.put(each, seconds.labels(label(each)));
            calls.labels(label(each), DONE);
        }
        readBytes = Counter.build("cleave_dfs_engine_read_bytes_total", "Bytes of files read by this process.")
                .register(registry);
        names = Gauge.build("cleave_dfs_engine_names", "Names in ZooKeeper as this process swept them last.")
                .labelNames("of")
                .register(registry);
        bucketNames = Gauge.build("cleave_dfs_engine_bucket_names", "Names in the largest bucket of each kind.")
                .labelNames("of")
                .register(registry);
        sweptTombstones = Counter.build("cleave_dfs_engine_swept_names_total", "Names of deleted files swept.")
                .labelNames("outcome")
                .register(registry);
        sweptLedgers = Counter.build("cleave_dfs_engine_swept_ledgers_total", "Ledgers that sweeps visited.")
                .labelNames("outcome")
                .register(registry);
        sweptElsewhere();
        tombstonesSwept(0, 0, 0);
        ledgersSwept(0, 0, 0, 0);
        Gauge.build(
                        "cleave_dfs_engine_sweep_age_seconds",
                        "Since a sweep was seen to end, or to begin in another process.")
                .create()
                .<Gauge>setChild(new Gauge.Child() {
                    @Override
                    public double get() {
                        return (nanoTime.getAsLong() - sweptNanos) / NANOS;
                    }
                })
                .register(registry);
    }

    private static String label(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** For {@link #answered}. */
    public long now() {
        return nanoTime.getAsLong();
    }

    /**
     * A call was answered.
     *
     * @param began as {@link #now} was
     * @param failure null if it succeeded
     */
    public void answered(Call call, long began, @Nullable Throwable failure) {
        Histogram.Child seconds = callSeconds.get(call);
        if (seconds != null) {
            seconds.observe((nanoTime.getAsLong() - began) / NANOS);
        }
        calls.labels(label(call), outcome(failure)).inc();
    }

    private static String outcome(@Nullable Throwable failure) {
        if (failure == null) {
            return DONE;
        }
        return label(failure instanceof DfsException known ? known.reason() : Reason.UNAVAILABLE);
    }

    public void read(int bytes) {
        readBytes.inc(bytes);
    }

    // ---- the sweep ----

    /** @param largest how many are in the largest bucket */
    public void files(long count, int largest) {
        names("files", count, largest);
    }

    /** @param largest how many are in the largest bucket */
    public void tombstones(long count, int largest) {
        names("deleted", count, largest);
    }

    private void names(String of, long count, int largest) {
        names.labels(of).set((double) count);
        bucketNames.labels(of).set(largest);
    }

    /**
     * Names of deleted files were visited.
     *
     * @param unreadable left as they are, since they cannot be read
     */
    public void tombstonesSwept(long kept, long forgotten, long unreadable) {
        sweptTombstones.labels("unreadable").inc((double) unreadable);
        sweptTombstones.labels("kept").inc((double) kept);
        sweptTombstones.labels("forgotten").inc((double) forgotten);
    }

    /**
     * Ledgers were visited.
     *
     * @param fenced deleted with the tombstones that kept them
     * @param orphans deleted because they had no name
     * @param unreadable left as they are, since their metadata cannot be read
     */
    public void ledgersSwept(long kept, long fenced, long orphans, long unreadable) {
        sweptLedgers.labels("unreadable").inc((double) unreadable);
        sweptLedgers.labels("kept").inc((double) kept);
        sweptLedgers.labels("of-deleted").inc((double) fenced);
        sweptLedgers.labels("without-name").inc((double) orphans);
    }

    /** A sweep of this process ended. */
    public void swept() {
        sweptNanos = nanoTime.getAsLong();
    }

    /** Another process has begun a sweep: what this one counted is old. */
    public void sweptElsewhere() {
        files(0, 0);
        tombstones(0, 0);
        sweptNanos = nanoTime.getAsLong();
    }
}
