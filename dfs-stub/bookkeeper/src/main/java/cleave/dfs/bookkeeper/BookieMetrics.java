package cleave.dfs.bookkeeper;

import io.prometheus.client.Collector;
import io.prometheus.client.Collector.MetricFamilySamples.Sample;
import io.prometheus.client.CollectorRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.bookkeeper.stats.Counter;
import org.apache.bookkeeper.stats.Gauge;
import org.apache.bookkeeper.stats.OpStatsData;
import org.apache.bookkeeper.stats.OpStatsLogger;
import org.apache.bookkeeper.stats.StatsLogger;
import org.apache.bookkeeper.stats.StatsProvider;
import org.apache.commons.configuration2.Configuration;

/**
 * The metrics of a bookie or of autorecovery in this process, in Prometheus' default registry. BookKeeper makes it by its setting {@code
 * statsProviderClass}. Each metric keeps BookKeeper's name, its scopes before it, joined by underscores. Times of operations are
 * histograms {@code _seconds}, and other values of them are summaries, both by {@code success}. Thread-safe.
 *
 * <p>BookKeeper's own provider for Prometheus would add an HTTP server and its libraries to each process.
 */
public final class BookieMetrics implements StatsProvider {
    /** Upper bounds in nanoseconds: few, since BookKeeper has a hundred operations. */
    private static final long[] BOUNDS = {
        1_000_000, 5_000_000, 20_000_000, 100_000_000, 500_000_000, 2_000_000_000, 10_000_000_000L
    };

    private static final double NANOS = 1e9;
    private static final String SUCCESS = "success";
    private static final String LE = "le";
    private static final OpStatsData NO_DATA = new OpStatsData(0, 0, 0, new long[6]);

    private final Map<Key, Count> counters = new ConcurrentHashMap<>();
    private final Map<Key, Gauge<?>> gauges = new ConcurrentHashMap<>();
    private final Map<Key, Operation> operations = new ConcurrentHashMap<>();
    private final Collector collector = new Collector() {
        @Override
        public List<MetricFamilySamples> collect() {
            return families();
        }
    };

    /** Which metric, with the labels that its scopes have given it. */
    private record Key(String name, Map<String, String> labels) {}

    @Override
    public void start(Configuration settings) {
        CollectorRegistry.defaultRegistry.register(collector);
    }

    @Override
    public void stop() {
        CollectorRegistry.defaultRegistry.unregister(collector);
    }

    @Override
    public StatsLogger getStatsLogger(String scope) {
        return new Scope(scope, Map.of());
    }

    /** What a part of BookKeeper reports to. */
    private final class Scope implements StatsLogger {
        private final String path;
        private final Map<String, String> labels;

        Scope(String path, Map<String, String> labels) {
            this.path = path;
            this.labels = labels;
        }

        private Key key(String name) {
            return new Key(join(name), labels);
        }

        private String join(String name) {
            String joined = path.isEmpty() ? name : path + "_" + name;
            return joined.replaceAll("[^A-Za-z0-9_]", "_");
        }

        @Override
        public OpStatsLogger getOpStatsLogger(String name) {
            return operations.computeIfAbsent(key(name), any -> new Operation());
        }

        @Override
        public OpStatsLogger getThreadScopedOpStatsLogger(String name) {
            return getOpStatsLogger(name);
        }

        @Override
        public Counter getCounter(String name) {
            return counters.computeIfAbsent(key(name), any -> new Count());
        }

        @Override
        public Counter getThreadScopedCounter(String name) {
            return getCounter(name);
        }

        @Override
        public <T extends Number> void registerGauge(String name, Gauge<T> gauge) {
            gauges.put(key(name), gauge);
        }

        @Override
        public <T extends Number> void unregisterGauge(String name, Gauge<T> gauge) {
            gauges.remove(key(name), gauge);
        }

        @Override
        public StatsLogger scope(String name) {
            return new Scope(join(name), labels);
        }

        @Override
        public StatsLogger scopeLabel(String label, String value) {
            Map<String, String> more = new TreeMap<>(labels);
            more.put(label.replaceAll("[^A-Za-z0-9_]", "_"), value);
            return new Scope(path, more);
        }

        /** Its metrics stay: what has been counted is not lost. */
        @Override
        public void removeScope(String name, StatsLogger logger) {}
    }

    /** A counter that may also decrease. */
    private static final class Count implements Counter {
        private final LongAdder value = new LongAdder();

        @Override
        public void clear() {
            value.reset();
        }

        @Override
        public void inc() {
            value.increment();
        }

        @Override
        public void dec() {
            value.decrement();
        }

        @Override
        public void addCount(long delta) {
            value.add(delta);
        }

