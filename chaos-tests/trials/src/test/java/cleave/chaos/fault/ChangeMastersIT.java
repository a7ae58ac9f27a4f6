package cleave.chaos.fault;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.history.CheckResult;
import cleave.chaos.history.History;
import cleave.chaos.history.HistoryChecker;
import cleave.chaos.history.Operation;
import cleave.chaos.history.Outcome;
import cleave.chaos.process.ChildProcess;
import cleave.chaos.process.Cluster;
import cleave.chaos.process.ClusterPlan;
import cleave.chaos.system.Folders;
import cleave.wire.MasterPeer;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The masters of a cluster of processes are changed, from the one that was founded to three, and on until all of them are others,
 * while clients that never retry work on every range.
 */
@Tag("nightly")
class ChangeMastersIT {
    private static final int RANGES = 4;
    private static final int CLIENTS = 3;
    /** Of operations a second, so that the clients leave the processes what these need to recover. */
    private static final int PACE = 300;

    private static void change(Cluster cluster, String out, int in) {
        FaultCluster.PATIENCE.until(
                "master " + in + " is a member in place of '" + out + "'", () -> cluster.changeMasters(out, in));
    }

    private static ChildProcess started(Cluster cluster, int index) {
        ChildProcess master = cluster.masters().get(index);
        master.start();
        FaultCluster.PATIENCE.until(
                master.name() + " listens", () -> master.admin().isHealthy() && master.hasLogged("role started"));
        return master;
    }

    @Test
    void clientsNoticeNothingWhileAllMastersAreReplaced() {
        ClusterPlan plan = ClusterPlan.in(Folders.fresh("change-masters"))
                .masters(1)
                .moreMasters(3)
                .servers(2)
                .set("master.snapshot-every", "20");
        try (FaultCluster faults = FaultCluster.started(plan, RANGES)) {
            Cluster cluster = faults.cluster();
            Workload workload = faults.workload(CLIENTS);
            workload.pace(PACE);
            workload.start();
            workload.awaitWritesEverywhere(FaultCluster.PATIENCE);
            for (int index : List.of(1, 2)) {
                started(cluster, index);
                change(cluster, "", index);
                workload.awaitWritesEverywhere(FaultCluster.PATIENCE);
            }

            started(cluster, 3);
            change(cluster, cluster.member(0), 3); // The founder, which is in every process' settings.
            ChildProcess founder = cluster.masters().get(0);
            FaultCluster.PATIENCE.until(
                    "the founder is blank",
                    () -> founder.admin().readiness().missing().contains("blank"));
            founder.kill();
            workload.awaitWritesEverywhere(FaultCluster.PATIENCE);

            assertThat(cluster.admin().status().getPeersList().stream().map(MasterPeer::getId))
                    .containsExactlyInAnyOrder("master-2", "master-3", "master-4");
            long until = System.nanoTime();
            ChildProcess server = cluster.servers().get(0);
            server.kill(); // Only masters that no settings name can have its ranges taken over.
            faults.awaitTakenOver(0);
            workload.awaitWritesEverywhere(FaultCluster.PATIENCE);

            History history = workload.stop();
            CheckResult result = HistoryChecker.check(history);
            assertThat(result.violations()).isEmpty();
            assertThat(result.undecided()).isEmpty();
            assertThat(history.operations().stream()
                            .filter(operation -> operation.call().returned() < until)
                            .map(Operation::outcome))
                    .isNotEmpty()
                    .doesNotContain(Outcome.UNKNOWN, Outcome.NOT_EXECUTED);
            assertThat(history.outcomes().get(Outcome.DONE)).isGreaterThan(FaultCluster.PARTITIONS);
        }
    }
}
