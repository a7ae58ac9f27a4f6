package cleave.chaos.fault;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.process.ChildProcess;
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
class ChangeMastersIT extends FaultScenes {
    private static final int RANGES = 4;

    @Override
    FaultCluster started() {
        return FaultCluster.started(
                ClusterPlan.in(Folders.fresh("change-masters"))
                        .masters(1)
                        .moreMasters(3)
                        .servers(2)
                        .set("master.snapshot-every", "20"),
                RANGES);
    }

    private void change(String out, int in) {
        FaultCluster.PATIENCE.until(
                "master " + in + " is a member in place of '" + out + "'", () -> cluster.changeMasters(out, in));
    }

    private void start(int index) {
        ChildProcess master = cluster.masters().get(index);
        master.start();
        FaultCluster.PATIENCE.until(
                master.name() + " listens", () -> master.admin().isHealthy() && master.hasLogged("role started"));
    }

    @Test
    void clientsNoticeNothingWhileAllMastersAreReplaced() {
        for (int index : List.of(1, 2)) {
            start(index);
            change("", index);
            run.awaitWrites();
        }

        start(3);
        change(cluster.member(0), 3); // The founder, which is in every process' settings.
        ChildProcess founder = cluster.masters().get(0);
        FaultCluster.PATIENCE.until(
                "the founder is blank",
                () -> founder.admin().readiness().missing().contains("blank"));
        founder.kill();
        run.awaitWrites();

        assertThat(cluster.admin().status().getPeersList().stream().map(MasterPeer::getId))
                .containsExactlyInAnyOrder("master-2", "master-3", "master-4");
        run.injectExcused("server killed", Drill.ALL, () -> {
            cluster.servers().get(0).kill(); // Only masters that no settings name can have its ranges taken over.
            faults.awaitTakenOver(0);
            return System.nanoTime();
        });
    }
}
