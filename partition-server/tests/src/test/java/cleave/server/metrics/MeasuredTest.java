package cleave.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.wire.RangeLoad;
import io.prometheus.client.CollectorRegistry;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class MeasuredTest {
    private final CollectorRegistry registry = new CollectorRegistry();
    private final List<RangeLoad> loads = new ArrayList<>();
    private long now;
    private int looks;

    private void measure() {
        Measured measured = new Measured(() -> now).register(registry);
        measured.of(
                () -> {
                    looks++;
                    return new StoreFigures(looks, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
                },
                () -> List.copyOf(loads));
    }

    private void range(long id, double entitiesPerSecond, long bytes) {
        loads.add(RangeLoad.newBuilder()
                .setRange(id)
                .setEntitiesPerSecond30S(entitiesPerSecond)
                .setBytes(bytes)
                .build());
    }

    private List<String> shown() {
        return Collections.list(registry.metricFamilySamples()).stream()
                .filter(family -> family.name.equals("cleave_server_range_entities_per_second"))
                .flatMap(family -> family.samples.stream())
                .map(sample -> sample.labelValues.get(0))
                .toList();
    }

    @Test
    void ofManyRangesTheTwentyBusiestAreShownAndAllAreSummed() {
        measure();
        for (int i = 1; i <= 1_000; i++) {
            range(i, i, 10);
        }

        assertThat(shown()).hasSize(20);
        assertThat(registry.getSampleValue("cleave_server_stored_bytes")).isEqualTo(10_000);
    }

    @Test
    void aRangeThatIsIdleAgainIsNotShownAnyMore() {
        measure();
        range(1, 5, 10);
        assertThat(shown()).hasSize(1);

        loads.clear();
        range(1, 0, 10);

        assertThat(shown()).isEmpty();
    }

    @Test
    void whoScrapesOftenDoesNotHaveTheStoresAskedOften() {
        measure();
        for (int i = 0; i < 100; i++) {
            assertThat(registry.getSampleValue("cleave_server_stores")).isEqualTo(1);
        }

        now += TimeUnit.SECONDS.toNanos(5);

        assertThat(registry.getSampleValue("cleave_server_stores")).isEqualTo(2);
    }
}
