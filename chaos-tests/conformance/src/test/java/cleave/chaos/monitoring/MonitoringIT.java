package cleave.chaos.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import cleave.chaos.monitoring.Prometheus.Rule;
import cleave.chaos.monitoring.Prometheus.Scraped;
import cleave.chaos.process.AdminPort;
import cleave.chaos.process.BookKeeper;
import cleave.chaos.process.ChildProcess;
import cleave.chaos.process.ClassArchive;
import cleave.chaos.process.Cluster;
import cleave.chaos.process.ClusterPlan;
import cleave.chaos.process.Patience;
import cleave.chaos.system.Folders;
import cleave.client.Endpoint;
import cleave.client.Repeat;
import cleave.client.Requests;
import cleave.client.RetryPolicy;
import cleave.client.RetryingClient;
import cleave.deploy.Cleave;
import cleave.deploy.cluster.DfsKind;
import cleave.deploy.cluster.DfsPlan;
import cleave.deploy.cluster.Ports;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Prometheus evaluates every expression of the dashboard and of the alerts on a cluster that works, of each engine: none is refused, and none is
 * empty but those that {@code may-be-empty.txt} says why of. Skipped where there is no Prometheus.
 */
@Tag("nightly")
@Timeout(1200)
class MonitoringIT {
    private static final Path MONITORING = Path.of("..", "..", "deploy", "kubernetes", "components", "monitoring");
    private static final Path MAY_BE_EMPTY = Path.of("src", "test", "resources", "monitoring", "may-be-empty.txt");
    private static final Patience PATIENCE = Patience.ofSeconds(300);
    private static final Duration REQUEST = Duration.ofSeconds(30);
    private static final String TABLE = "monitored";
    /** A whole line: the engine or {@code any}, what selects no series, and why. */
    private static final Pattern LINE = Pattern.compile("(any|dfs|bookie) (\\S+): (.{10,}\\.)");

    private static final Pattern LABEL_VALUES = Pattern.compile("label_values\\((.*), ([a-z]+)\\)");

    private final Path folder = Folders.fresh("monitoring");
    private final Ports ports = new Ports();
    private volatile boolean isOver;

    /** What the files of a cluster are on, by the dashboard's name of it. */
    private enum EngineKind {
        DFS,
        BOOKIE;

        DfsPlan plan() {
            return this == DFS ? DfsPlan.STUB : new DfsPlan(DfsKind.BOOKKEEPER, null, null);
        }

        String component() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @ParameterizedTest
    @EnumSource
    void noExpressionIsRefusedOrEmpty(EngineKind engine) throws Exception {
        assumeThat(Prometheus.isAtHand())
                .as("there is no prometheus on the PATH (Debian: apt-get install prometheus): the dashboard is not"
                        + " evaluated")
                .isTrue();
        ClusterPlan plan = ClusterPlan.in(folder.resolve("cluster"))
                .masters(3)
                .servers(3)
                .frontEnds(2)
                .dfs(engine.plan())
                .set("server.checkpoint-log-bytes", "64KiB");
        List<ChildProcess> ofEngine = new ArrayList<>();
        try (Cluster cluster = Cluster.started(plan, PATIENCE)) {
            cluster.bookKeeper().ifPresent(bookKeeper -> ofEngine.addAll(engine(bookKeeper)));
            try (Prometheus prometheus =
                    Prometheus.started(folder, MONITORING.resolve("alerts.yaml"), scraped(cluster, ofEngine))) {
                evaluate(engine, cluster, prometheus);
            }
        } finally {
            ofEngine.forEach(ChildProcess::endQuietly);
            ports.close();
        }
    }

    private void evaluate(EngineKind engine, Cluster cluster, Prometheus prometheus) throws Exception {
        Thread load = new Thread(() -> load(cluster.endpoints()), "load");
        load.start();
        try {
            PATIENCE.until("entities are written", () -> written(cluster));
            cluster.split(Endpoint.DEVELOPMENT_ACCOUNT, TABLE, List.of("p3", "p6"));
            cluster.servers().get(2).kill();
            cluster.awaitServed(PATIENCE);
            cluster.servers().get(2).start();
            PATIENCE.until(
                    "each rule is evaluated",
                    () -> prometheus.rules().stream()
                            .noneMatch(rule -> rule.health().equals("unknown")));
            List<Expression> expressions = expressions(prometheus, engine);
            List<Pattern> mayBeEmpty = mayBeEmpty(engine);
            try {
                PATIENCE.until(
                        "there is data for all",
                        () -> problems(prometheus, expressions, mayBeEmpty).isEmpty());
            } catch (IllegalStateException tooLong) {
                assertThat(problems(prometheus, expressions, mayBeEmpty)).isEmpty();
            }
            assertThat(prometheus.rules()).allMatch(rule -> rule.health().equals("ok"));
        } finally {
            isOver = true;
            load.join();
        }
    }

