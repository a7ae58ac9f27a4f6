package cleave.chaos.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import cleave.chaos.bench.Contender.Member;
import cleave.chaos.bench.empty.EmptyChain;
import cleave.chaos.bench.empty.SignedEcho;
import cleave.chaos.load.workload.Entities;
import cleave.chaos.load.workload.EntityKey;
import cleave.chaos.load.workload.Workload;
import cleave.chaos.process.ClassArchive;
import cleave.chaos.process.Cluster;
import cleave.chaos.process.ClusterPlan;
import cleave.chaos.process.Consumption;
import cleave.chaos.process.Patience;
import cleave.chaos.system.StandaloneSystem;
import cleave.client.Connection;
import cleave.client.Endpoint;
import cleave.client.Requests;
import cleave.deploy.cluster.Jvm;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A comparison of one service with itself, whose process is this one. */
@ExtendWith(StandaloneSystem.class)
class ComparisonIT {
    private static final Patience START = Patience.ofSeconds(120);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int INSERTS = 400;
    private static final Comparison.Lengths SHORT =
            new Comparison.Lengths(Duration.ZERO, Duration.ofMillis(400), Duration.ZERO, Duration.ofMillis(200));

    private static List<String> rows(String table, String name) {
        return table.lines().filter(line -> line.contains("| " + name + " |")).toList();
    }

    @Test
    void eachOperationHasItsRatesAndItsCost(Endpoint endpoint) throws IOException, InterruptedException {
        Member self = new Member("self", ProcessHandle.current().pid(), null);
        List<String> told = new ArrayList<>();
        Comparison comparison = new Comparison(
                List.of(Contender.of("one", endpoint, self), Contender.of("other", endpoint, self)),
                Comparison.OPERATIONS,
                2,
                SHORT,
                told::add);

        comparison.prepare("Comparison");
        comparison.run("Comparison", 1, () -> told.add("beside"));

        assertThat(told).noneMatch(line -> line.contains("FAILURES"));
        assertThat(told).containsOnlyOnce("beside");
        for (String operation : List.of("get", "insert", "merge", "query", "transaction")) {
            assertThat(comparison.table()).containsPattern("\\| " + operation + " \\| [0-9,]+ \\(.*\\| [0-9.]+ \\|");
        }
        if (Consumption.isKnown()) {
            assertThat(rows(comparison.costs(), "one")).hasSize(11);
            assertThat(rows(comparison.costs(), "other")).allMatch(row -> !row.contains("NaN"));
        }
    }

    @Test
    @Tag("nightly")
    void aClusterIsComparedWithTheEmptyChainAndRecorded(@TempDir Path dir) throws IOException, InterruptedException {
        assumeTrue(Consumption.isKnown(), "this machine keeps no accounts in /proc");
        ClusterPlan plan = ClusterPlan.in(dir.resolve("cluster")).withJvmOptions(Recordings.jvmOptions());
        Jvm jvm = ClassArchive.sameClassPath(List.of()).with(plan.jvmOptions().toArray(String[]::new));
        try (Cluster cluster = Cluster.started(plan, START);
                EmptyChain empty = EmptyChain.started(
                        jvm, dir.resolve("empty"), cluster.endpoints().get(0), START);
                SignedEcho signed = SignedEcho.started(
                        jvm, dir.resolve("echo"), cluster.endpoints().get(0), START)) {
            Contender real = Contender.of("cluster", cluster);
            Contender none = Contender.of("empty chain", empty);
            Contender echo = Contender.of("signed echo", signed);
            List<String> told = new ArrayList<>();
            Comparison comparison =
                    new Comparison(List.of(real, none, echo), Comparison.OPERATIONS, 2, SHORT, told::add);

            comparison.prepare("Comparison");
            allocatesByInserts(real, cluster.endpoints().get(0));
            allocatesByInserts(none, empty.endpoint());
            comparison.run("Comparison", 1, () -> told.add("beside"));
            Recordings.dump(real.processes(), dir.resolve("profiles"));

            assertThat(told).noneMatch(line -> line.contains("FAILURES"));
            assertThat(rows(comparison.costs(), "cluster")).hasSize(11);
            assertThat(rows(comparison.costs(), "empty chain")).hasSize(7);
            assertThat(comparison.table()).contains("| query |").doesNotContain("NaN");
            for (Workload workload : Comparison.OPERATIONS) {
                if (none.answers(workload)) {
                    hasFigures(comparison, real, none, workload);
                }
            }
            assertThat(real.processes().keySet())
                    .allSatisfy(name -> assertThat(dir.resolve("profiles").resolve(name + ".jfr"))
                            .isNotEmptyFile());
        }
    }

    private static void hasFigures(Comparison comparison, Contender real, Contender none, Workload workload) {
        RequestCost ofReal = comparison.cost(real, workload);
        RequestCost ofNone = comparison.cost(none, workload);
        assertThat(ofReal.roles().keySet()).containsExactly("front end", "servers", "DFS node", "masters");
        assertThat(ofNone.roles().keySet()).containsExactly("front end", "servers", "DFS node");
        assertThat(ofReal.total().allocated()).isNotNaN();
        assertThat(ofNone.total().allocated()).isNotNaN();
        assertThat(rows(comparison.costs(), "cluster"))
                .anyMatch(row -> row.startsWith("| " + workload.name() + " at ")
                        && row.contains(String.format(
                                Locale.ROOT,
                                "| %.2f |",
                                ofReal.total().micros() / ofNone.total().micros())));
    }

    /** More than is lost or gained by reading the figures. */
    private static void allocatesByInserts(Contender contender, Endpoint endpoint) throws IOException {
        Requests requests = new Requests(endpoint);
        Map<String, Consumption> before = contender.consumed();
        try (Connection connection = Connection.open(endpoint, PATIENCE)) {
            for (int i = 0; i < INSERTS; i++) {
                EntityKey key = new EntityKey("allocating", Integer.toString(i));
                assertThat(connection
                                .exchange(requests.insert("Comparison", Entities.whole(key, i, 500)))
                                .status())
                        .isEqualTo(204);
            }
        }
        Map<String, Consumption> since = contender.consumedSince(before);
        for (String role : List.of("front end", "servers", "DFS node")) {
            assertThat(Objects.requireNonNull(since.get(role)).allocated())
                    .as("%s of %s", role, contender.name())
                    .isGreaterThan(INSERTS * 1_000);
        }
    }

    @Test
    void aProcessThatEndsIsNoCheapOne(Endpoint endpoint) throws IOException, InterruptedException {
        Process process = new ProcessBuilder("sleep", "60").start();
        Contender contender = Contender.of("ended", endpoint, new Member("ended", process.pid(), null));
        Map<String, Consumption> before = contender.consumed();
        process.destroy();
        process.waitFor();

        assertThatThrownBy(() -> contender.consumedSince(before)).hasMessageContaining("a process of ended has ended");
    }
}
