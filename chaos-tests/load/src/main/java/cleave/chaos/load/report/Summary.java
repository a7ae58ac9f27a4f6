package cleave.chaos.load.report;

import cleave.chaos.load.run.Schedule;
import cleave.chaos.load.run.Step;
import cleave.chaos.load.run.Tally;
import cleave.chaos.load.run.Tally.Count;
import cleave.chaos.load.workload.Action;
import java.time.Instant;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The result of a load. Immutable; its histograms must not be changed.
 *
 * @param setting what was measured
 * @param warmUp what came before second 0, of which nothing else here knows
 * @param seconds from the first request to the last answer
 * @param counts of each action that was used
 * @param latencies of each action, in nanoseconds since operations were due, of those that ended as they should
 * @param service of all of these, since their last attempt was sent
 * @param failedLatency of all operations that failed, since they were due
 * @param problems attempts that were no success, by what was answered
 * @param neverSent operations that were due and never sent
 * @param failures the first operations that failed
 * @param steps of the schedule or the search, in order; none if there is a single one
 * @param verification what was found at the end
 * @param judgements what became of the conditions of the command
 * @param search of which this is the step at the rate that was found; null: there was none
 */
public record Summary(
        Setting setting,
        WarmUp warmUp,
        double seconds,
        Map<Action, Count> counts,
        Map<Action, Histogram> latencies,
        Histogram service,
        Histogram failedLatency,
        Map<String, Long> problems,
        long neverSent,
        List<String> failures,
        List<Second> series,
        List<Step> steps,
        List<RangeMark> marks,
        Verified verification,
        List<Judgement> judgements,
        @Nullable Search search) {
    /** A load that sent less than this share of what was due did not reach its rate. */
    static final double REACHED = 0.99;

    /**
     * The figures of a run. Immutable.
     *
     * @param started wall clock at second 0
     * @param workload its name
     * @param does its mix and distribution, for people
     * @param schedule by which operations were due; null: a closed loop
     * @param clients the most requests in flight
     * @param processes that put the load on
     * @param provenance where they run, and how they were started
     */
    public record Setting(
            Instant started,
            String endpoint,
            String table,
            String workload,
            String does,
            @Nullable Schedule schedule,
            int clients,
            String retries,
            int processes,
            Provenance provenance) {
        Setting by(Provenance other) {
            return new Setting(started, endpoint, table, workload, does, schedule, clients, retries, processes, other);
        }

        public boolean isOpen() {
            return schedule != null;
        }

        /** Open or closed, and how fast. */
        public String loop() {
            return schedule == null ? "closed loop" : "open loop, " + schedule;
        }
    }

    /**
     * The same load for some seconds before, so that neither the client nor a new table is cold. Immutable.
     *
     * @param seconds 0: there was none
     */
    public record WarmUp(double seconds, long operations, long failed) {
        public static final WarmUp NONE = new WarmUp(0, 0, 0);

        /** For people. */
        @Override
        public String toString() {
            return seconds == 0
                    ? "no warm-up: the first seconds are of a cold client"
                    : String.format(
                            Locale.ROOT,
                            "warmed up for %s s with %,d operations, which are not measured%s",
                            Schedule.text(seconds),
                            operations,
                            failed == 0 ? "" : String.format(Locale.ROOT, "; %,d of them failed", failed));
        }
    }

    /**
     * The comparison at the end. Immutable.
     *
     * @param isAsked false if there was to be none
     * @param failure why it could not be finished; empty if it could
     */
    public record Verified(boolean isAsked, String failure, long entities, long wrong, List<String> problems) {
        public static final Verified NOT = new Verified(false, "", 0, 0, List.of());

        public Verified {
            problems = List.copyOf(problems);
        }

        /** One that could not be finished. */
        public static Verified failed(String why) {
            return new Verified(true, why, 0, 0, List.of());
        }

        public boolean isRight() {
            return wrong == 0 && failure.isEmpty();
        }
    }

    public Summary {
        counts = Collections.unmodifiableMap(new EnumMap<>(counts.isEmpty() ? new EnumMap<>(Action.class) : counts));
        latencies = Collections.unmodifiableMap(
                new EnumMap<>(latencies.isEmpty() ? new EnumMap<>(Action.class) : latencies));
        problems = Collections.unmodifiableMap(new TreeMap<>(problems));
        failures = List.copyOf(failures);
        series = List.copyOf(series);
        steps = List.copyOf(steps);
        marks = List.copyOf(marks);
        judgements = List.copyOf(judgements);
    }

    /** The same with the outcome of a verification. */
    public Summary with(Verified verified) {
        return with(setting, steps, marks, verified, judgements, search);
    }

    /** The same for a command whose processes put the load on. */
    public Summary by(Provenance provenance) {
        return with(setting.by(provenance), steps, marks, verification, judgements, search);
    }

    /** The same with what happened to ranges. */
    public Summary marked(List<RangeMark> all) {
        return with(setting, steps, all, verification, judgements, search);
    }

    /** The same with what became of conditions. */
    public Summary judged(List<Judgement> by) {
        return with(setting, steps, marks, verification, by, search);
    }

    /** The same as one step of a search. */
    public Summary searched(List<Step> all, Search of) {
        return with(setting, all, marks, verification, judgements, of);
    }

    private Summary with(
            Setting of,
            List<Step> taken,
            List<RangeMark> all,
            Verified verified,
            List<Judgement> judged,
            @Nullable Search searched) {
        return new Summary(
                of,
                warmUp,
                seconds,
                counts,
                latencies,
                service,
                failedLatency,
                problems,
                neverSent,
                failures,
                series,
                taken,
                all,
                verified,
                judged,
                searched);
    }

    /** The figures of all actions together. */
    public Count total() {
        return counts.values().stream().reduce(Count.NONE, Count::plus);
    }

    /** Latencies of all actions, of operations that ended as they should. */
    public Histogram latency() {
        return Latencies.sum(latencies.values());
    }

    /** Latencies of one action; empty if none of its operations succeeded. */
    public Histogram latency(Action action) {
        return Objects.requireNonNullElseGet(latencies.get(action), () -> new Histogram(Tally.DIGITS));
    }

    /** Attempts per second, whatever became of them. */
    public double throughput() {
        return total().attempts() / seconds;
    }

    /** Operations per second that ended as they should. */
    public double goodput() {
        return total().done() / seconds;
    }

    public boolean isRateReached() {
        long sent = total().operations();
        return neverSent == 0 || sent >= REACHED * (sent + neverSent);
    }

    /** True if nothing failed, and nothing was found wrong at the end. */
    public boolean isRight() {
        return total().failed() == 0 && verification.isRight();
    }
}
