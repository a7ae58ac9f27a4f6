package cleave.dfs.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.dfs.metrics.DfsMetrics.Call;
import io.prometheus.client.CollectorRegistry;
import java.util.Collections;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class DfsMetricsTest {
    private final CollectorRegistry registry = new CollectorRegistry();

    private boolean hasClientMetrics() {
        return names().anyMatch(name -> name.startsWith("cleave_dfs_client_"));
    }

    private boolean hasNodeMetrics() {
        return names().anyMatch(name -> !name.startsWith("cleave_dfs_client_"));
    }

    private Stream<String> names() {
        return Collections.list(registry.metricFamilySamples()).stream().map(family -> family.name);
    }

    @Test
    void aClientOfAnotherProcessDoesNotClaimToHaveADisk() {
        DfsMetrics.ofClient(registry).space(1, 0);

        assertThat(hasClientMetrics()).isTrue();
        assertThat(hasNodeMetrics()).isFalse();
    }

    @Test
    void aNodeIsNoClient() {
        DfsMetrics.ofNode(registry).clientAppend(1, 1);

        assertThat(hasClientMetrics()).isFalse();
        assertThat(hasNodeMetrics()).isTrue();
    }

    @Test
    void callsAreCountedByNameAndFailure() {
        DfsMetrics metrics = DfsMetrics.ofNode(registry);

        metrics.answered(Call.LOOK_UP, 1_000_000, false);
        metrics.answered(Call.LOOK_UP, 1_000_000, true);

        String[] label = {"call"};
        assertThat(registry.getSampleValue("cleave_dfs_call_seconds_count", label, new String[] {"look-up"}))
                .isEqualTo(2);
        assertThat(registry.getSampleValue("cleave_dfs_call_failures_total", label, new String[] {"look-up"}))
                .isEqualTo(1);
        assertThat(registry.getSampleValue("cleave_dfs_call_failures_total", label, new String[] {"fence"}))
                .isZero();
    }
}
