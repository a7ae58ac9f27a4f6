package cleave.chaos.load.report;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.load.run.Tally.Count;
import cleave.chaos.load.workload.Action;
import io.prometheus.client.CollectorRegistry;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class LoadMetricsTest {
    private final CollectorRegistry registry = new CollectorRegistry();
    private final LoadMetrics metrics = new LoadMetrics().register(registry);

    private static Histogram millis(long... values) {
        Histogram latencies = new Histogram(3);
        for (long value : values) {
            latencies.recordValue(value * 1_000_000);
        }
        return latencies;
    }

    private double sample(String name, String label, String value) {
        return registry.getSampleValue(name, new String[] {"op", label}, new String[] {"get", value});
    }

    /** The second one is of another run, such as the next step of a search. */
    @Test
    void secondsAddUp() {
        metrics.add(Map.of(Action.GET, new Count(3, 1, 0, 2, 3, 0)), Map.of(Action.GET, millis(4, 6, 40)), 5, 0.5);
        metrics.add(Map.of(Action.GET, new Count(2, 0, 0, 0, 2, 0)), Map.of(Action.GET, millis(4, 200_000)), 2, 0.25);

        assertThat(sample("cleave_load_operations_total", "outcome", "done")).isEqualTo(5);
        assertThat(sample("cleave_load_operations_total", "outcome", "failed")).isEqualTo(1);
        assertThat(sample("cleave_load_latency_seconds_bucket", "le", "0.005")).isEqualTo(2);
        assertThat(sample("cleave_load_latency_seconds_bucket", "le", "0.05")).isEqualTo(4);
        assertThat(sample("cleave_load_latency_seconds_bucket", "le", "100.0")).isEqualTo(4);
        assertThat(sample("cleave_load_latency_seconds_bucket", "le", "+Inf")).isEqualTo(5);
        assertThat(registry.getSampleValue("cleave_load_due_per_second")).isEqualTo(2);
        assertThat(registry.getSampleValue("cleave_load_behind_seconds")).isEqualTo(0.25);
    }

    @Test
    void beforeTheFirstSecondThereAreNoOperationsAndNothingIsDue() {
        assertThat(registry.getSampleValue("cleave_load_due_per_second")).isZero();
        assertThat(registry.getSampleValue(
                        "cleave_load_operations_total", new String[] {"op", "outcome"}, new String[] {"get", "done"}))
                .isNull();
    }
}
