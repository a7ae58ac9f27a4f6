package cleave.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.client.Collector;
import io.prometheus.client.CollectorRegistry;
import java.util.Collections;
import org.junit.jupiter.api.Test;

class ServerMetricsTest {
    @Test
    void theseAreTheNames() {
        CollectorRegistry registry = new CollectorRegistry();
        new ServerMetrics(registry);
        assertThat(Collections.list(registry.metricFamilySamples()).stream()
                        .map((Collector.MetricFamilySamples family) -> family.name)
                        .sorted())
                .containsExactly(
                        "cleave_server_appended_bytes",
                        "cleave_server_appends",
                        "cleave_server_barriers",
                        "cleave_server_checkpoint_seconds",
                        "cleave_server_clock_skew_seconds",
                        "cleave_server_entities_returned",
                        "cleave_server_entities_scanned",
                        "cleave_server_handoff_prepare_seconds",
                        "cleave_server_handoff_switch_seconds",
                        "cleave_server_handoffs",
                        "cleave_server_open_seconds",
                        "cleave_server_openings",
                        "cleave_server_opens",
                        "cleave_server_publishes",
                        "cleave_server_ranges",
                        "cleave_server_reads",
                        "cleave_server_refused",
                        "cleave_server_registered",
                        "cleave_server_request_bytes",
                        "cleave_server_requests_inside",
                        "cleave_server_requests_waited",
                        "cleave_server_scans",
                        "cleave_server_store_failures",
                        "cleave_server_store_free_bytes",
                        "cleave_server_timestamps_ahead_seconds",
                        "cleave_server_unpublished_log_bytes",
                        "cleave_server_writes");
    }
}
