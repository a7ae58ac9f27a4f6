package cleave.chaos.load.report;

import cleave.chaos.load.run.Tally.Count;
import cleave.chaos.load.workload.Action;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * What a load has shown. Immutable, except that its histograms can be changed by whoever made them.
 *
 * @param setting what was measured
 * @param seconds from the first request to the last answer
 * @param counts of each action that was used
 * @param latencies of each action, in nanoseconds since operations were due
 * @param service of all of them, since their last attempt was sent
 * @param problems attempts that were no success, by what was answered
 * @param neverSent operations that were due and never sent
 * @param failures the first operations that failed
 * @param verification what was found at the end
 */
public record Summary(
        Setting setting,
        double seconds,
        Map<Action, Count> counts,
        Map<Action, Histogram> latencies,
        Histogram service,
        Map<String, Long> problems,
        long neverSent,
        List<String> failures,
        List<Second> series,
        List<Mark> marks,
        Verified verification) {
    /** A load that sent less than this share of what was due did not reach its rate. */
    static final double REACHED = 0.99;

    /**
     * What was measured. Immutable.
     *
     * @param started wall clock, as ISO 8601
     * @param workload its name
     * @param does its mix and distribution, for people
     * @param loop open or closed, and how fast
     * @param clients the most requests in flight
     * @param isOpen true if operations were due by a schedule
     * @param processes that put the load on
     */
    public record Setting(
            String started,
            String endpoint,
            String table,
            String workload,
            String does,
            String loop,
            boolean isOpen,
            int clients,
            String retries,
            int processes) {}

    /**
     * The comparison at the end. Immutable.
     *
     * @param isMade false if none was asked for
     */
    public record Verified(boolean isMade, long entities, long wrong, List<String> problems) {
        public static final Verified NOT = new Verified(false, 0, 0, List.of());

        public Verified {
            problems = List.copyOf(problems);
        }
    }

    public Summary {
        counts = Collections.unmodifiableMap(new EnumMap<>(counts.isEmpty() ? new EnumMap<>(Action.class) : counts));
        latencies = Collections.unmodifiableMap(
                new EnumMap<>(latencies.isEmpty() ? new EnumMap<>(Action.class) : latencies));
        problems = Collections.unmodifiableMap(new TreeMap<>(problems));
        failures = List.copyOf(failures);
        series = List.copyOf(series);
        marks = List.copyOf(marks);
    }

    /** The same with the outcome of a verification. */
    public Summary with(Verified verified) {
        return new Summary(
                setting, seconds, counts, latencies, service, problems, neverSent, failures, series, marks, verified);
    }

    /** The same with what happened to ranges. */
    public Summary marked(List<Mark> all) {
        return new Summary(
                setting, seconds, counts, latencies, service, problems, neverSent, failures, series, all, verification);
    }

    /** Of all actions. */
    public Count total() {
        return counts.values().stream().reduce(Count.NONE, Count::plus);
    }

    /** Latencies of all actions. */
    public Histogram latency() {
        return Latencies.sum(latencies.values());
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

    /** True if nothing failed and nothing was found wrong. */
    public boolean isRight() {
        return total().failed() == 0 && verification.wrong() == 0;
    }

    /** Those of several processes that ran side by side. */
    public static Summary merged(List<Summary> parts) {
        Summary all = parts.get(0);
        for (Summary part : parts.subList(1, parts.size())) {
            all = all.plus(part);
        }
        return all;
    }

    private Summary plus(Summary other) {
        Map<Action, Count> allCounts = new EnumMap<>(Action.class);
        counts.forEach((action, count) -> allCounts.merge(action, count, Count::plus));
        other.counts.forEach((action, count) -> allCounts.merge(action, count, Count::plus));
        Map<Action, Histogram> allLatencies = new EnumMap<>(Action.class);
        for (Summary each : List.of(this, other)) {
            each.latencies.forEach((action, some) ->
                    allLatencies.merge(action, some, (one, more) -> Latencies.sum(List.of(one, more))));
        }
        Map<String, Long> allProblems = new TreeMap<>(problems);
        other.problems.forEach((title, count) -> allProblems.merge(title, count, Long::sum));
        Setting its = setting;
        return new Summary(
                new Setting(
                        its.started().compareTo(other.setting.started()) <= 0 ? its.started() : other.setting.started(),
                        its.endpoint(),
                        its.table(),
                        its.workload(),
                        its.does(),
                        its.loop(),
                        its.isOpen(),
                        its.clients() + other.setting.clients(),
                        its.retries(),
                        its.processes() + other.setting.processes()),
                Math.max(seconds, other.seconds),
                allCounts,
                allLatencies,
                Latencies.sum(List.of(service, other.service)),
                allProblems,
                neverSent + other.neverSent,
                joined(failures, other.failures),
                bySecond(series, other.series),
                marks.isEmpty() ? other.marks : marks,
                new Verified(
                        verification.isMade() && other.verification.isMade(),
                        verification.entities() + other.verification.entities(),
                        verification.wrong() + other.verification.wrong(),
                        joined(verification.problems(), other.verification.problems())));
    }

    private static List<String> joined(List<String> some, List<String> more) {
        List<String> all = new ArrayList<>(some);
        all.addAll(more);
        return all;
    }

    private static List<Second> bySecond(List<Second> some, List<Second> more) {
        List<Second> all = new ArrayList<>();
        for (int i = 0; i < Math.max(some.size(), more.size()); i++) {
            if (i >= some.size()) {
                all.add(more.get(i));
            } else {
                all.add(i < more.size() ? some.get(i).plus(more.get(i)) : some.get(i));
            }
        }
        return all;
    }
}
