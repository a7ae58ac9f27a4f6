package cleave.deploy.monitoring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The metrics that docs/metrics.md lists, which are those of the processes, and those that Prometheus itself adds. Immutable.
 *
 * @param labels of each metric by its name, without those of its target
 */
record KnownMetrics(Map<String, Set<String>> labels) {
    private static final Path DOCUMENT = Path.of("..", "..", "docs", "metrics.md");
    private static final Pattern ROW = Pattern.compile(
            "\\| `([a-zA-Z_0-9]+)` \\| (counter|gauge|histogram|summary|untyped) \\| ([^|]+) \\| ([^|]+) \\|.*");
    private static final Pattern CODE = Pattern.compile("`([a-z_]+)`");
    private static final Pattern STRING = Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*\"");
    private static final Pattern DURATION = Pattern.compile("\\[[^\\]]*\\]|\\boffset \\d+[smhd]");
    /** A name with the matchers that follow it, or of a function. */
    private static final Pattern NAME = Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)\\s*(\\{[^}]*\\}|\\()?");

    private static final Pattern MATCHER = Pattern.compile("([a-z_]+)\\s*(?:=~|!~|!=|=)");
    private static final Pattern GROUPING =
            Pattern.compile("\\b(?:by|without|on|ignoring|group_left|group_right)\\s*\\(([^)]*)\\)");
    private static final Set<String> OF_TARGETS = Set.of("namespace", "component", "instance");
    private static final Set<String> OPERATORS = Set.of("and", "or", "unless");

    /** A row of the document. */
    record Documented(String name, String type, Set<String> labels, String unit) {
        /** True if the metric is Cleave's own, and not one of a library. */
        boolean isOwn() {
            return name.startsWith("cleave_");
        }

        /** The names of its samples, as expressions have them. */
        List<String> samples() {
            return switch (type) {
                case "histogram" -> List.of(name + "_bucket", name + "_sum", name + "_count");
                case "summary" -> List.of(name + "_sum", name + "_count");
                default -> List.of(name);
            };
        }
    }

    static List<Documented> documented() throws IOException {
        List<Documented> all = new ArrayList<>();
        for (String line : Files.readAllLines(DOCUMENT)) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                Set<String> its = new TreeSet<>();
                CODE.matcher(row.group(3)).results().forEach(label -> its.add(label.group(1)));
                all.add(new Documented(
                        row.group(1), row.group(2), its, row.group(4).strip()));
            }
        }
        return all;
    }

    static KnownMetrics load() throws IOException {
        Map<String, Set<String>> labels = new TreeMap<>();
        for (Documented metric : documented()) {
            for (String sample : metric.samples()) {
                Set<String> its = new TreeSet<>(metric.labels());
                if (sample.endsWith("_bucket")) {
                    its.add("le");
                }
                labels.put(sample, its);
            }
        }
        labels.put("up", Set.of());
        labels.put("ALERTS", Set.of("alertname", "alertstate"));
        // kube-state-metrics: Kubernetes' own objects.
        labels.put("kube_cronjob_status_last_successful_time", Set.of("cronjob"));
        labels.put("kube_cronjob_created", Set.of("cronjob"));
        return new KnownMetrics(labels);
    }

    /** These metrics, and one that rules record. */
    KnownMetrics with(String recorded) {
        Map<String, Set<String>> more = new TreeMap<>(labels);
        more.put(recorded, Set.of());
        return new KnownMetrics(more);
    }

    /** The names in an expression that do not exist. */
    List<String> unknown(String expression) {
        List<String> found = new ArrayList<>();
        Set<String> usable = new HashSet<>(OF_TARGETS);
        String names =
                DURATION.matcher(GROUPING.matcher(expression).replaceAll(" ")).replaceAll(" ");
        int metrics = 0;
        for (MatchResult each : NAME.matcher(names).results().toList()) {
            String name = each.group(1);
            String then = each.group(2);
            if (!OPERATORS.contains(name) && !"(".equals(then)) {
                metrics++;
                Set<String> its = labels.get(name);
                if (its == null) {
                    found.add("there is no metric " + name);
                } else {
                    usable.addAll(its);
                    matched(then)
                            .filter(label -> !its.contains(label) && !OF_TARGETS.contains(label))
                            .forEach(label -> found.add(name + " has no label " + label));
                }
            }
        }
        if (metrics == 0) {
            found.add("it asks for no metric");
        }
        grouped(expression)
                .filter(label -> !usable.contains(label))
                .forEach(label -> found.add("no metric of it has a label " + label));
        return found;
    }

    /** The names of metrics, and of functions, in an expression. */
    static Set<String> names(String expression) {
        return NAME.matcher(expression).results().map(each -> each.group(1)).collect(Collectors.toSet());
    }

    private static Stream<String> matched(@Nullable String matchers) {
        String text = STRING.matcher(matchers == null ? "" : matchers).replaceAll("");
        return MATCHER.matcher(text).results().map(each -> each.group(1));
    }

    private static Stream<String> grouped(String expression) {
        return GROUPING.matcher(expression)
                .results()
                .flatMap(each -> Stream.of(each.group(1).split(",")))
                .map(String::strip)
                .filter(label -> !label.isEmpty());
    }
}
