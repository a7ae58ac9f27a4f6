package cleave.frontend.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.client.Collector.MetricFamilySamples;
import io.prometheus.client.Collector.MetricFamilySamples.Sample;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TrafficTest {
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    private long now;
    private final Traffic traffic = new Traffic("t", () -> now);

    /** The samples of a metric by the last of their labels. */
    private Map<String, Double> collected(String metric) {
        Map<String, Double> values = new TreeMap<>();
        for (MetricFamilySamples family : traffic.collect()) {
            if (family.name.equals(metric)) {
                for (Sample sample : family.samples) {
                    values.put(sample.labelValues.get(sample.labelValues.size() - 1), sample.value);
                }
            }
        }
        return values;
    }

    private void requests(String table, int count) {
        for (int i = 0; i < count; i++) {
            traffic.count("a", table, 1, 10, 100);
        }
    }

    private void minutes(int count) {
        for (int i = 0; i < count; i++) {
            now += MINUTE;
            traffic.collect();
        }
    }

    @Test
    void aRequestCountsForItsAccountAndItsTable() {
        traffic.count("a", "Orders", 3, 10, 100);
        traffic.count("a", 0, 1, 2);

        assertThat(collected("t_account_requests")).containsEntry("a", 2.0).containsEntry("_other", 0.0);
        assertThat(collected("t_account_entities")).containsEntry("a", 3.0);
        assertThat(collected("t_account_ingress_bytes")).containsEntry("a", 11.0);
        assertThat(collected("t_account_egress_bytes")).containsEntry("a", 102.0);
        assertThat(collected("t_table_requests")).containsOnly(Map.entry("Orders", 1.0), Map.entry("_other", 0.0));
        assertThat(collected("t_table_entities")).containsEntry("Orders", 3.0);
        assertThat(collected("t_table_ingress_bytes")).containsEntry("Orders", 10.0);
        assertThat(collected("t_table_egress_bytes")).containsEntry("Orders", 100.0);
    }

    @Test
    void tablesOfTheSameNameOfTwoAccountsAreTwo() {
        traffic.count("a", "Orders", 1, 0, 0);
        traffic.count("b", "Orders", 1, 0, 0);

        MetricFamilySamples tables = traffic.collect().stream()
                .filter(family -> family.name.equals("t_table_requests"))
                .findFirst()
                .orElseThrow();
        assertThat(tables.samples).hasSize(3);
    }

    @Test
    void tenThousandTablesMakeFiftySeriesAndOneForTheRest() {
        for (int i = 0; i < 10_000; i++) {
            traffic.count("a", "Table" + i, 1, 0, 0);
        }

        Map<String, Double> before = collected("t_table_requests");
        assertThat(before).hasSize(51).containsEntry("_other", 9_950.0);
        minutes(1);
        assertThat(collected("t_table_requests")).hasSize(51);
        assertThat(collected("t_account_requests")).containsEntry("a", 10_000.0);
    }

    @Test
    void tenThousandAccountsAreBoundedToo() {
        for (int i = 0; i < 10_000; i++) {
            traffic.count("account" + i, "Orders", 1, 0, 0);
        }

        assertThat(collected("t_account_requests")).hasSize(51).containsEntry("_other", 9_950.0);
        assertThat(collected("t_table_requests")).containsEntry("_other", 9_950.0);
    }

    @Test
    void aTableThatGrowsBusyTakesThePlaceOfAnIdlerOneAndBeginsAtZero() {
        for (int i = 0; i < 50; i++) {
            requests("Table" + i, i + 2);
        }
        requests("Late", 1_000);
        assertThat(collected("t_table_requests")).doesNotContainKey("Late").containsEntry("_other", 1_000.0);

        minutes(1);

        Map<String, Double> ranked = collected("t_table_requests");
        assertThat(ranked).hasSize(51).containsEntry("Late", 0.0).doesNotContainKey("Table0");
        requests("Late", 1);
        requests("Table0", 1);
        assertThat(collected("t_table_requests")).containsEntry("Late", 1.0).containsEntry("_other", 1_001.0);
    }

    @Test
    void tablesOfLikeTrafficDoNotTakeTurns() {
        for (int i = 0; i < 60; i++) {
            requests("Table" + i, 10);
        }
        Map<String, Double> before = collected("t_table_requests");

        for (int i = 0; i < 60; i++) {
            requests("Table" + i, 10 + i / 10);
        }
        minutes(1);

        assertThat(collected("t_table_requests").keySet()).isEqualTo(before.keySet());
    }

    @Test
    void whoScrapesOftenDoesNotChangeTheRanking() {
        for (int i = 0; i < 50; i++) {
            requests("Table" + i, 2);
        }
        requests("Late", 1_000);

        for (int i = 0; i < 1_000; i++) {
            traffic.collect();
        }

        assertThat(collected("t_table_requests")).doesNotContainKey("Late");
    }

    @Test
    void whatHasNoTrafficAnyMoreIsForgotten() {
        requests("Orders", 1_000_000);

        minutes(60);

        assertThat(collected("t_table_requests")).containsOnlyKeys("_other");
        assertThat(collected("t_account_requests")).containsOnlyKeys("_other");
        requests("Orders", 1);
        assertThat(collected("t_table_requests")).containsEntry("Orders", 1.0);
    }

    @Test
    void placesOfForgottenNamesAreFreeAgain() {
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 2_500; i++) {
                traffic.count("a", "Table" + round + "x" + i, 1, 0, 0);
            }
            minutes(60);
        }
        requests("Orders", 1);

        assertThat(collected("t_table_requests")).containsEntry("Orders", 1.0);
    }
}
