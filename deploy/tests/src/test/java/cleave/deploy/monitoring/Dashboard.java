package cleave.deploy.monitoring;

import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Makes Grafana's form of dashboard.yaml. Confined to one thread. */
final class Dashboard {
    static final int COLUMNS = 24;
    private static final Pattern CLUSTER = Pattern.compile("\\{cluster\\b");
    private static final Pattern CHOSEN = Pattern.compile("\\{chosen\\b");
    private static final String OF_CLUSTER = "{namespace=\"$namespace\"";
    private static final String OF_CHOSEN = OF_CLUSTER + ", instance=~\"$instance\"";
    private static final Map<String, Object> PROMETHEUS = object("type", "prometheus", "uid", "${datasource}");
    private static final int WIDTH = 6;
    private static final int HEIGHT = 8;
    private static final int HEIGHT_OF_NUMBER = 4;

    private final KubernetesSerialization yaml = new KubernetesSerialization();
    private int lastId;
    private int top;

    private Dashboard() {}

    /** The text of dashboard.json: a line for each variable, annotation and row, and for each panel of the open row. */
    static String json(Path source) throws IOException {
        return new Dashboard().text(Files.readString(source));
    }

    private String text(String source) {
        Map<?, ?> all = yaml.unmarshal(source, Map.class);
        List<Object> panels = new ArrayList<>();
        for (Object row : (List<?>) Objects.requireNonNull(all.get("rows"))) {
            addRow(panels, (Map<?, ?>) row);
        }
        String head = yaml.asJson(object(
                "uid",
                "cleave-overview",
                "title",
                "Cleave",
                "description",
                "A Cleave cluster. docs/metrics.md explains each metric, docs/operations.md each alert.",
                "tags",
                List.of("cleave"),
                "schemaVersion",
                39,
                "editable",
                true,
                "timezone",
                "browser",
                "refresh",
                "30s",
                "time",
                object("from", "now-3h", "to", "now"),
                "graphTooltip",
                1));
        return head.substring(0, head.length() - 1)
                + ",\n\"templating\": {\"list\": [" + lines(variables())
                + "]},\n\"annotations\": {\"list\": [" + lines(annotations((Map<?, ?>) all.get("annotations")))
                + "]},\n\"panels\": [" + lines(panels) + "]}\n";
    }

    private String lines(List<Object> objects) {
        return objects.stream().map(yaml::asJson).collect(Collectors.joining(",\n", "\n", "\n"));
    }

