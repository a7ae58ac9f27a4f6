package cleave.server.metrics;

import cleave.model.table.Registry;
import cleave.model.table.TableName;
import cleave.server.state.TableSize;
import io.prometheus.client.Collector;
import io.prometheus.client.GaugeMetricFamily;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The data of accounts and tables on this server, and how many tables the accounts have: the largest by name, all others together.
 * Thread-safe.
 *
 * <p>It runs on the scrape's thread. The sizes were measured before, and are summed up at most once in some seconds.
 */
final class Capacity extends Collector implements Collector.Describable {
    /** Stands for all names that are not shown. It is the name of no account and no table. */
    static final String OTHERS = "_other";

    static final int NAMED_MAX = 50;
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final LongSupplier clock;
    private volatile Supplier<List<TableSize>> sizes = List::of;
    private volatile Supplier<Map<Long, TableName>> names = Map::of;
    private List<MetricFamilySamples> seen = families(List.of(), List.of(), List.of());
    private long seenNanos;
    private boolean hasSeen;

    /** The data under some labels. */
    private record Stored(List<String> labels, long bytes, long entities) {
        private static final Comparator<Stored> BY_NAME =
                Comparator.comparing(stored -> String.join("/", stored.labels));
        private static final Comparator<Stored> MOST_BYTES_FIRST =
                Comparator.comparingLong(Stored::bytes).reversed().thenComparing(BY_NAME);
        private static final Comparator<Stored> MOST_ENTITIES_FIRST =
                Comparator.comparingLong(Stored::entities).reversed().thenComparing(BY_NAME);

        Stored plus(Stored more) {
            return new Stored(labels, bytes + more.bytes, entities + more.entities);
        }
    }

    Capacity(LongSupplier clock) {
        this.clock = clock;
    }

    /** Asks these from now on: the sizes, perhaps several of a table, and the names as far as they are known. */
    void of(Supplier<List<TableSize>> sizesNow, Supplier<Map<Long, TableName>> namesNow) {
        sizes = sizesNow;
        names = namesNow;
    }

    @Override
    public synchronized List<MetricFamilySamples> collect() {
        long now = clock.getAsLong();
        if (!hasSeen || now - seenNanos >= FRESH_NANOS) {
            List<TableSize> found = sizes.get();
            Map<Long, TableName> known = names.get();
            seen = families(byAccount(found, known), byTable(found, known), registered(found));
            seenNanos = now;
            hasSeen = !found.isEmpty();
        }
        return seen;
    }

    @Override
    public List<MetricFamilySamples> describe() {
        return families(List.of(), List.of(), List.of());
    }

    private static List<Stored> byAccount(List<TableSize> sizes, Map<Long, TableName> names) {
        Stored others = new Stored(List.of(OTHERS), 0, 0);
        Map<String, Stored> sums = new HashMap<>();
        for (TableSize size : sizes) {
            TableName name = names.get(size.table());
            Stored stored = stored(name == null ? others.labels : List.of(name.account()), size);
            sums.merge(stored.labels.get(0), stored, Stored::plus);
        }
        return largest(new ArrayList<>(sums.values()), others, Stored.MOST_BYTES_FIRST);
    }

    private static List<Stored> byTable(List<TableSize> sizes, Map<Long, TableName> names) {
        Stored others = new Stored(List.of(OTHERS, OTHERS), 0, 0);
        Map<Long, Stored> sums = new HashMap<>();
        for (TableSize size : sizes) {
            TableName name = names.get(size.table());
            List<String> labels = name == null ? others.labels : List.of(name.account(), name.table());
            sums.merge(name == null ? TableSize.OTHERS : size.table(), stored(labels, size), Stored::plus);
        }
        return largest(new ArrayList<>(sums.values()), others, Stored.MOST_BYTES_FIRST);
    }

    /** The accounts' data in the registry: each entity there is a table. */
    private static List<Stored> registered(List<TableSize> sizes) {
        Stored others = new Stored(List.of(OTHERS), 0, 0);
        Map<String, Stored> sums = new HashMap<>();
        for (TableSize size : sizes) {
            if (size.table() == Registry.TABLE) {
                Stored stored = stored(size.account().isEmpty() ? others.labels : List.of(size.account()), size);
                sums.merge(stored.labels.get(0), stored, Stored::plus);
            }
        }
        return largest(new ArrayList<>(sums.values()), others, Stored.MOST_ENTITIES_FIRST);
    }

    private static Stored stored(List<String> labels, TableSize size) {
        return new Stored(labels, size.bytes(), size.entities());
    }

    /** The largest, which are shown by name, and the sum of all others, which begins with {@code none}. */
    private static List<Stored> largest(List<Stored> all, Stored none, Comparator<Stored> order) {
        all.sort(order);
        List<Stored> shown = new ArrayList<>();
        Stored others = none;
        for (Stored each : all) {
            if (shown.size() < NAMED_MAX && !each.labels.equals(none.labels)) {
                shown.add(each);
            } else {
                others = others.plus(each);
            }
        }
        shown.add(others);
        return shown;
    }

    private static List<MetricFamilySamples> families(
            List<Stored> accounts, List<Stored> tables, List<Stored> registered) {
        List<MetricFamilySamples> families = new ArrayList<>(ofEach("account", List.of("account"), accounts));
        families.addAll(ofEach("table", List.of("account", "table"), tables));
        GaugeMetricFamily counts = new GaugeMetricFamily(
                "cleave_server_account_tables",
                "Tables in the part of the registry that is served here, by account.",
                List.of("account"));
        registered.forEach(each -> counts.addMetric(each.labels, (double) each.entities));
        families.add(counts);
        return families;
    }

    private static List<MetricFamilySamples> ofEach(String what, List<String> labelNames, List<Stored> all) {
        GaugeMetricFamily bytes = new GaugeMetricFamily(
                "cleave_server_" + what + "_stored_bytes",
                "Bytes that the ranges served here store, by " + what + ".",
                labelNames);
        GaugeMetricFamily entities = new GaugeMetricFamily(
                "cleave_server_" + what + "_stored_entities",
                "Estimate of the entities that the ranges served here store, by " + what + ".",
                labelNames);
        for (Stored each : all) {
            bytes.addMetric(each.labels, (double) each.bytes);
            entities.addMetric(each.labels, (double) each.entities);
        }
        return List.of(bytes, entities);
    }
}