    private static boolean written(Cluster cluster) throws IOException {
        return cluster.frontEnds().get(0).admin().metrics().sum("cleave_front_end_requests_total") > 100;
    }

    /** What is empty, each with the expressions in which it is. */
    private static List<String> problems(
            Prometheus prometheus, List<Expression> expressions, List<Pattern> mayBeEmpty) {
        Map<String, List<String>> problems = new TreeMap<>();
        for (Expression expression : expressions) {
            boolean isExcused = false;
            for (String selector : expression.selectors()) {
                String plain = selector.replaceAll("namespace=\"[a-z]+\",? ?|instance=~\"\\.\\*\",? ?", "")
                        .replace(", }", "}")
                        .replace("{}", "");
                boolean isListed =
                        mayBeEmpty.stream().anyMatch(each -> each.matcher(plain).matches());
                isExcused |= isListed;
                if (!isListed && prometheus.series(selector).isEmpty()) {
                    problems.computeIfAbsent("nothing is " + plain, any -> new ArrayList<>())
                            .add(expression.place());
                }
            }
            if (!isExcused && prometheus.series(expression.loosened()).isEmpty()) {
                problems.computeIfAbsent("empty: " + expression.loosened(), any -> new ArrayList<>())
                        .add(expression.place());
            } else {
                prometheus.series(expression.text());
            }
        }
        return problems.entrySet().stream().map(Object::toString).toList();
    }

    private static List<Pattern> mayBeEmpty(EngineKind engine) throws IOException {
        List<Pattern> all = new ArrayList<>();
        for (String line : Files.readAllLines(MAY_BE_EMPTY)) {
            if (!line.startsWith("#")) {
                Matcher matcher = LINE.matcher(line);
                assertThat(matcher.matches()).as(line).isTrue();
                if (matcher.group(1).equals("any") || matcher.group(1).equals(engine.component())) {
                    all.add(Pattern.compile(matcher.group(2)));
                }
            }
        }
        return all;
    }

    private static List<Expression> expressions(Prometheus prometheus, EngineKind engine) throws IOException {
        Map<?, ?> dashboard = new KubernetesSerialization()
                .unmarshal(Files.readString(MONITORING.resolve("dashboard.json")), Map.class);
        List<Expression> all = new ArrayList<>();
        for (Object variable :
                Prometheus.list(Prometheus.map(dashboard.get("templating")).get("list"))) {
            Object query = Prometheus.map(variable).get("query");
            Matcher labels = LABEL_VALUES.matcher(query instanceof Map<?, ?> map ? Prometheus.text(map, "query") : "");
            if (labels.matches()) {
                all.add(new Expression(
                        "variable " + Prometheus.text(variable, "name"),
                        "count by (" + labels.group(2) + ") (" + labels.group(1) + ")"));
            }
        }
        for (Object annotation :
                Prometheus.list(Prometheus.map(dashboard.get("annotations")).get("list"))) {
            all.add(new Expression(
                    "annotation " + Prometheus.text(annotation, "name"), Prometheus.text(annotation, "expr")));
        }
        for (Object panel : Prometheus.list(dashboard.get("panels"))) {
            addPanel(all, Prometheus.map(panel));
        }
        for (Rule rule : prometheus.rules()) {
            all.add(new Expression("rule " + rule.name(), rule.expression()));
        }
        return all.stream()
                .map(each -> new Expression(each.place(), filledIn(each.text(), engine)))
                .toList();
    }

    private static void addPanel(List<Expression> all, Map<?, ?> panel) {
        for (Object target : Prometheus.list(panel.get("targets"))) {
            all.add(new Expression(
                    "panel " + panel.get("title") + ", " + Prometheus.text(target, "legendFormat"),
                    Prometheus.text(target, "expr")));
        }
        Prometheus.list(panel.get("panels")).forEach(inner -> addPanel(all, Prometheus.map(inner)));
    }

    /** As Grafana does it. */
    private static String filledIn(String expression, EngineKind engine) {
        return expression
                .replace("$namespace", "test")
                .replace("$instance", ".*")
                .replace("$engine", engine.component())
                .replace("$__rate_interval", "2m");
    }

    private List<Scraped> scraped(Cluster cluster, List<ChildProcess> ofEngine) {
        List<Scraped> all = new ArrayList<>();
        cluster.dfsNodes().forEach(each -> all.add(scraped("dfs", each)));
        cluster.masters().forEach(each -> all.add(scraped("master", each)));
        cluster.servers().forEach(each -> all.add(scraped("server", each)));
        cluster.frontEnds().forEach(each -> all.add(scraped("front-end", each)));
        ofEngine.forEach(each -> all.add(scraped(each.name(), each)));
        return all;
    }

