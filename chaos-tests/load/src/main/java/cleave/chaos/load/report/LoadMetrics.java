package cleave.chaos.load.report;

import cleave.chaos.load.run.Tally;
import cleave.chaos.load.run.Tally.Count;
import cleave.chaos.load.workload.Action;
import cleave.runtime.metrics.Buckets;
import io.prometheus.client.Collector;
import io.prometheus.client.CounterMetricFamily;
import io.prometheus.client.GaugeMetricFamily;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * The outcomes of a load until now, for Prometheus. An {@link Observer} adds those of each second, and a scrape sees the last second's state, so
 * that it costs the load nothing. Added to by one thread, and scraped by any.
 */
public final class LoadMetrics extends Collector implements Collector.Describable {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final String LATENCY = "cleave_load_latency_seconds";
    private static final List<String> LABELS = List.of("op");

    private final Map<Action, Count> counts = new EnumMap<>(Action.class);
    private final Map<Action, Histogram> latencies = new EnumMap<>(Action.class);
    private volatile List<MetricFamilySamples> families = families(0, 0);

    /**
     * Adds a second.
     *
     * @param fresh latencies of operations that ended as they should, in nanoseconds since they were due
     * @param due operations per second by the schedule; 0 in a closed loop
     */
    void add(Map<Action, Count> since, Map<Action, Histogram> fresh, double due, double behindSeconds) {
        since.forEach((action, count) -> counts.merge(action, count, Count::plus));
        fresh.forEach((action, some) -> latencies
                .computeIfAbsent(action, same -> new Histogram(Tally.DIGITS))
                .add(some));
        families = families(due, behindSeconds);
    }

    @Override
    public List<MetricFamilySamples> collect() {
        return families;
    }

    @Override
    public List<MetricFamilySamples> describe() {
        return families;
    }

    private List<MetricFamilySamples> families(double due, double behindSeconds) {
        CounterMetricFamily operations = new CounterMetricFamily(
                "cleave_load_operations", "Operations that ended, by outcome.", List.of("op", "outcome"));
        CounterMetricFamily retries =
                new CounterMetricFamily("cleave_load_retries", "Attempts beyond the first of an operation.", LABELS);
        counts.forEach((action, count) -> {
            operations.addMetric(List.of(action.id(), "done"), (double) count.done());
            operations.addMetric(List.of(action.id(), "failed"), (double) count.failed());
            retries.addMetric(List.of(action.id()), (double) count.retries());
        });
        return List.of(
                operations,
                retries,
                latency(),
                new GaugeMetricFamily(
                        "cleave_load_due_per_second", "Operations per second that are due; 0 in a closed loop.", due),
                new GaugeMetricFamily(
                        "cleave_load_behind_seconds", "By how much sending is behind the schedule.", behindSeconds));
    }

    private MetricFamilySamples latency() {
        List<MetricFamilySamples.Sample> samples = new ArrayList<>();
        latencies.forEach((action, histogram) -> samples(samples, action.id(), histogram));
        return new MetricFamilySamples(
                LATENCY, Type.HISTOGRAM, "Latency of operations that succeeded, since they were due.", samples);
    }

    private static void samples(List<MetricFamilySamples.Sample> samples, String op, Histogram histogram) {
        List<String> bucketLabels = List.of("op", "le");
        for (double bound : Buckets.seconds()) {
            samples.add(new MetricFamilySamples.Sample(
                    LATENCY + "_bucket",
                    bucketLabels,
                    List.of(op, doubleToGoString(bound)),
                    histogram.getCountBetweenValues(0, Math.round(bound * NANOS_PER_SECOND))));
        }
        double count = histogram.getTotalCount();
        samples.add(new MetricFamilySamples.Sample(LATENCY + "_bucket", bucketLabels, List.of(op, "+Inf"), count));
        samples.add(new MetricFamilySamples.Sample(LATENCY + "_count", LABELS, List.of(op), count));
        samples.add(new MetricFamilySamples.Sample(
                LATENCY + "_sum", LABELS, List.of(op), histogram.getMean() * count / NANOS_PER_SECOND));
    }
}
