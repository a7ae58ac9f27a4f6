package cleave.chaos.lab.faults;

import cleave.chaos.fault.FailedRequest;
import cleave.chaos.fault.FaultCluster;
import cleave.chaos.fault.RecordingClients;
import cleave.chaos.history.Change;
import cleave.chaos.history.CheckResult;
import cleave.chaos.history.History;
import cleave.chaos.history.HistoryChecker;
import cleave.chaos.history.Operation;
import cleave.chaos.history.Outcome;
import cleave.chaos.lab.LabRun;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The clients of a lab, which write and read without pause and never retry, and what they saw. Confined to its thread. */
final class Clients implements AutoCloseable {
    private final LabRun run;
    private final RecordingClients workload;
    private @Nullable History history;

    private Clients(LabRun run, RecordingClients workload) {
        this.run = run;
        this.workload = workload;
    }

    /** Starts one for each partition, and some that share all; returns when each range has taken a write. */
    static Clients started(LabRun run, FaultCluster faults) {
        RecordingClients workload = faults.workload(run.of(2, 6));
        workload.pace(run.of(150, 300));
        Clients clients = new Clients(run, workload);
        workload.start();
        clients.writeEverywhere();
        return clients;
    }

    RecordingClients workload() {
        return workload;
    }

    /** Waits until each range has taken a write that began after this call. */
    void writeEverywhere() {
        workload.awaitWritesEverywhere(FaultCluster.PATIENCE);
    }

    /** Ends them, and returns all that they did and were answered. */
    History stop() {
        if (history == null) {
            history = workload.stop();
        }
        return history;
    }

    /** Claims that every answer is right, after they have ended. */
    void claimNothingWrong() {
        CheckResult result = HistoryChecker.check(stop());
        run.claim(
                "no acknowledged write is lost, and one order of all operations explains every answer",
                result.isRight(),
                String.format(
                        Locale.ROOT,
                        "%,d operations, %,d writes acknowledged, %d lost or wrong",
                        stop().size(),
                        acknowledged().size(),
                        result.violations().size() + result.undecided().size()));
    }

    /** The writes that were acknowledged, after they have ended. */
    List<Change> acknowledged() {
        return stop().operations().stream()
                .filter(operation -> operation instanceof Change && operation.outcome() == Outcome.DONE)
                .map(Change.class::cast)
                .toList();
    }

    /** The operations that began in a time span, after they have ended. */
    List<Operation> begunBetween(long from, long until) {
        return stop().operations().stream()
                .filter(operation ->
                        operation.call().invoked() >= from && operation.call().invoked() < until)
                .toList();
    }

    /** Requests that failed or have an unknown outcome, after they have ended. */
    List<FailedRequest> failedRequests() {
        stop();
        return workload.failedRequests();
    }

    @Override
    public void close() {
        stop();
    }
}
