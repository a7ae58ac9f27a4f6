package cleave.dfs.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.client.Collector;
import io.prometheus.client.CollectorRegistry;
import java.util.Collections;
import org.junit.jupiter.api.Test;

final class DfsMetricsTest {
    @Test
    void theNamesAreThese() {
        CollectorRegistry registry = new CollectorRegistry();
        new DfsMetrics(registry);

        assertThat(Collections.list(registry.metricFamilySamples()).stream()
                        .map(family -> family.name + (family.type == Collector.Type.COUNTER ? "_total" : "")))
                .containsExactlyInAnyOrder(
                        "cleave_dfs_appends_total",
                        "cleave_dfs_appended_bytes_total",
                        "cleave_dfs_groups_total",
                        "cleave_dfs_commit_seconds",
                        "cleave_dfs_group_appends",
                        "cleave_dfs_barriers_total",
                        "cleave_dfs_fences_total",
                        "cleave_dfs_refusals_total",
                        "cleave_dfs_checkpoints_total",
                        "cleave_dfs_extents_count",
                        "cleave_dfs_files_count",
                        "cleave_dfs_deleted_names_count",
                        "cleave_dfs_queue_count",
                        "cleave_dfs_disk_free_bytes",
                        "cleave_dfs_disk_space_state",
                        "cleave_dfs_client_space_state",
                        "cleave_dfs_client_appends_total",
                        "cleave_dfs_client_appended_bytes_total",
                        "cleave_dfs_client_append_seconds",
                        "cleave_dfs_client_barriers_total",
                        "cleave_dfs_client_seals_total",
                        "cleave_dfs_client_repairs_total",
                        "cleave_dfs_client_reconnects_total",
                        "cleave_dfs_client_open_files_count");
    }
}
