package cleave.chaos.fault;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.history.Change;
import cleave.chaos.history.Operation;
import cleave.chaos.history.Outcome;
import cleave.chaos.history.Page;
import cleave.chaos.process.Cluster;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Tests each of which does something to one cluster, while clients that never retry work on every range. What they saw is checked, never how
 * long it took: every answer is right, and no request fails that what was done does not excuse.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 600, threadMode = ThreadMode.SEPARATE_THREAD)
abstract class FaultScenes {
    /** Operations a second: few enough to leave the processes what they need to recover. */
    static final int PACE = 300;

    FaultCluster faults;
    Cluster cluster;
    Drill run;

    @RegisterExtension
    final AfterEachCallback logPlaces = context -> context.getExecutionException()
            .ifPresent(failure -> System.err.println("Logs of the processes:\n" + cluster.logPlaces()));

    /** The cluster of all tests. */
    abstract FaultCluster started() throws IOException;

    /** The trial of one test. */
    Drill drill() {
        return new Drill(faults, null, new Drill.Shape(0, PACE, 0, 0), line -> {});
    }

    @BeforeAll
    void startCluster() throws IOException {
        faults = started();
        cluster = faults.cluster();
    }

    @AfterAll
    void endCluster() {
        if (faults != null) {
            faults.close();
        }
    }

    @BeforeEach
    void begin() {
        run = drill();
        run.begin();
    }

    @AfterEach
    void theClientsSawNothingWrong() {
        Report report = run.end();
        assertThat(report.result().violations()).isEmpty();
        assertThat(report.result().undecided()).isEmpty();
        assertThat(report.failedRequests()).isEmpty();
        assertThat(report.history().operations().stream().filter(FaultScenes::isDoneTransaction))
                .isNotEmpty();
        assertThat(report.history().operations()).hasAtLeastOneElementOfType(Page.class);
        assertThat(report.count(Outcome.DONE)).isGreaterThan(FaultCluster.PARTITIONS);
        check(report);
        cluster.awaitReady(FaultCluster.PATIENCE);
    }

    /** Checks what is particular to these tests. */
    void check(Report report) {}

    /** Lets the clients of a new cluster work until each range has published this number of checkpoints. */
    static void warmUp(FaultCluster started, int checkpoints) {
        RecordingClients warmUp = started.workload(0); // A writer for each partition.
        warmUp.start();
        started.awaitCheckpoints(checkpoints);
        warmUp.stop();
    }

    private static boolean isDoneTransaction(Operation operation) {
        return operation instanceof Change change
                && change.outcome() == Outcome.DONE
                && change.writes().size() > 1;
    }
}