    private static Scraped scraped(String component, ChildProcess process) {
        return new Scraped("test", component, process.name(), process.admin().port());
    }

    /**
     * A bookie of the cluster's BookKeeper, a ZooKeeper server of its own, and autorecovery as in Kubernetes, with an admin port: those of a local cluster
     * have none. One bookie of the others is ended, so that the new one is needed.
     */
    private List<ChildProcess> engine(BookKeeper bookKeeper) {
        int port = ports.free();
        ChildProcess zookeeper = engine(
                "zookeeper",
                "localhost",
                Map.of(
                        "dataDir", "data",
                        "admin.enableServer", "false",
                        "tickTime", "2000",
                        "4lw.commands.whitelist", "srvr,dump,mntr",
                        "server.1", "localhost:" + ports.free() + ":" + ports.free() + ";" + port));
        ChildProcess former = bookKeeper.bookies().get(0);
        Map<String, String> settings = read(former.log().resolveSibling("bookie.conf"));
        settings.remove("bookieId");
        settings.put("bookiePort", Integer.toString(ports.free()));
        ChildProcess bookie = engine("bookie", "bookie", settings);
        settings = read(folder.resolve("cluster/autorecovery-1/autorecovery.conf"));
        settings.remove("bookieId");
        ChildProcess autorecovery = engine("autorecovery", "autorecovery", settings);
        String uri = "zk+longhierarchical://localhost:" + port + "/ledgers";
        assertThat(Cleave.commandLine()
                        .execute("engine", "format", "--set", "metadataServiceUri=" + uri, "--wait", "300"))
                .isZero();
        List<ChildProcess> all = List.of(zookeeper, bookie, autorecovery);
        all.forEach(each -> each.awaitReady(PATIENCE));
        former.kill();
        return all;
    }

    private ChildProcess engine(String part, String name, Map<String, String> settings) {
        AdminPort admin = new AdminPort(ports.free());
        StringBuilder text = new StringBuilder("admin.listen=127.0.0.1:" + admin.port() + "\n");
        settings.forEach(
                (key, value) -> text.append(key).append('=').append(value).append('\n'));
        Path own = folder.resolve(part);
        try {
            Files.createDirectories(own);
            Path config = Files.writeString(own.resolve("config.properties"), text);
            ChildProcess process = new ChildProcess(
                    own,
                    ClassArchive.jvm(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")),
                    List.of("engine", part, "--name", name, "--config", config.toString()),
                    admin);
            process.start();
            return process;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static Map<String, String> read(Path file) {
        Properties properties = new Properties();
        try (Reader in = Files.newBufferedReader(file)) {
            properties.load(in);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        Map<String, String> settings = new TreeMap<>();
        properties.forEach((key, value) -> settings.put((String) key, (String) value));
        return settings;
    }

    /** Each kind of request, refused ones too, at each front end in turn, until it is over. */
    private void load(List<Endpoint> endpoints) {
        List<RetryingClient> clients = endpoints.stream()
                .map(endpoint -> new RetryingClient(new Requests(endpoint), REQUEST, RetryPolicy.SDK, Repeat.TRANSIENT))
                .toList();
        for (int round = 0; !isOver; round++) {
            try {
                round(clients.get(round % clients.size()), round);
            } catch (IOException broken) {
                // A server was killed; the next round tries again.
            }
        }
        clients.forEach(client -> client.close());
    }

    private static void round(RetryingClient client, int round) throws IOException {
        client.createTable(TABLE);
        String partition = "p" + round % 10;
        String row = "r" + round;
        String entity = "{\"PartitionKey\":\"" + partition + "\",\"RowKey\":\"" + row + "\",\"Text\":\""
                + "x".repeat(500) + "\"}";
        client.exchange(to -> to.insert(TABLE, entity));
        client.exchange(to -> to.insert(TABLE, entity));
        client.exchange(to -> to.get(TABLE, partition, row));
        client.exchange(to -> to.put(TABLE, partition, row, "", entity));
        client.exchange(to -> to.merge(TABLE, partition, row, "*", "{\"Number\":1}"));
        client.exchange(to -> to.transaction(List.of(
                to.part("PUT", TABLE, partition, row + "a", "", entity),
                to.part("PUT", TABLE, partition, row + "b", "", entity))));
        client.exchange(to -> to.delete(TABLE, partition, row + "a", "*"));
        if (round % 10 == 0) {
            client.exchange(to -> to.query(TABLE, List.of("$top=10", Requests.option("$filter", "Number eq 1"))));
            client.exchange(to -> to.query(
                    TABLE, List.of("$top=10", Requests.option("$filter", "PartitionKey eq '" + partition + "'"))));
        }
    }
}
