package cleave.chaos.fault;

import cleave.chaos.process.ClusterPlan;
import cleave.chaos.system.Folders;
import cleave.deploy.cluster.DfsKind;
import cleave.deploy.cluster.DfsPlan;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Parts of BookKeeper fail under a small cluster: one ZooKeeper, four bookies and autorecovery. Their libraries are among those of the
 * tests, so nothing is fetched.
 */
@Tag("nightly")
class BookKeeperFaultsIT extends FaultScenes {
    private static final int RANGES = 6;
    private static final int CHECKPOINTS = 1;
    private static final Duration AWAY = Duration.ofSeconds(10);

    @Override
    FaultCluster started() {
        FaultCluster started = FaultCluster.started(
                ClusterPlan.in(Folders.fresh("bookkeeper"))
                        .servers(2)
                        .dfs(new DfsPlan(DfsKind.BOOKKEEPER, null, null))
                        .set("server.checkpoint-log-bytes", "32KiB"),
                RANGES);
        warmUp(started, CHECKPOINTS);
        return started;
    }

    @Test
    void aKilledBookieIsNoticedByNobody() {
        run.killBookie();
    }

    @Test
    void aBookieThatStandsStillIsNoticedByNobody() {
        run.pauseBookie();
    }

    @Test
    void whatWasOnADestroyedDiskIsCopiedAndNoticedByNobody() {
        run.wipeBookie();
    }

    @Test
    void readsAndWritesGoOnWhileZooKeeperStandsStill() {
        run.pauseZooKeeper(AWAY);
    }

    @Test
    void aKilledServersRangesAreServedByTheOther() {
        run.killServer();
    }
}
