package cleave.server.metrics;

import cleave.model.Row;
import cleave.wire.RangeLoad;
import io.prometheus.client.Collector;
import io.prometheus.client.GaugeMetricFamily;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Metrics that are measured only when a scrape asks for them: the stores, and the load of the busiest ranges. Thread-safe.
 *
 * <p>It runs on the scrape's thread. The loops have published the load before; the stores are asked at most once in some seconds, because
 * there may be a thousand.
 */
final class Measured extends Collector implements Collector.Describable {
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final int RANGES_MAX = 20;

    private final LongSupplier clock;
    private volatile Supplier<StoreFigures> stores = () -> StoreFigures.NONE;
    private volatile Supplier<List<RangeLoad>> loads = List::of;
    private StoreFigures seen = StoreFigures.NONE;
    private long seenNanos;
    private boolean hasSeen;

    Measured(LongSupplier clock) {
        this.clock = clock;
    }

    /** Asks these from now on. */
    void of(Supplier<StoreFigures> ofStores, Supplier<List<RangeLoad>> ofRanges) {
        stores = ofStores;
        loads = ofRanges;
    }

    @Override
    public synchronized List<MetricFamilySamples> collect() {
        long now = clock.getAsLong();
        if (!hasSeen || now - seenNanos >= FRESH_NANOS) {
            seen = stores.get();
            seenNanos = now;
            hasSeen = !seen.equals(StoreFigures.NONE);
        }
        List<MetricFamilySamples> families = new ArrayList<>(ofStores(seen));
        families.addAll(ofRanges(loads.get()));
        return families;
    }

    @Override
    public List<MetricFamilySamples> describe() {
        List<MetricFamilySamples> families = new ArrayList<>(ofStores(StoreFigures.NONE));
        families.addAll(ofRanges(List.of()));
        return families;
    }

    private static List<MetricFamilySamples> ofStores(StoreFigures now) {
        return List.of(
                gauge("stores", "Open stores.", now.stores()),
                gauge("block_cache_bytes", "Bytes in the block cache of all stores, memtables included.", (double)
                        now.blockCacheBytes()),
                gauge("block_cache_limit_bytes", "Size of the block cache.", (double) now.blockCacheLimitBytes()),
                gauge("memtable_bytes", "Bytes in memtables of all stores.", (double) now.memtableBytes()),
                gauge("memtable_limit_bytes", "Most bytes that memtables may hold.", (double) now.memtableLimitBytes()),
                gauge("store_file_bytes", "Bytes of the stores' files on the disk.", (double) now.fileBytes()),
                gauge(
                        "store_keys",
                        "Estimate of the keys in the stores, those included that are deleted and not compacted away.",
                        (double) now.keys()),
                gauge(
                        "store_pending_compaction_bytes",
                        "Estimate of the bytes that compactions have yet to rewrite.",
                        (double) now.pendingCompactionBytes()),
                gauge("store_flushes_running", "Flushes of memtables under way.", (double) now.flushes()),
                gauge("store_compactions_running", "Compactions under way.", (double) now.compactions()),
                gauge(
                        "stores_stalled",
                        "Stores that take no writes until they have flushed or compacted.",
                        now.stalled()),
                gauge("store_disk_bytes", "Size of the disk of the stores.", (double) now.diskBytes()),
                gauge(
                        "cached_bytes",
                        "Bytes of files of checkpoints that no store has, kept for ranges that come back.",
                        (double) now.cachedBytes()),
                gauge("scans_waiting", "Scans that wait for a thread.", now.scansWaiting()));
    }

    private static MetricFamilySamples gauge(String name, String help, double value) {
        return new GaugeMetricFamily("cleave_server_" + name, help, value);
    }

    private static List<MetricFamilySamples> ofRanges(List<RangeLoad> all) {
        GaugeMetricFamily entities = ofRange("entities_per_second", "Entities read and written a second, over 30 s");
        GaugeMetricFamily requests = ofRange("requests_per_second", "Requests a second");
        GaugeMetricFamily scanned = ofRange("scanned_per_second", "Entities that scans examined a second");
        GaugeMetricFamily cpu = ofRange("busy_ratio", "Share of a thread's time that is spent on it");
        GaugeMetricFamily waits = ofRange("queue_wait_seconds", "Mean wait of its requests before they begin");
        GaugeMetricFamily bytes = ofRange("stored_bytes", "Bytes stored");
        List<RangeLoad> busiest = new ArrayList<>(all);
        busiest.removeIf(load -> load.getEntitiesPerSecond30S() <= 0);
        busiest.sort(
                Comparator.comparingDouble(RangeLoad::getEntitiesPerSecond30S).reversed());
        for (RangeLoad load : busiest.subList(0, Math.min(RANGES_MAX, busiest.size()))) {
            List<String> range = List.of(Row.idText(load.getRange()));
            entities.addMetric(range, load.getEntitiesPerSecond30S());
            requests.addMetric(range, load.getRequests());
            scanned.addMetric(range, load.getScanned());
            cpu.addMetric(range, load.getCpu());
            waits.addMetric(range, load.getQueueWaitMillis() / 1e3);
            bytes.addMetric(range, (double) load.getBytes());
        }
        double stored =
                all.stream().mapToDouble(load -> (double) load.getBytes()).sum();
        return List.of(
                entities,
                requests,
                scanned,
                cpu,
                waits,
                bytes,
                gauge("stored_bytes", "Bytes that the ranges served here store, as measured last.", stored));
    }

    private static GaugeMetricFamily ofRange(String name, String help) {
        return new GaugeMetricFamily(
                "cleave_server_range_" + name, help + ", of the " + RANGES_MAX + " busiest ranges.", List.of("range"));
    }
}
