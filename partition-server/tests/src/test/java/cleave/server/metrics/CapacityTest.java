package cleave.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.table.Registry;
import cleave.model.table.TableName;
import cleave.server.state.TableSize;
import io.prometheus.client.CollectorRegistry;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CapacityTest {
    private final CollectorRegistry registry = new CollectorRegistry();
    private final List<TableSize> sizes = new ArrayList<>();
    private final Map<Long, TableName> names = new HashMap<>();
    private long now;

    @BeforeEach
    void measure() {
        new Capacity(() -> now).<Capacity>register(registry).of(() -> List.copyOf(sizes), () -> Map.copyOf(names));
    }

    private void table(long id, String account, String name) {
        names.put(id, new TableName(account, name));
    }

    private void stored(long id, long bytes, long entities) {
        sizes.add(new TableSize(id, bytes, entities));
    }

    private @Nullable Double ofAccount(String what, String account) {
        return registry.getSampleValue(
                "cleave_server_account_stored_" + what, new String[] {"account"}, new String[] {account});
    }

    private @Nullable Double ofTable(String what, String account, String table) {
        return registry.getSampleValue(
                "cleave_server_table_stored_" + what, new String[] {"account", "table"}, new String[] {account, table});
    }

    private long series() {
        return Collections.list(registry.metricFamilySamples()).stream()
                .mapToLong(family -> family.samples.size())
                .sum();
    }

    @Test
    void theRangesOfATableAndTheTablesOfAnAccountAreSummedUp() {
        table(3, "a", "Red");
        table(4, "a", "Blue");
        table(5, "b", "Red");
        stored(3, 100, 1);
        stored(3, 200, 2);
        stored(4, 50, 5);
        stored(5, 7, 7);

        assertThat(ofTable("bytes", "a", "Red")).isEqualTo(300);
        assertThat(ofTable("entities", "a", "Red")).isEqualTo(3);
        assertThat(ofTable("bytes", "b", "Red")).isEqualTo(7);
        assertThat(ofAccount("bytes", "a")).isEqualTo(350);
        assertThat(ofAccount("entities", "a")).isEqualTo(8);
        assertThat(ofAccount("bytes", "_other")).isZero();
    }

    @Test
    void aTableWithoutANameCountsAmongTheOthers() {
        table(3, "a", "Red");
        stored(3, 100, 1);
        stored(9, 30, 3);
        stored(10, 4, 1);
        stored(TableSize.OTHERS, 1_000, 10);

        assertThat(ofTable("bytes", "_other", "_other")).isEqualTo(1_034);
        assertThat(ofAccount("bytes", "_other")).isEqualTo(1_034);
        assertThat(ofAccount("entities", "_other")).isEqualTo(14);
    }

    /** Two servers' largest are not the same; but what a server reports is the whole of what it stores. */
    @Test
    void theLargestAreNamedAndNothingIsLost() {
        for (int i = 1; i <= 200; i++) {
            table(i, "account%03d".formatted(i), "T");
            stored(i, i, 1);
        }

        assertThat(series()).isEqualTo(4 * (Capacity.NAMED_MAX + 1) + 1);
        assertThat(ofAccount("bytes", "account151")).isEqualTo(151);
        assertThat(ofAccount("bytes", "account150")).isNull();
        assertThat(ofAccount("bytes", "_other")).isEqualTo(150 * 151 / 2);
        assertThat(ofTable("bytes", "_other", "_other")).isEqualTo(150 * 151 / 2);
    }

    private void registered(String account, long tables) {
        sizes.add(new TableSize(Registry.TABLE, account, 90 * tables, tables));
    }

    private @Nullable Double tables(String account) {
        return registry.getSampleValue(
                "cleave_server_account_tables", new String[] {"account"}, new String[] {account});
    }

    /** Empty tables count, too: they store nothing, but are in the registry. */
    @Test
    void theTablesOfAnAccountAreThoseInAllPartsOfTheRegistry() {
        table(3, "a", "Red");
        stored(3, 100, 1);
        registered("a", 2);
        registered("a", 5);
        registered("b", 1);
        registered("", 4);

        assertThat(tables("a")).isEqualTo(7);
        assertThat(tables("b")).isEqualTo(1);
        assertThat(tables("_other")).isEqualTo(4);
        assertThat(ofAccount("bytes", "_other")).isEqualTo(90 * 12);
        assertThat(ofAccount("bytes", "a")).isEqualTo(100);
    }

    @Test
    void theAccountsWithMostTablesAreNamedAndNothingIsLost() {
        for (int i = 1; i <= 200; i++) {
            registered("account%03d".formatted(i), i);
        }

        assertThat(tables("account151")).isEqualTo(151);
        assertThat(tables("account150")).isNull();
        assertThat(tables("_other")).isEqualTo(150 * 151 / 2);
    }

    @Test
    void whatIsNotStoredHereAnyMoreDisappears() {
        table(3, "a", "Red");
        stored(3, 100, 1);
        assertThat(ofAccount("bytes", "a")).isEqualTo(100);

        sizes.clear();
        now += TimeUnit.SECONDS.toNanos(10);

        assertThat(ofAccount("bytes", "a")).isNull();
    }
}