    /** An object of the names and values that follow each other. */
    private static Map<String, Object> object(Object... fields) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (int i = 0; i < fields.length; i += 2) {
            object.put((String) fields[i], fields[i + 1]);
        }
        return object;
    }

    private static List<Object> variables() {
        Map<String, Object> source = object("name", "datasource", "label", "Prometheus", "type", "datasource");
        source.put("query", "prometheus");
        return List.of(
                source,
                variable("namespace", "Cluster", "label_values(cleave_master_ranges, namespace)", false),
                variable(
                        "engine",
                        "Files on",
                        "label_values(up{namespace=\"$namespace\", component=~\"dfs|bookie\"}, component)",
                        false),
                variable("instance", "Instance", "label_values(up{namespace=\"$namespace\"}, instance)", true));
    }

    private static Map<String, Object> variable(String name, String label, String query, boolean isMany) {
        return object(
                "name",
                name,
                "label",
                label,
                "type",
                "query",
                "datasource",
                PROMETHEUS,
                "query",
                object("query", query, "refId", name),
                "refresh",
                2,
                "sort",
                1,
                "includeAll",
                isMany,
                "multi",
                isMany,
                "allValue",
                isMany ? ".*" : "",
                "current",
                isMany ? object("text", "All", "value", "$__all") : Map.of());
    }

    private static List<Object> annotations(@Nullable Map<?, ?> all) {
        List<Object> list = new ArrayList<>();
        Objects.requireNonNull(all)
                .forEach((name, expression) -> list.add(object(
                        "name",
                        name,
                        "datasource",
                        PROMETHEUS,
                        "enable",
                        true,
                        "iconColor",
                        "blue",
                        "expr",
                        expression((String) expression),
                        "step",
                        "60s",
                        "titleFormat",
                        name)));
        return list;
    }

    private static String expression(String source) {
        String chosen = CHOSEN.matcher(source).replaceAll(Matcher.quoteReplacement(OF_CHOSEN));
        return CLUSTER.matcher(chosen)
                .replaceAll(Matcher.quoteReplacement(OF_CLUSTER))
                .replace("[rate]", "[$__rate_interval]");
    }

    /** The first row is open, and its panels follow it; the others are closed, and hold theirs. */
    private void addRow(List<Object> all, Map<?, ?> row) {
        boolean isOpen = all.isEmpty();
        Map<String, Object> made = object("id", ++lastId, "type", "row", "title", row.get("row"));
        made.put("collapsed", !isOpen);
        made.put("gridPos", object("h", 1, "w", COLUMNS, "x", 0, "y", top));
        top++;
        all.add(made);
        List<Object> panels = new ArrayList<>();
        int left = 0;
        int height = 0;
        for (Object each : (List<?>) Objects.requireNonNull(row.get("panels"))) {
            Map<?, ?> panel = (Map<?, ?>) each;
            boolean isNumber = "stat".equals(panel.get("type"));
            int width = panel.get("width") instanceof Integer given ? given : WIDTH;
            if (left + width > COLUMNS) {
                top += height;
                left = 0;
            }
            height = isNumber ? HEIGHT_OF_NUMBER : HEIGHT;
            panels.add(panel(panel, isNumber, object("h", height, "w", width, "x", left, "y", top)));
            left += width;
        }
        top += height;
        if (isOpen) {
            made.put("panels", List.of());
            all.addAll(panels);
        } else {
            made.put("panels", panels);
        }
    }

    private Map<String, Object> panel(Map<?, ?> source, boolean isNumber, Map<String, Object> place) {
        List<Object> targets = new ArrayList<>();
        ((Map<?, ?>) Objects.requireNonNull(source.get("lines")))
                .forEach((legend, expression) -> targets.add(object(
                        "refId",
                        String.valueOf((char) ('A' + targets.size())),
                        "datasource",
                        PROMETHEUS,
                        "expr",
                        expression((String) expression),
                        "legendFormat",
                        legend)));
        Map<String, Object> defaults = object("unit", source.get("unit") == null ? "none" : source.get("unit"));
        if (isNumber) {
            defaults.put("noValue", "0");
            defaults.put("color", object("mode", "thresholds"));
            defaults.put("thresholds", object("mode", "absolute", "steps", steps((List<?>) source.get("steps"))));
        } else {
            if (source.get("signed") == null) {
                defaults.put("min", 0);
            }
            defaults.put("custom", object("fillOpacity", 10, "showPoints", "never"));
        }
        return object(
                "id",
                ++lastId,
                "type",
                isNumber ? "stat" : "timeseries",
                "title",
                source.get("title"),
                "description",
                source.get("says"),
                "datasource",
                PROMETHEUS,
                "gridPos",
                place,
                "fieldConfig",
                object("defaults", defaults, "overrides", List.of()),
                "options",
                isNumber
                        ? object("reduceOptions", object("calcs", List.of("lastNotNull")))
                        : object("tooltip", object("mode", "multi", "sort", "desc")),
                "targets",
                targets);
    }

    /** A color, and each with the bound from which it begins. */
    private static List<Object> steps(@Nullable List<?> source) {
        List<Object> steps = new ArrayList<>();
        for (Object step : Objects.requireNonNull(source)) {
            String[] words = String.valueOf(step).split(" ");
            Map<String, Object> made = object("color", words[words.length - 1]);
            made.put("value", words.length == 1 ? null : Double.valueOf(words[0]));
            steps.add(made);
        }
        return steps;
    }
}
