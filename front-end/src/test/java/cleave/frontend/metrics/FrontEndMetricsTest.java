package cleave.frontend.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.client.Collector.MetricFamilySamples;
import io.prometheus.client.CollectorRegistry;
import java.util.Collections;
import org.junit.jupiter.api.Test;

class FrontEndMetricsTest {
    @Test
    void theseAreAllNames() {
        CollectorRegistry registry = new CollectorRegistry();

        new FrontEndMetrics(registry);

        assertThat(Collections.list(registry.metricFamilySamples()))
                .extracting((MetricFamilySamples family) -> family.name)
                .containsExactlyInAnyOrder(
                        "cleave_front_end_certificate_expires_seconds",
                        "cleave_front_end_connections",
                        "cleave_front_end_connections_closed",
                        "cleave_front_end_entities_examined",
                        "cleave_front_end_entities_received",
                        "cleave_front_end_entities_returned",
                        "cleave_front_end_faults",
                        "cleave_front_end_queries",
                        "cleave_front_end_query_calls",
                        "cleave_front_end_query_ranges",
                        "cleave_front_end_query_servers",
                        "cleave_front_end_reloads",
                        "cleave_front_end_request_seconds",
                        "cleave_front_end_requests",
                        "cleave_front_end_requests_in_flight",
                        "cleave_front_end_throttled");
    }
}
