package cleave.chaos.fault;

import cleave.chaos.fault.Trial.Excuse;
import cleave.chaos.fault.Trial.Step;
import cleave.chaos.history.Call;
import cleave.chaos.history.Change;
import cleave.chaos.history.CheckResult;
import cleave.chaos.history.EntityKey;
import cleave.chaos.history.History;
import cleave.chaos.history.Operation;
import cleave.chaos.history.Outcome;
import cleave.chaos.load.run.Tally;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;

/**
 * The observations of a trial's clients. Immutable.
 *
 * @param excuses when requests were allowed to fail
 * @param allFailed excused or not
 * @param repeated when each operation began that was sent more than once
 * @param isProbed if one client has nothing to do but to write in each partition, so that a pause in its writes says something
 * @param table the id of the clients' table
 */
public record Report(
        History history,
        CheckResult result,
        List<Step> steps,
        List<Excuse> excuses,
        List<FailedRequest> allFailed,
        List<Long> repeated,
        ScanningClient.Scans scans,
        Handoffs handoffs,
        boolean isProbed,
        long table) {
    /**
     * The observations of a step, until everything had recovered.
     *
     * @param writable nanoseconds from its beginning until a write that began after it succeeded, in the range that took longest
     * @param stall the longest time that a client waited for an answer, in nanoseconds
     * @param acknowledged writes and transactions
     * @param failed requests that were not executed or have an unknown outcome
     * @param again operations that were sent more than once
     */
    record Seen(
            Step step,
            long writable,
            long stall,
            long operations,
            long acknowledged,
            List<FailedRequest> failed,
            long again) {
        /** From its beginning until what failed was there again. */
        long away() {
            return step.over() - step.from();
        }

        /** From the return of what failed to the recovery of everything. */
        long mended() {
            return step.until() - step.over();
        }
    }

    /** True if every answer was right, and no request failed that nothing excuses. */
    public boolean isRight() {
        return result.isRight()
                && failedRequests().isEmpty()
                && scans.problems().isEmpty();
    }

    long count(Outcome outcome) {
        return history.outcomes().getOrDefault(outcome, 0);
    }

    /** The failed requests that nothing excuses. */
    public List<FailedRequest> failedRequests() {
        return allFailed.stream().filter(failed -> !isExcused(failed)).toList();
    }

    List<FailedRequest> excused() {
        return allFailed.stream().filter(this::isExcused).toList();
    }

    private boolean isExcused(FailedRequest failed) {
        return excuses.stream().anyMatch(excuse -> excuse.holds(failed, table));
    }

    List<SeenHandoff> undisturbed(HandoffUse use) {
        return handoffs.undisturbed(use, excuses);
    }

    /** By the kind of the steps. */
    Map<String, List<Seen>> seen() {
        Map<String, List<Call>> writes = new HashMap<>();
        for (Operation operation : history.operations()) {
            EntityKey key = FailedRequest.keyOf(operation);
            if (key != null && isAcknowledged(operation)) {
                writes.computeIfAbsent(key.partition(), partition -> new ArrayList<>())
                        .add(operation.call());
            }
        }
        return steps.stream()
                .map(step -> seen(step, writes))
                .collect(Collectors.groupingBy(each -> each.step().kind(), LinkedHashMap::new, Collectors.toList()));
    }

    private static boolean isAcknowledged(Operation operation) {
        return operation instanceof Change && operation.outcome() == Outcome.DONE;
    }

    private Seen seen(Step step, Map<String, List<Call>> writes) {
        List<Operation> then =
                history.operations().stream().filter(step::overlaps).toList();
        return new Seen(
                step,
                step.partitions().stream()
                        .mapToLong(partition -> writable(
                                step, writes.getOrDefault(RecordingClients.partitionKey(partition), List.of())))
                        .max()
                        .orElse(0),
                then.stream()
                        .mapToLong(operation ->
                                operation.call().returned() - operation.call().invoked())
                        .max()
                        .orElse(0),
                then.size(),
                then.stream().filter(Report::isAcknowledged).count(),
                allFailed.stream()
                        .filter(failed -> step.overlaps(
                                failed.call().invoked(), failed.call().returned()))
                        .toList(),
                repeated.stream()
                        .filter(begun -> step.overlaps(begun, begun + 1))
                        .count());
    }

    /** Where nobody wrote afterwards, until the end of the step. */
    private static long writable(Step step, List<Call> writes) {
        return writes.stream()
                        .filter(call -> call.invoked() > step.from())
                        .mapToLong(Call::returned)
                        .min()
                        .orElse(step.until())
                - step.from();
    }

    static Histogram histogram(List<Seen> seen, ToLongFunction<Seen> value) {
        Histogram histogram = new Histogram(Tally.DIGITS);
        seen.forEach(each -> histogram.recordValue(value.applyAsLong(each)));
        return histogram;
    }
}
