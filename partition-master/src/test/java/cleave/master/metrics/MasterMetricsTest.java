package cleave.master.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.client.Collector.MetricFamilySamples;
import io.prometheus.client.CollectorRegistry;
import java.util.Collections;
import org.junit.jupiter.api.Test;

class MasterMetricsTest {
    @Test
    void theseAreAllTheNames() {
        CollectorRegistry registry = new CollectorRegistry();
        new MasterMetrics(registry);
        assertThat(Collections.list(registry.metricFamilySamples()))
                .extracting((MetricFamilySamples family) -> family.name)
                .containsExactlyInAnyOrder(
                        "cleave_master_clock_skew_seconds",
                        "cleave_master_command_seconds",
                        "cleave_master_commands",
                        "cleave_master_declared_dead",
                        "cleave_master_drops_pending",
                        "cleave_master_events",
                        "cleave_master_feature_level",
                        "cleave_master_handoff_switch_seconds",
                        "cleave_master_handoffs",
                        "cleave_master_halted",
                        "cleave_master_files_swept",
                        "cleave_master_late_ticks",
                        "cleave_master_sweeps",
                        "cleave_master_sweeps_failed",
                        "cleave_master_leader",
                        "cleave_master_map_updates",
                        "cleave_master_open_failures",
                        "cleave_master_ranges",
                        "cleave_master_ranges_without_owner",
                        "cleave_master_servers",
                        "cleave_master_servers_clock_off",
                        "cleave_master_snapshots",
                        "cleave_master_takeovers_ordered",
                        "cleave_master_watchers");
    }
}
