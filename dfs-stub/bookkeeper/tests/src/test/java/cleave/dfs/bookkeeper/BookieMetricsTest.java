package cleave.dfs.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.client.CollectorRegistry;
import java.util.concurrent.TimeUnit;
import org.apache.bookkeeper.stats.Gauge;
import org.apache.bookkeeper.stats.StatsLogger;
import org.apache.commons.configuration2.BaseConfiguration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BookieMetricsTest {
    private final BookieMetrics metrics = new BookieMetrics();

    @BeforeEach
    void start() {
        metrics.start(new BaseConfiguration());
    }

    @AfterEach
    void stop() {
        metrics.stop();
        assertThat(value("bookie_WRITE_BYTES")).isNull();
    }

    private static @Nullable Double value(String name, String... labels) {
        String[] names = new String[labels.length / 2];
        String[] values = new String[labels.length / 2];
        for (int i = 0; i < names.length; i++) {
            names[i] = labels[2 * i];
            values[i] = labels[2 * i + 1];
        }
        return CollectorRegistry.defaultRegistry.getSampleValue(name, names, values);
    }

    @Test
    void timesAreHistogramsInSeconds() {
        StatsLogger journal = metrics.getStatsLogger("bookie").scope("journal");
        assertThat(journal.getOpStatsLogger("JOURNAL_SYNC").toOpStatsData().getNumSuccessfulEvents())
                .isZero();
        assertThat(value("bookie_journal_JOURNAL_SYNC_seconds_count", "success", "true"))
                .isNull();
        journal.getOpStatsLogger("JOURNAL_SYNC").registerSuccessfulEvent(3, TimeUnit.MILLISECONDS);
        journal.getOpStatsLogger("JOURNAL_SYNC").registerSuccessfulEvent(20, TimeUnit.SECONDS);
        journal.getThreadScopedOpStatsLogger("JOURNAL_SYNC").registerFailedEvent(1, TimeUnit.SECONDS);

        String name = "bookie_journal_JOURNAL_SYNC_seconds";
        assertThat(value(name + "_bucket", "le", "0.001", "success", "true")).isZero();
        assertThat(value(name + "_bucket", "le", "0.005", "success", "true")).isEqualTo(1);
        assertThat(value(name + "_bucket", "le", "10.0", "success", "true")).isEqualTo(1);
        assertThat(value(name + "_bucket", "le", "+Inf", "success", "true")).isEqualTo(2);
        assertThat(value(name + "_sum", "success", "true")).isEqualTo(20.003);
        assertThat(value(name + "_count", "success", "false")).isEqualTo(1);
    }

    @Test
    void otherValuesAreSummaries() {
        metrics.getStatsLogger("").getOpStatsLogger("batch-size").registerSuccessfulValue(7);

        assertThat(value("batch_size_sum", "success", "true")).isEqualTo(7);
        assertThat(value("batch_size_count", "success", "true")).isEqualTo(1);
    }

    @Test
    void countersCountUpAndDownByTheirLabels() {
        StatsLogger bookie = metrics.getStatsLogger("bookie");
        bookie.getCounter("WRITE_BYTES").addCount(10);
        bookie.getCounter("WRITE_BYTES").dec();
        bookie.scopeLabel("dir", "0").getCounter("WRITE_BYTES").inc();

        assertThat(value("bookie_WRITE_BYTES")).isEqualTo(9);
        assertThat(value("bookie_WRITE_BYTES", "dir", "0")).isEqualTo(1);
    }

    @Test
    void aGaugeThatIsNoMoreIsGone() {
        StatsLogger bookie = metrics.getStatsLogger("bookie");
        Gauge<Integer> gauge = new Gauge<>() {
            @Override
            public Integer getDefaultValue() {
                return 0;
            }

            @Override
            public Integer getSample() {
                return 5;
            }
        };
        bookie.registerGauge("QUEUE", gauge);
        assertThat(value("bookie_QUEUE")).isEqualTo(5);

        bookie.unregisterGauge("QUEUE", gauge);
        assertThat(value("bookie_QUEUE")).isNull();
    }
}
