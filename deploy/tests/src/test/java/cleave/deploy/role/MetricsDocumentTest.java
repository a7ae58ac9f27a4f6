package cleave.deploy.role;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.dfs.metrics.DfsMetrics;
import cleave.runtime.settings.Settings;
import io.prometheus.client.Collector;
import io.prometheus.client.Collector.MetricFamilySamples;
import io.prometheus.client.Collector.MetricFamilySamples.Sample;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compares docs/metrics.md with the metrics that the process of each role registers before it is started. So every metric is there from the
 * start. Dashboards and alerts are checked against the document.
 */
class MetricsDocumentTest {
    private static final Path DOCUMENT = Path.of("..", "..", "docs", "metrics.md");
    private static final Pattern ROW =
            Pattern.compile("\\| `([a-zA-Z_0-9]+)` \\| (\\w+) \\| ([^|]+) \\| [^|]+ \\| [^|]+ \\| [^|]+ \\|");
    private static final Pattern LABEL = Pattern.compile("`(\\w+)`");
    private static final String OF_ALL = "Every process";

    /** By section, the metrics of its table by name. */
    private static final Map<String, Map<String, Documented>> SECTIONS = new TreeMap<>();

    @TempDir
    Path folder;

    private record Documented(String type, Set<String> labels) {}

    @BeforeAll
    static void read() throws IOException {
        String section = "";
        for (String line : Files.readAllLines(DOCUMENT)) {
            if (line.startsWith("## ")) {
                section = line.substring(3);
            } else if (line.startsWith("| `")) {
                Matcher row = ROW.matcher(line);
                assertThat(row.matches()).as(line).isTrue();
                Set<String> labels = LABEL.matcher(row.group(3))
                        .results()
                        .map(label -> label.group(1))
                        .collect(Collectors.toCollection(TreeSet::new));
                Documented before = SECTIONS.computeIfAbsent(section, any -> new TreeMap<>())
                        .put(row.group(1), new Documented(row.group(2), labels));
                assertThat(before).as("twice: %s", line).isNull();
            }
        }
    }

    private static List<MetricFamilySamples> registered(
            Map<String, String> given, Function<Settings, Function<CollectorRegistry, RunningRole>> role) {
        CollectorRegistry registry = new CollectorRegistry();
        new RoleProcess(new ListenAddress("127.0.0.1", 0), registry, RoleProcess.Announcer.NONE);
        try (RunningRole made = role.apply(new Settings(given)).apply(registry)) {
            assertThat(made.name()).isNotEmpty();
            return Collections.list(registry.metricFamilySamples());
        }
    }

    private static void check(List<MetricFamilySamples> registered, String... sections) {
        Map<String, Documented> documented = new TreeMap<>();
        for (String section : sections) {
            documented.putAll(SECTIONS.getOrDefault(section, Map.of()));
        }
        Map<String, MetricFamilySamples> families = new TreeMap<>();
        registered.forEach(family -> families.put(name(family), family));
        Set<String> own = new TreeSet<>(families.keySet());
        own.removeIf(name -> !name.startsWith("cleave_") && !documented.containsKey(name));
        assertThat(own).as("metrics of %s", Arrays.asList(sections)).isEqualTo(new TreeSet<>(documented.keySet()));
        documented.forEach((name, as) -> {
            MetricFamilySamples family = Objects.requireNonNull(families.get(name), name);
            assertThat(family.type.name().toLowerCase(Locale.ROOT)).as(name).isEqualTo(as.type());
            assertThat(family.help).as(name).isNotEmpty();
            for (Sample sample : family.samples) {
                Set<String> labels = new TreeSet<>(sample.labelNames);
                labels.removeAll(Set.of("le", "quantile"));
                assertThat(labels).as(name).isEqualTo(as.labels());
            }
        });
    }

    private static String name(MetricFamilySamples family) {
        return family.name + (family.type == Collector.Type.COUNTER ? "_total" : "");
    }

    @Test
    void theMetricsOfAFrontEndAreDocumented() {
        Map<String, String> settings = Map.of("masters", "127.0.0.1:1", "front-end.development-account", "true");
        check(registered(settings, Roles::frontEnd), "Front end", OF_ALL);
    }

    @Test
    void theMetricsOfAServerAreDocumented() {
        Map<String, String> settings = Map.of(
                "server.id", "s1", "server.dir", folder.toString(), "masters", "127.0.0.1:1", "dfs", "dfs:127.0.0.1:1");
        check(registered(settings, Roles::server), "Partition server", "DFS client", OF_ALL);
    }

    @Test
    void theMetricsOfAMasterAreDocumented() {
        Map<String, String> settings = Map.of("master.dir", folder.toString(), "dfs", "dfs:127.0.0.1:1");
        check(registered(settings, Roles::master), "Partition master", "DFS client", OF_ALL);
    }

    @Test
    void theMetricsOfADfsNodeAreDocumented() {
        check(registered(Map.of("dfs-node.dir", folder.toString()), Roles::dfs), "DFS node", OF_ALL);
    }

    @Test
    void aProcessWithItsOwnDfsHasItsMetricsToo() {
        Map<String, String> settings = Map.of("master.dir", folder.toString(), "dfs", "file:" + folder.resolve("dfs"));
        check(registered(settings, Roles::master), "Partition master", "DFS client", "DFS node", OF_ALL);
    }

    /** Its module is not on the class path of this test. */
    @Test
    void theMetricsOfAClientOnBookKeeperAreDocumented() {
        CollectorRegistry registry = new CollectorRegistry();
        DfsMetrics.ofClient(registry).engine();

        check(Collections.list(registry.metricFamilySamples()), "DFS client", "DFS client on BookKeeper");
    }
}
