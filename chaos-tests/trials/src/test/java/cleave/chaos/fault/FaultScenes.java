package cleave.chaos.fault;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.history.Change;
import cleave.chaos.history.CheckResult;
import cleave.chaos.history.History;
import cleave.chaos.history.HistoryChecker;
import cleave.chaos.history.Operation;
import cleave.chaos.history.Outcome;
import cleave.chaos.history.Page;
import cleave.chaos.process.Cluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests each of which does something to one cluster, while clients that never retry work on every range; what they saw is checked. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 600, threadMode = ThreadMode.SEPARATE_THREAD)
abstract class FaultScenes {
    private static final int CLIENTS = 6;
    /** Of operations a second, so that the clients leave the processes what these need to recover. */
    private static final int PACE = 300;

    private static final Interval NEVER = new Interval(Long.MAX_VALUE, Long.MIN_VALUE);

    FaultCluster faults;
    Cluster cluster;
    Workload workload;
    private Interval untroubled = NEVER;

    @RegisterExtension
    final AfterEachCallback logPlaces = context -> context.getExecutionException()
            .ifPresent(failure -> System.err.println("Logs of the processes:\n" + cluster.logPlaces()));

    /** The cluster of all tests. */
    abstract FaultCluster started();

    @BeforeAll
    void startCluster() {
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
    void startWorkload() {
        untroubled = NEVER;
        workload = faults.workload(CLIENTS);
        workload.pace(PACE);
        workload.start();
        workload.awaitWritesEverywhere(FaultCluster.PATIENCE);
    }

    @AfterEach
    void theClientsSawNothingWrong() {
        workload.awaitWritesEverywhere(FaultCluster.PATIENCE);
        History history = workload.stop();
        assertRight(history);
        assertThat(history.operations().stream().filter(untroubled::holdsError)).isEmpty();
        cluster.awaitReady(FaultCluster.PATIENCE);
    }

    /** Every operation that began from then until now must succeed, or be refused for what the data said. */
    final void noErrorSince(long nanoTime) {
        untroubled = new Interval(nanoTime, System.nanoTime());
    }

    /** What began in it counts, however late its answer came: a request that hangs through a fault outlasts it. */
    record Interval(long from, long until) {
        boolean holdsError(Operation operation) {
            Outcome outcome = operation.outcome();
            return operation.call().invoked() > from
                    && operation.call().invoked() < until
                    && (outcome == Outcome.UNKNOWN || outcome == Outcome.NOT_EXECUTED);
        }
    }

    private void assertRight(History history) {
        CheckResult result = HistoryChecker.check(history);
        assertThat(result.violations()).isEmpty();
        assertThat(result.undecided()).isEmpty();
        assertThat(history.operations().stream().filter(FaultScenes::isDoneTransaction))
                .isNotEmpty();
        assertThat(history.operations()).hasAtLeastOneElementOfType(Page.class);
        assertThat(history.outcomes().get(Outcome.DONE)).isGreaterThan(FaultCluster.PARTITIONS);
    }

    private static boolean isDoneTransaction(Operation operation) {
        return operation instanceof Change change
                && change.outcome() == Outcome.DONE
                && change.writes().size() > 1;
    }
}
