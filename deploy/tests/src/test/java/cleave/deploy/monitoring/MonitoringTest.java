package cleave.deploy.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The alert rules and the dashboard use only metrics that exist, and each alert has its page and its tests. */
class MonitoringTest {
    private static final Path FOLDER = Path.of("..", "kubernetes", "components", "monitoring");
    private static final Path PAGES = Path.of("..", "..", "docs", "operations.md");
    private static final Pattern PAGE = Pattern.compile("(?m)^#{3,4} (Cleave[A-Za-z]+)$");
    private static final Path DASHBOARD = FOLDER.resolve("dashboard.json");
    /** Lines of a metric and why neither a panel nor an alert has it. */
    private static final Path NEITHER = FOLDER.resolve("neither.txt");
    /** The units of Grafana that are used; it shows a unit that it does not know behind each number. */
    private static final Set<Object> UNITS =
            Set.of("Bps", "bytes", "cps", "none", "percentunit", "reqps", "s", "short");

    private static KnownMetrics metrics = new KnownMetrics(Map.of());

    /** A rule of a rules file: an alert, or a series that is recorded for alerts. */
    private record Rule(Map<?, ?> fields) {
        String text(String field) {
            return String.valueOf(fields.get(field));
        }

        boolean isAlert() {
            return fields.containsKey("alert");
        }

        String inner(String field, String key) {
            return String.valueOf(map(fields.get(field)).get(key));
        }

        @Override
        public String toString() {
            return isAlert() ? text("alert") : text("record");
        }
    }

    /** A panel of the dashboard. */
    private record Panel(Map<?, ?> fields) {
        boolean isRow() {
            return "row".equals(fields.get("type"));
        }

        List<String> expressions() {
            return list(fields.get("targets")).stream()
                    .map(target -> String.valueOf(map(target).get("expr")))
                    .toList();
        }

        List<String> legends() {
            return list(fields.get("targets")).stream()
                    .map(target -> String.valueOf(map(target).get("legendFormat")))
                    .toList();
        }

        int place(String key) {
            return ((Number) Objects.requireNonNull(map(fields.get("gridPos")).get(key))).intValue();
        }

        @Override
        public String toString() {
            return String.valueOf(fields.get("title"));
        }
    }

    @BeforeAll
    static void read() throws IOException {
        metrics = KnownMetrics.load();
        for (Rule rule : rules().toList()) {
            if (!rule.isAlert()) {
                metrics = metrics.with(rule.text("record"));
            }
        }
    }

    private static Map<?, ?> map(@Nullable Object value) {
        return value instanceof Map<?, ?> map ? map : Map.of();
    }

    private static List<?> list(@Nullable Object value) {
        return value instanceof List<?> list ? list : List.of();
    }

    /** JSON is YAML, too. */
    private static Map<?, ?> yaml(Path file) throws IOException {
        return new KubernetesSerialization().unmarshal(Files.readString(file), Map.class);
    }

    static Stream<Rule> rules() throws IOException {
        return list(yaml(FOLDER.resolve("alerts.yaml")).get("groups")).stream()
                .flatMap(group -> list(map(group).get("rules")).stream())
                .map(rule -> new Rule(map(rule)));
    }

    static Stream<Rule> alerts() throws IOException {
        return rules().filter(Rule::isAlert);
    }

    /** Also those inside of rows that are closed. */
    static Stream<Panel> panels() throws IOException {
        return list(yaml(DASHBOARD).get("panels")).stream().flatMap(MonitoringTest::withInner);
    }

    private static Stream<Panel> withInner(Object panel) {
        return Stream.concat(
                Stream.of(new Panel(map(panel))),
                list(map(panel).get("panels")).stream().map(inner -> new Panel(map(inner))));
    }

    static Stream<String> annotations() throws IOException {
        return list(map(yaml(DASHBOARD).get("annotations")).get("list")).stream()
                .map(each -> String.valueOf(map(each).get("expr")));
    }

    static Stream<Panel> graphs() throws IOException {
        return panels().filter(panel -> !panel.isRow());
    }

