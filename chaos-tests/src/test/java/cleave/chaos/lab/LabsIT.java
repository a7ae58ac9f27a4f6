package cleave.chaos.lab;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.client.Endpoint;
import cleave.chaos.lab.LabCard.Needs;
import cleave.chaos.process.Cluster;
import cleave.chaos.process.ClusterPlan;
import cleave.chaos.process.Patience;
import cleave.chaos.system.ClusterSystem;
import cleave.chaos.system.Folders;
import cleave.chaos.system.StandaloneSystem;
import cleave.wire.Event;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every lab in its smallest form: its claims hold. Labs share systems, as far as they break nothing. */
class LabsIT {
    private static final List<String> JVM = List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    @TempDir
    private Path blobs;

    /** Started for the first lab that needs it. */
    private static @Nullable ThrottledStandalone throttled;

    @AfterAll
    static void end() {
        if (throttled != null) {
            throttled.close();
        }
    }

    private static List<Lab> thatNeed(Needs needs) {
        return Labs.all().stream().filter(lab -> lab.card().needs() == needs).toList();
    }

    static Stream<Lab> ofAnEndpoint() {
        return thatNeed(Needs.ENDPOINT).stream();
    }

    static Stream<Lab> ofACluster() {
        return thatNeed(Needs.CLUSTER).stream();
    }

    static Stream<Lab> ofThrottledPartitions() {
        return thatNeed(Needs.THROTTLED).stream();
    }

    static Stream<Lab> ofItsOwn() {
        return thatNeed(Needs.OWN_CLUSTER).stream();
    }

    @ParameterizedTest
    @MethodSource("ofAnEndpoint")
    @ExtendWith(StandaloneSystem.class)
    void claimsHoldAtAnyEndpoint(Lab lab, Endpoint endpoint) {
        check(Session.run(lab, LabSystem.of(endpoint), BlobStores.inFolder(blobs), true, line -> {}));
    }

    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("ofACluster")
    @ExtendWith(ClusterSystem.class)
    void claimsHoldOnACluster(Lab lab, Cluster cluster) {
        check(Session.run(lab, LabSystem.of(cluster), BlobStores.inFolder(blobs), true, line -> {}));
    }

    @ParameterizedTest
    @MethodSource("ofThrottledPartitions")
    void claimsHoldOnThrottledPartitions(Lab lab) {
        if (throttled == null) {
            throttled = ThrottledStandalone.started(Folders.fresh("throttled"), JVM, Patience.ofSeconds(90));
        }
        check(Session.run(lab, throttled.system(), BlobStores.inFolder(blobs), true, line -> {}));
    }

    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("ofItsOwn")
    void claimsHoldOnAClusterOfItsOwn(Lab lab) {
        ClusterPlan plan = ClusterPlan.in(Folders.fresh("lab")).masters(3).servers(3);
        try (Cluster cluster = Cluster.started(plan, Patience.ofSeconds(90))) {
            check(Session.run(lab, LabSystem.of(cluster), BlobStores.inFolder(blobs), true, line -> {}));
        }
    }

    /** With thresholds so low that a little load is too much; what a busy machine cannot promise is not asserted. */
    @Test
    void fullFormSpreadsALoadAndMergesItsRangesAndNoClientSeesAnError() {
        FullForm form = new FullForm(
                900,
                1,
                0,
                0,
                List.of(),
                0,
                1,
                Map.of(
                        "balancer.split-load", "300",
                        "balancer.split-child", "100%",
                        "balancer.split-hits", "20",
                        "balancer.split-hot-seconds", "1",
                        "balancer.split-window-seconds", "2",
                        "balancer.merge-window", "2s",
                        "balancer.merge-after-split", "2s",
                        "balancer.merge-after-start", "2s"));
        Lab full = Objects.requireNonNull(Labs.named("hot-range").full(form));
        ClusterPlan plan = ClusterPlan.in(Folders.fresh("lab")).masters(1).servers(3);
        try (Cluster cluster = Cluster.started(plan, Patience.ofSeconds(90))) {
            Report report = Session.run(full, LabSystem.of(cluster), BlobStores.inFolder(blobs), true, line -> {});

            assertThat(report.claims())
                    .filteredOn(claim -> !claim.claim().contains(" within 5 s")
                            && !claim.claim().contains(" within 15 s")
                            && !claim.claim().contains("is kept up"))
                    .hasSize(3)
                    .allMatch(Report.Claim::holds);
            assertThat(report.claims())
                    .filteredOn(claim -> claim.claim().contains(" within "))
                    .noneMatch(claim -> claim.seen().equals("never"));
            assertThat(report.charts()).hasSize(1);
        }
    }

    /** As on a busy machine, whose servers are silent for seconds. */
    @Test
    void aServerThatWasDeclaredDeadBeforeItIsKilledIsNotTheOneThatTheLabIsAbout() {
        ClusterPlan plan = ClusterPlan.in(Folders.fresh("lab")).masters(3).servers(3);
        List<String> told = new ArrayList<>();
        try (Cluster cluster = Cluster.started(plan, Patience.ofSeconds(90))) {
            Report report = Session.run(
                    Labs.named("takeover"), LabSystem.of(cluster), BlobStores.inFolder(blobs), true, line -> {
                        if (line.startsWith("killing server-") && told.isEmpty()) {
                            silence(cluster, line.charAt("killing server-".length()) - '0');
                        }
                        told.add(line);
                    });

            check(report);
        }
        assertThat(told.stream().filter(line -> line.startsWith("killing "))).hasSize(2);
        assertThat(told).anyMatch(line -> line.endsWith("was declared dead before it was killed; another one"));
    }

    private static void silence(Cluster cluster, int server) {
        long last = cluster.admin().events(0).stream()
                .mapToLong(Event::getNumber)
                .max()
                .orElse(0);
        cluster.servers().get(server - 1).pause();
        Patience.ofSeconds(90)
                .until(
                        "server-" + server + " is declared dead",
                        () -> cluster.admin().events(last).stream()
                                .anyMatch(event -> event.getKind().equals("server-dead")
                                        && event.getServers(0).startsWith("server-" + server)));
    }

    private static void check(Report report) {
        assertThat(report.claims()).isNotEmpty().allMatch(Report.Claim::holds);
        assertThat(report.charts()).isNotEmpty();
        Page.of(report);
    }
}
