package cleave.chaos.load;

import cleave.chaos.client.Endpoint;
import cleave.chaos.client.Requests;
import cleave.chaos.load.report.Observer;
import cleave.chaos.load.run.Filling;
import cleave.chaos.load.run.LoadPlan;
import cleave.chaos.load.run.LoadRun;
import cleave.chaos.load.workload.Workload;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * The same loads on several endpoints, interleaved: in each round each kind of operation runs on each endpoint in turn,
 * so that other work on the machine affects all alike. Confined to its thread.
 */
final class Comparison {
    /** All work on the same entities. */
    private static final List<Workload> COMPARED = Stream.of("get", "insert", "merge", "query", "transaction")
            .map(Workloads::builtIn)
            .toList();

    private final Map<String, Endpoint> endpoints;
    private final int rounds;
    private final int connections;
    private final Duration duration;
    private final Consumer<String> progress;
    private final Map<String, Map<String, List<Figures>>> measured = new LinkedHashMap<>();
    private long runs;

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
            Filling.fill(new Requests(endpoint.getValue()), table, COMPARED.get(0), null);
            measured.put(endpoint.getKey(), new LinkedHashMap<>());
        }
        for (int round = 0; round <= rounds; round++) {
            for (Workload workload : COMPARED) {
                measure(table, workload, round);
            }
        }
    }

    private static Figures run(LoadPlan plan) throws IOException {
        try (Observer quiet = new Observer(null, line -> {})) {
            return Figures.of(quiet.watch(LoadRun.started(plan, null), plan, 1));
        }
    }

    /** Round 0 warms up and does not count; the order of endpoints changes from round to round. */
    private void measure(String table, Workload workload, int round) throws IOException {
        List<String> order = new ArrayList<>(endpoints.keySet());
        Collections.rotate(order, round);
        for (String name : order) {
            Endpoint endpoint = endpoints.get(name);
            if (endpoint == null) {
                throw new IllegalStateException("no endpoint " + name);
            }
            LoadPlan plan = LoadPlan.closed(
                    new Requests(endpoint), table, workload, connections, duration.toMillis() / 1e3, ++runs);
            Figures figures = run(plan);
            progress.accept(String.format(
                    Locale.ROOT,
                    "%s, %s, %s: %.0f/s, median %.2f ms, p99 %.2f ms%s",
                    round == 0 ? "warm-up" : "round " + round + " of " + rounds,
                    workload.name(),
                    name,
                    figures.operationsPerSecond(),
                    figures.medianMillis(),
                    figures.p99Millis(),
                    figures.failures() == 0
                            ? ""
                            : ", FAILURES " + figures.failures() + ", such as " + figures.failure()));
            if (round > 0) {
                measured.computeIfAbsent(name, key -> new LinkedHashMap<>())
                        .computeIfAbsent(workload.name(), key -> new ArrayList<>())
                        .add(figures);
            }
        }
    }

    /** The median over the rounds. */
    double median(String endpoint, String workload, ToDoubleFunction<Figures> of) {
        List<Figures> runs = measured.getOrDefault(endpoint, Map.of()).getOrDefault(workload, List.of());
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
        for (Workload workload : COMPARED) {
            table.append("| ").append(workload.name()).append(" |");
            for (String name : names) {
                table.append(cell(name, workload));
            }
            double base = median(first, workload.name(), Figures::operationsPerSecond);
            for (String name : names.subList(1, names.size())) {
                double ratio = median(name, workload.name(), Figures::operationsPerSecond) / base;
                table.append(String.format(Locale.ROOT, " %.2f |", ratio));
            }
            table.append('\n');
        }
        return table.toString();
    }

    private String cell(String name, Workload workload) {
        long failures = measured.getOrDefault(name, Map.of()).getOrDefault(workload.name(), List.of()).stream()
                .mapToLong(Figures::failures)
                .sum();
        return String.format(
                Locale.ROOT,
                " %,.0f (%.2f, %.2f)%s |",
                median(name, workload.name(), Figures::operationsPerSecond),
                median(name, workload.name(), Figures::medianMillis),
                median(name, workload.name(), Figures::p99Millis),
                failures == 0 ? "" : " " + failures + " failures");
    }
}