    @ParameterizedTest
    @MethodSource("rules")
    void aRuleAsksForMetricsThatExist(Rule rule) {
        assertThat(metrics.unknown(rule.text("expr"))).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("graphs")
    void aPanelAsksForMetricsThatExistAndHasAUnit(Panel panel) {
        assertThat(panel.expressions()).isNotEmpty();
        for (String expression : panel.expressions()) {
            assertThat(metrics.unknown(expression)).as(expression).isEmpty();
            assertThat(expression).contains("namespace=\"$namespace\"");
        }
        assertThat(map(map(panel.fields().get("fieldConfig")).get("defaults")).get("unit"))
                .isIn(UNITS);
        assertThat(panel.fields().get("description")).isNotNull();
    }

    @ParameterizedTest
    @MethodSource("annotations")
    void anAnnotationAsksForMetricsThatExist(String expression) {
        assertThat(metrics.unknown(expression)).isEmpty();
        assertThat(expression).contains("namespace=\"$namespace\"");
    }

    /** A metric that nobody looks at is listed as such, so that a new one is not forgotten. */
    @Test
    void eachMetricIsOnAPanelOrInAnAlertOrIsListedAsNeitherWithAReason() throws IOException {
        Set<String> asked = new HashSet<>();
        rules().forEach(rule -> asked.addAll(KnownMetrics.names(rule.text("expr"))));
        graphs().flatMap(panel -> panel.expressions().stream()).forEach(each -> asked.addAll(KnownMetrics.names(each)));
        annotations().forEach(each -> asked.addAll(KnownMetrics.names(each)));
        Set<String> unseen = KnownMetrics.documented().stream()
                .filter(metric -> metric.samples().stream().noneMatch(asked::contains))
                .map(KnownMetrics.Documented::name)
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> listed = new TreeSet<>();
        for (String line : Files.readAllLines(NEITHER)) {
            if (!line.startsWith("#")) {
                assertThat(line).matches("[a-zA-Z0-9_]+: .{10,}\\.");
                assertThat(listed.add(line.substring(0, line.indexOf(':'))))
                        .as("twice: %s", line)
                        .isTrue();
            }
        }
        assertThat(listed).isEqualTo(unseen);
    }

    @Test
    void theDashboardIsMadeOfItsSource() throws IOException {
        String expected = Dashboard.json(FOLDER.resolve("dashboard.yaml"));
        if (Boolean.getBoolean("golden.rewrite")) {
            Files.writeString(DASHBOARD, expected);
        }
        assertThat(Files.readString(DASHBOARD)).isEqualTo(expected);
    }

    /** A screen has room for some 22 units of height. */
    @Test
    void theOverviewFitsOnAScreenAndTheOtherRowsAreClosed() throws IOException {
        List<Panel> rows = panels().filter(Panel::isRow).toList();

        assertThat(rows.get(0).toString()).isEqualTo("Overview");
        assertThat(rows.get(1).place("y")).isLessThanOrEqualTo(22);
        assertThat(rows.subList(1, rows.size()))
                .allSatisfy(row -> assertThat(row.fields().get("collapsed")).isEqualTo(true));
    }

    /** A single number needs no legend; lines need different ones. */
    @ParameterizedTest
    @MethodSource("graphs")
    void theLinesOfAPanelHaveNamesOfTheirOwn(Panel panel) {
        List<String> legends = panel.legends();
        assertThat(legends).doesNotHaveDuplicates();
        if ("stat".equals(panel.fields().get("type"))) {
            assertThat(legends).hasSize(1);
        } else {
            assertThat(legends).doesNotContain("", "null");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "rate(cleave_front_end_request_total[5m]) > 1 | there is no metric cleave_front_end_request_total",
                "cleave_master_leader{op=\"x\"} | cleave_master_leader has no label op",
                "sum by (limit) (cleave_master_leader) | no metric of it has a label limit",
                "rate(cleave_front_end_request_seconds[5m]) | there is no metric cleave_front_end_request_seconds",
                "vector(1) > 2 | it asks for no metric",
                "sum(cleave_leader offset 1m) | there is no metric cleave_leader"
            })
    void aMistakeIsFound(String expression, String expected) {
        assertThat(metrics.unknown(expression)).containsExactly(expected);
    }

    @Test
    void whatIsRightIsNotRefused() {
        assertThat(metrics.unknown("sum by (op, le) (rate(cleave_front_end_request_seconds_bucket{op=~\"a|b=c\"}[5m]))"
                        + " unless on (namespace) up{component=\"dfs\"} == 0"))
                .isEmpty();
    }

    @ParameterizedTest
    @MethodSource("alerts")
    void anAlertSaysHowSevereItIsAndWhatItMeans(Rule alert) {
        assertThat(alert.inner("labels", "severity")).isIn("critical", "warning", "info");
        assertThat(alert.text("for")).matches("\\d+[smh]");
        assertThat(alert.inner("annotations", "summary")).endsWith(".");
        assertThat(alert.inner("annotations", "description")).endsWith(".");
        assertThat(alert.inner("annotations", "runbook_url"))
                .isEqualTo("CLEAVE_DOCS_URL/operations.md#" + alert.toString().toLowerCase(Locale.ROOT));
        assertThat(alert.inner("annotations", "dashboard_url"))
                .isEqualTo("CLEAVE_GRAFANA_URL/d/cleave-overview?var-namespace={{ $labels.namespace }}");
    }

    @Test
    void eachAlertHasItsPageAndEachPageItsAlert() throws IOException {
        Set<String> pages = new TreeSet<>();
        PAGE.matcher(Files.readString(PAGES)).results().forEach(page -> pages.add(page.group(1)));
        assertThat(pages)
                .containsExactlyInAnyOrderElementsOf(
                        alerts().map(Rule::toString).toList());
    }

    /** promtool runs the tests where it is at hand; this checks that they exist. */
    @Test
    void eachAlertIsTestedForClustersWhereItFiresAndWhereNot() throws IOException {
        Set<String> fires = new TreeSet<>();
        for (Object test : list(yaml(FOLDER.resolve("alerts-test.yaml")).get("tests"))) {
            String series = String.valueOf(map(test).get("input_series"));
            assertThat(series).contains("namespace=\"bad\"", "namespace=\"good\"");
            for (Object asked : list(map(test).get("alert_rule_test"))) {
                for (Object expected : list(map(asked).get("exp_alerts"))) {
                    assertThat(map(map(expected).get("exp_labels")).get("namespace"))
                            .isEqualTo("bad");
                    fires.add(String.valueOf(map(asked).get("alertname")));
                }
            }
        }
        assertThat(fires)
                .containsExactlyInAnyOrderElementsOf(
                        alerts().map(Rule::toString).toList());
    }

    @Test
    void theRuleOfTheOperatorIsTheRulesFile() throws IOException {
        StringBuilder expected = new StringBuilder("""
                # Made of alerts.yaml by MonitoringTest with -Dgolden.rewrite=true.
                apiVersion: monitoring.coreos.com/v1
                kind: PrometheusRule
                metadata:
                  name: cleave
                  labels:
                    app.kubernetes.io/name: cleave
                spec:
                """);
        for (String line : Files.readAllLines(FOLDER.resolve("alerts.yaml"))) {
            if (!line.startsWith("#")) {
                expected.append(line.isBlank() ? "" : "  " + line).append('\n');
            }
        }
        Path file = FOLDER.resolve("prometheus-rule.yaml");
        if (Boolean.getBoolean("golden.rewrite")) {
            Files.writeString(file, expected.toString());
        }
        assertThat(Files.readString(file)).isEqualTo(expected.toString());
    }

    @Test
    void panelsLieSideBySide() throws IOException {
        Set<String> taken = new HashSet<>();
        Set<Object> ids = new HashSet<>();
        for (Panel panel : panels().toList()) {
            assertThat(ids.add(panel.fields().get("id")))
                    .as("the id of %s", panel)
                    .isTrue();
            assertThat(panel.place("x") + panel.place("w")).as("%s", panel).isLessThanOrEqualTo(Dashboard.COLUMNS);
            for (int x = 0; x < panel.place("w"); x++) {
                for (int y = 0; y < panel.place("h"); y++) {
                    assertThat(taken.add((panel.place("x") + x) + "," + (panel.place("y") + y)))
                            .as("%s covers another panel", panel)
                            .isTrue();
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"check, alerts.yaml", "test, alerts-test.yaml"})
    void promtoolAgrees(String command, String file) throws Exception {
        assumeThat(Stream.of(System.getenv("PATH").split(File.pathSeparator))
                        .anyMatch(folder -> Files.isExecutable(Path.of(folder, "promtool"))))
                .as("there is no promtool on the PATH (Debian: apt-get install prometheus): the alerts are not tested")
                .isTrue();
        Process process = new ProcessBuilder("promtool", command, "rules", file)
                .directory(FOLDER.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }
}
