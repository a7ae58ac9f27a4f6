package cleave.chaos.fault;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.fault.Drill.Report;
import cleave.chaos.history.Outcome;
import cleave.chaos.process.Cluster;
import cleave.chaos.system.Folders;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Ranges split, merge and move under clients that never pause, and processes end in the middle of it. What is asserted is what
 * clients saw, never how long it took.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HandoffsIT {
    private static final int HANDOFFS = 20;
    private static final int BEFORE = 2;
    /** Of operations a second, so that the clients leave the processes what these need to recover. */
    private static final int PACE = 300;

    private FaultCluster faults;
    private Cluster cluster;
    private StableRows stable;
    private Drill run;
    private SdkClient sdk;
    private int runs;
    private boolean aServerDied;

    @BeforeAll
    void startCluster() throws IOException {
        faults = Drill.started(Drill.plan(Folders.fresh("handoffs"))
                .set("server.checkpoint-log-bytes", "256KiB")
                .set("master.snapshot-every", "100"));
        cluster = faults.cluster();
        stable = Drill.load(faults, shape(), line -> {});
    }

    @AfterAll
    void endCluster() {
        if (faults != null) {
            faults.close();
        }
    }

    private Drill.Shape shape() {
        return new Drill.Shape(2, PACE, 0, runs);
    }

    @BeforeEach
    void startWork() {
        runs++;
        aServerDied = false;
        run = new Drill(faults, stable, shape(), line -> {});
        sdk = new SdkClient(cluster.endpoints().get(1), "t-" + runs + "-");
        sdk.start();
        run.begin();
        run.awaitHandoffs(BEFORE);
    }

    @AfterEach
    void theClientsNoticedNothing() throws InterruptedException {
        FaultCluster.PATIENCE.until("the SDK's client has done much", () -> sdk.done() > FaultCluster.PARTITIONS);
        Report report = run.end();
        sdk.stop();
        assertThat(report.result().violations()).isEmpty();
        assertThat(report.result().undecided()).isEmpty();
        assertThat(report.count(Outcome.DONE)).isGreaterThan(FaultCluster.PARTITIONS);
        assertThat(report.scanProblems()).isEmpty();
        assertThat(report.scans()).isPositive();
        assertThat(report.failedRequests()).isEmpty();
        assertThat(sdk.wrong()).isEmpty();
        if (!aServerDied) {
            assertThat(sdk.failures()).isEmpty();
        }
        cluster.awaitReady(FaultCluster.PATIENCE);
    }

    @Test
    void clientsDoNotNoticeHandoffsAndEachEnds() {
        run.awaitHandoffs(HANDOFFS);
        assertThat(run.endHandoffs())
                .allSatisfy(handoff -> assertThat(handoff.ended()).isNotEqualTo(SeenHandoff.NEVER))
                .extracting(SeenHandoff::use)
                .contains(HandoffUse.values());
    }

    @Test
    @Tag("nightly")
    void clientsDoNotNoticeALeaderKilledDuringHandoffs() {
        run.killLeader();
        run.awaitHandoffs(BEFORE);
    }

    @Test
    void killingAServerDuringHandoffsLosesNothing() {
        aServerDied = true;
        run.killServer();
        run.awaitHandoffs(BEFORE);
    }

    @Test
    @Tag("nightly")
    void withoutMastersReadsAndWritesContinueAndHandoffsEndWhenTheyReturn() {
        run.stopMasters(Duration.ofSeconds(5));
        run.awaitHandoffs(BEFORE);
    }
}
