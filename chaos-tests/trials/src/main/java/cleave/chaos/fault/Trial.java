package cleave.chaos.fault;

import cleave.chaos.history.History;
import cleave.chaos.history.HistoryChecker;
import cleave.chaos.history.Operation;
import cleave.model.Key;
import cleave.model.KeyRange;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Clients on one table of a cluster, what is done to the cluster step by step, and what the clients saw. Confined to its thread. */
public final class Trial {
    private final RecordingClients workload;
    private final long table;
    private final Runnable settle;
    private final Consumer<String> progress;
    private final List<Step> steps = new ArrayList<>();
    private final List<Excuse> excuses = new ArrayList<>();

    /**
     * A fault, and the partitions that it can have affected.
     *
     * @param goal for people; missing it is no failure
     * @param over when it was over: what failed was there again
     * @param until when everything had recovered
     */
    public record Step(String kind, String goal, long from, long over, long until, List<Integer> partitions) {
        boolean overlaps(long begun, long ended) {
            return ended > from && begun < until;
        }

        boolean overlaps(Operation operation) {
            return overlaps(operation.call().invoked(), operation.call().returned());
        }

        /** True if the gap began before what failed was there again, in a partition that it can have affected. */
        boolean explains(String partition, Availability.Gap gap) {
            return gap.until() > from
                    && gap.from() < over
                    && partitions.stream().map(RecordingClients::partitionKey).anyMatch(partition::equals);
        }
    }

    /** An interval of time in which requests to an interval of keys may fail; null: to any key. */
    record Excuse(@Nullable KeyRange interval, long from, long until) {
        boolean overlaps(SeenHandoff handoff) {
            return handoff.begun() < until && handoff.ended() > from;
        }

        boolean holds(FailedRequest failed, long table) {
            boolean isThen = failed.call().invoked() < until && failed.call().returned() > from;
            return isThen
                    && (interval == null
                            || failed.key() == null
                            || interval.contains(Key.of(table, failed.key().partition(), "")));
        }
    }

    /** Does something to the cluster. */
    public interface Action {
        /** Returns when it was over, by {@link System#nanoTime}. */
        long carryOut() throws Exception;
    }

    /**
     * @param table the id of the clients' table
     * @param settle returns after a step when everything but the clients has recovered
     */
    public Trial(RecordingClients workload, long table, Runnable settle, Consumer<String> progress) {
        this.workload = workload;
        this.table = table;
        this.settle = settle;
        this.progress = progress;
    }

    /** Starts the clients; returns when each range has taken a write. */
    public void begin() {
        workload.start();
        workload.awaitWritesEverywhere(FaultCluster.PATIENCE);
    }

    /** Carries out a step; returns when everything has recovered. */
    public Step step(String kind, String goal, List<Integer> partitions, Action action) {
        progress.accept(kind + ", which can affect " + partitions.size() + " partitions");
        long from = System.nanoTime();
        long over;
        try {
            over = action.carryOut();
        } catch (RuntimeException failed) {
            throw failed;
        } catch (Exception failed) {
            throw new IllegalStateException(kind + ": " + failed.getMessage(), failed);
        }
        settle.run();
        workload.awaitWritesEverywhere(FaultCluster.PATIENCE);
        Step step = new Step(kind, goal, from, over, System.nanoTime(), partitions);
        add(step);
        return step;
    }

    /** A step that was carried out before the clients began. */
    public void add(Step step) {
        steps.add(step);
    }

    /** Any request may fail during the step. */
    void excuse(Step step) {
        excuse(null, step);
    }

    void excuse(@Nullable KeyRange interval, Step step) {
        excuses.add(new Excuse(interval, step.from(), step.until()));
    }

    /** Ends the clients and checks their history. */
    public Report end() {
        return end(Handoffs.NONE);
    }

    Report end(Handoffs handoffs) {
        History history = workload.stop();
        progress.accept("checking the history of " + history.size() + " operations");
        return new Report(
                history,
                HistoryChecker.check(history),
                List.copyOf(steps),
                List.copyOf(excuses),
                workload.failedRequests(),
                workload.repeated(),
                workload.scans(),
                handoffs,
                workload.probes(),
                table);
    }
}
