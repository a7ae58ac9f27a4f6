package cleave.chaos.monitoring;

import cleave.chaos.process.Dependents;
import cleave.deploy.cluster.Ports;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A Prometheus of this machine that scrapes processes once a second, and labels them as deploy/kubernetes/components/monitoring/pod-monitor.yaml
 * does. Confined to its owner.
 */
final class Prometheus implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Path folder;
    private final Ports ports = new Ports();
    private final int port = ports.free();
    private final HttpClient http = HttpClient.newHttpClient();
    private final KubernetesSerialization json = new KubernetesSerialization();
    private final Process process;

    /** What is scraped at an admin port, with its labels. */
    record Scraped(String namespace, String component, String instance, int port) {
        String yaml() {
            return "      - targets: ['127.0.0.1:" + port + "']\n        labels: {namespace: " + namespace
                    + ", component: " + component + ", instance: " + instance + "}\n";
        }
    }

    /** What a rule asks, and what became of it. */
    record Rule(String name, String expression, String health, String error) {}

    private Prometheus(Path folder, Path rules, List<Scraped> scraped) throws IOException {
        this.folder = folder;
        StringBuilder text =
                new StringBuilder("global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 5s}\n");
        text.append("rule_files: ['").append(rules.toRealPath()).append("']\n");
        text.append("scrape_configs:\n  - job_name: cleave\n    static_configs:\n");
        scraped.forEach(each -> text.append(each.yaml()));
        Path config = Files.writeString(folder.resolve("prometheus.yml"), text);
        process = new ProcessBuilder(
                        "prometheus",
                        "--config.file=" + config,
                        "--storage.tsdb.path=" + folder.resolve("prometheus-data"),
                        "--web.listen-address=127.0.0.1:" + port)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("prometheus.log").toFile())
                .start();
        Dependents.add(process.toHandle());
    }

    static boolean isAtHand() {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(path -> Files.isExecutable(Path.of(path, "prometheus")));
    }

    static Prometheus started(Path folder, Path rules, List<Scraped> scraped) {
        try {
            return new Prometheus(folder, rules, scraped);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** The labels of each series that an expression gives now; IllegalArgumentException if Prometheus refuses the expression. */
    List<Map<?, ?>> series(String expression) {
        Map<?, ?> answer = asked("/query?query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8));
        if (!"success".equals(answer.get("status"))) {
            throw new IllegalArgumentException(expression + ": " + answer.get("error"));
        }
        List<Map<?, ?>> all = new ArrayList<>();
        for (Object series : list(map(answer.get("data")).get("result"))) {
            all.add(map(map(series).get("metric")));
        }
        return all;
    }

    /** Each rule of the file; its health is {@code unknown} until it was evaluated, then {@code ok} or {@code err}. */
    List<Rule> rules() {
        List<Rule> all = new ArrayList<>();
        for (Object group : list(map(asked("/rules").get("data")).get("groups"))) {
            for (Object rule : list(map(group).get("rules"))) {
                all.add(new Rule(
                        text(rule, "name"), text(rule, "query"), text(rule, "health"), text(rule, "lastError")));
            }
        }
        return all;
    }

    private Map<?, ?> asked(String path) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/api/v1" + path))
                .timeout(PATIENCE)
                .build();
        try {
            HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
            return json.unmarshal(answer.body(), Map.class);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    static Map<?, ?> map(@Nullable Object value) {
        return (Map<?, ?>) Objects.requireNonNull(value);
    }

    static List<?> list(@Nullable Object value) {
        return value instanceof List<?> list ? list : List.of();
    }

    static String text(@Nullable Object of, String key) {
        Object value = map(of).get(key);
        return value == null ? "" : value.toString();
    }

    /** Where its configuration, its data and its log are. */
    Path folder() {
        return folder;
    }

    @Override
    public void close() {
        process.destroy();
        process.onExit().join();
        ports.close();
    }
}
