package cleave.chaos.lab;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.lab.LabCard.Needs;
import cleave.chaos.process.Cluster;
import cleave.chaos.process.ClusterPlan;
import cleave.chaos.process.Patience;
import cleave.chaos.system.Folders;
import cleave.wire.Event;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Labs that break the cluster that they run on, each on one of its own. */
@Tag("nightly")
class OwnClusterLabsIT {
    @TempDir
    private Path blobs;

    private static Cluster started() {
        return Cluster.started(ClusterPlan.in(Folders.fresh("lab")).masters(3).servers(3), Patience.ofSeconds(90));
    }

    static Stream<Lab> labs() {
        return LabsIT.thatNeed(Needs.OWN_CLUSTER);
    }

    @ParameterizedTest
    @MethodSource("labs")
    void claimsHoldOnAClusterOfItsOwn(Lab lab) {
        try (Cluster cluster = started()) {
            LabsIT.check(lab, LabSystem.of(cluster), blobs);
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
            Report report = LabRun.run(full, LabSystem.of(cluster), BlobStores.inFolder(blobs), true, line -> {});

            assertThat(report.claims())
                    .filteredOn(claim -> !claim.claim().contains(" within 5 s")
                            && !claim.claim().contains(" within 15 s")
                            && !claim.claim().contains("is kept up"))
                    .hasSize(3)
                    .allMatch(Report.Claim::holds);
            assertThat(report.claims())
                    .filteredOn(claim -> claim.claim().contains(" within "))
                    .noneMatch(claim -> claim.seen().equals("never"));
            assertThat(report.drawings()).hasSize(1);
        }
    }

    /** On a busy machine servers are silent for seconds. */
    @Test
    void aServerThatWasDeclaredDeadBeforeItIsKilledIsNotTheOneThatTheLabIsAbout() {
        List<String> told = new ArrayList<>();
        try (Cluster cluster = started()) {
            Report report = LabRun.run(
                    Labs.named("takeover"), LabSystem.of(cluster), BlobStores.inFolder(blobs), true, line -> {
                        if (line.startsWith("killing server-") && told.isEmpty()) {
                            silence(cluster, line.charAt("killing server-".length()) - '0');
                        }
                        told.add(line);
                    });

            LabsIT.check(report);
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
}
