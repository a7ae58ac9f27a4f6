package cleave.chaos.load;

import cleave.chaos.client.Endpoint;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/**
 * The same loads on several endpoints, interleaved: in each round each kind of operation runs on each endpoint in turn,
 * so that other work on the machine affects all alike. Confined to its thread.
 */
final class Comparison {
    private final Map<String, Endpoint> endpoints;
    private final int rounds;
    private final int connections;
    private final Duration duration;
    private final Consumer<String> progress;
    private final Map<String, Map<LoadKind, List<Figures>>> measured = new LinkedHashMap<>();
    private int clients;

    /**
     * @param endpoints by name; ratios are to the first
     * @param duration of one run
     */
    Comparison(
            Map<String, Endpoint> endpoints,
            int rounds,
            int connections,
            Duration duration,
            Consumer<String> progress) {
        this.endpoints = new LinkedHashMap<>(endpoints);
        this.rounds = rounds;
        this.connections = connections;
        this.duration = duration;
        this.progress = progress;
    }

    void run(String table) throws IOException {
        for (Map.Entry<String, Endpoint> endpoint : endpoints.entrySet()) {
            progress.accept("loading the sample into " + endpoint.getKey());
            Sample.load(endpoint.getValue(), table);
            measured.put(endpoint.getKey(), new EnumMap<>(LoadKind.class));
        }
        for (int round = 0; round <= rounds; round++) {
            for (LoadKind kind : LoadKind.COMPARED) {
                measure(table, kind, round);
            }
        }
    }

    /** Round 0 warms up and does not count; the order of endpoints changes from round to round. */
    private void measure(String table, LoadKind kind, int round) {
        List<String> order = new ArrayList<>(endpoints.keySet());
        Collections.rotate(order, round);
        for (String name : order) {
            Endpoint endpoint = endpoints.get(name);
            if (endpoint == null) {
                throw new IllegalStateException("no endpoint " + name);
            }
            Figures figures = LoadRun.started(endpoint, table, kind, connections, duration, clients)
                    .end();
            clients += connections;
            progress.accept(String.format(
                    Locale.ROOT,
                    "%s, %s, %s: %.0f/s, median %.2f ms, p99 %.2f ms%s",
                    round == 0 ? "warm-up" : "round " + round + " of " + rounds,
                    kind.title(),
                    name,
                    figures.operationsPerSecond(),
                    figures.medianMillis(),
                    figures.p99Millis(),
                    figures.failures() == 0
                            ? ""
                            : ", FAILURES " + figures.failures() + ", such as " + figures.failure()));
            if (round > 0) {
                measured.computeIfAbsent(name, key -> new EnumMap<>(LoadKind.class))
                        .computeIfAbsent(kind, key -> new ArrayList<>())
                        .add(figures);
            }
        }
    }

    /** The median over the rounds. */
    double median(String endpoint, LoadKind kind, ToDoubleFunction<Figures> of) {
        List<Figures> runs = measured.getOrDefault(endpoint, Map.of()).getOrDefault(kind, List.of());
        double[] sorted = runs.stream().mapToDouble(of).sorted().toArray();
        return sorted.length == 0 ? Double.NaN : sorted[sorted.length / 2];
    }

    /** The table of ratios, in Markdown. */
    String table() {
        List<String> names = List.copyOf(endpoints.keySet());
        String first = names.get(0);
        StringBuilder table = new StringBuilder("| operation |");
        names.forEach(name -> table.append(' ').append(name).append(" ops/s (median, p99 ms) |"));
        names.subList(1, names.size())
                .forEach(name -> table.append(' ')
                        .append(name)
                        .append(" / ")
                        .append(first)
                        .append(" |"));
        table.append("\n|---|").append("---|".repeat(names.size() * 2 - 1)).append('\n');
        for (LoadKind kind : LoadKind.COMPARED) {
            table.append("| ").append(kind.title()).append(" |");
            for (String name : names) {
                table.append(cell(name, kind));
            }
            double base = median(first, kind, Figures::operationsPerSecond);
            for (String name : names.subList(1, names.size())) {
                double ratio = median(name, kind, Figures::operationsPerSecond) / base;
                table.append(String.format(Locale.ROOT, " %.2f |", ratio));
            }
            table.append('\n');
        }
        return table.toString();
    }

    private String cell(String name, LoadKind kind) {
        long failures = measured.getOrDefault(name, Map.of()).getOrDefault(kind, List.of()).stream()
                .mapToLong(Figures::failures)
                .sum();
        return String.format(
                Locale.ROOT,
                " %,.0f (%.2f, %.2f)%s |",
                median(name, kind, Figures::operationsPerSecond),
                median(name, kind, Figures::medianMillis),
                median(name, kind, Figures::p99Millis),
                failures == 0 ? "" : " " + failures + " failures");
    }
}