        /** BookKeeper counts times of its threads in milliseconds. */
        @Override
        public void addLatency(long time, TimeUnit unit) {
            value.add(unit.toMillis(time));
        }

        @Override
        public Long get() {
            return value.sum();
        }
    }

    /** The times, or the values, of operations that succeeded and of those that failed. */
    private static final class Operation implements OpStatsLogger {
        private final Distribution succeeded = new Distribution();
        private final Distribution failed = new Distribution();
        private volatile boolean hasValues;

        @Override
        public void registerFailedEvent(long time, TimeUnit unit) {
            failed.add(unit.toNanos(time));
        }

        @Override
        public void registerSuccessfulEvent(long time, TimeUnit unit) {
            succeeded.add(unit.toNanos(time));
        }

        @Override
        public void registerSuccessfulValue(long value) {
            hasValues = true;
            succeeded.add(value);
        }

        @Override
        public void registerFailedValue(long value) {
            hasValues = true;
            failed.add(value);
        }

        boolean isUnused() {
            return succeeded.count() == 0 && failed.count() == 0;
        }

        /** None: they are for providers that log them. */
        @Override
        public OpStatsData toOpStatsData() {
            return NO_DATA;
        }

        @Override
        public void clear() {
            succeeded.clear();
            failed.clear();
        }
    }

    private static final class Distribution {
        /** By the first bound that is not exceeded; the last has what exceeds them all. */
        private final LongAdder[] counts = new LongAdder[BOUNDS.length + 1];

        private final LongAdder sum = new LongAdder();

        Distribution() {
            for (int i = 0; i < counts.length; i++) {
                counts[i] = new LongAdder();
            }
        }

        void add(long value) {
            int bucket = 0;
            while (bucket < BOUNDS.length && value > BOUNDS[bucket]) {
                bucket++;
            }
            counts[bucket].increment();
            sum.add(value);
        }

        long count() {
            return Stream.of(counts).mapToLong(LongAdder::sum).sum();
        }

        void clear() {
            for (LongAdder count : counts) {
                count.reset();
            }
            sum.reset();
        }
    }

    private List<Collector.MetricFamilySamples> families() {
        Map<String, Collector.MetricFamilySamples> families = new TreeMap<>();
        counters.forEach((key, count) ->
                put(families, Collector.Type.UNKNOWN, key.name(), List.of(sample(key, "", count.get()))));
        gauges.forEach((key, gauge) -> {
            Number value = gauge.getSample();
            if (value != null) {
                put(families, Collector.Type.GAUGE, key.name(), List.of(sample(key, "", value.doubleValue())));
            }
        });
        operations.forEach((key, operation) -> {
            boolean isTime = !operation.hasValues;
            Key named = isTime ? new Key(key.name() + "_seconds", key.labels()) : key;
            if (operation.isUnused()) {
                return; // Whether it has times or other values is not known yet.
            }
            List<Sample> samples = new ArrayList<>();
            add(samples, named, operation.succeeded, "true", isTime);
            add(samples, named, operation.failed, "false", isTime);
            put(families, isTime ? Collector.Type.HISTOGRAM : Collector.Type.SUMMARY, named.name(), samples);
        });
        return List.copyOf(families.values());
    }

    private static void put(
            Map<String, Collector.MetricFamilySamples> families,
            Collector.Type type,
            String name,
            List<Sample> samples) {
        families.merge(
                name,
                new Collector.MetricFamilySamples(name, type, name + " of BookKeeper.", samples),
                (before, more) -> {
                    List<Sample> all = new ArrayList<>(before.samples);
                    all.addAll(more.samples);
                    return new Collector.MetricFamilySamples(name, before.type, before.help, all);
                });
    }

    private static void add(List<Sample> samples, Key key, Distribution of, String success, boolean isTime) {
        Function<Map<String, String>, Key> labelled = more -> {
            Map<String, String> labels = new TreeMap<>(key.labels());
            labels.put(SUCCESS, success);
            labels.putAll(more);
            return new Key(key.name(), labels);
        };
        long count = 0;
        for (int i = 0; i < of.counts.length; i++) {
            count += of.counts[i].sum();
            if (isTime) {
                String bound = i < BOUNDS.length ? Double.toString(BOUNDS[i] / NANOS) : "+Inf";
                samples.add(sample(labelled.apply(Map.of(LE, bound)), "_bucket", (double) count));
            }
        }
        samples.add(sample(labelled.apply(Map.of()), "_count", (double) count));
        samples.add(sample(labelled.apply(Map.of()), "_sum", of.sum.sum() / (isTime ? NANOS : 1)));
    }

    private static Sample sample(Key key, String suffix, double value) {
        return new Sample(
                key.name() + suffix,
                List.copyOf(key.labels().keySet()),
                List.copyOf(key.labels().values()),
                value);
    }
}
