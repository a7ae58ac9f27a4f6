package cleave.chaos.load.report;

import cleave.chaos.load.report.Summary.Setting;
import cleave.chaos.load.report.Summary.Verified;
import cleave.chaos.load.report.Summary.WarmUp;
import cleave.chaos.load.run.Schedule;
import cleave.chaos.load.run.Step;
import cleave.chaos.load.run.Tally.Count;
import cleave.chaos.load.workload.Action;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Makes one summary of those of several processes that put the same workload on side by side. Stateless. */
public final class MergedSummary {
    private static final double MILLIS_PER_SECOND = 1e3;
    private static final Comparator<Part> BY_START =
            Comparator.comparing(part -> part.summary().setting().started());
    private static final Comparator<Part> BY_END = Comparator.comparing(Part::end);

    private MergedSummary() {}

    /**
     * The summary of one process. Immutable.
     *
     * @param name in messages, such as its file
     */
    public record Part(String name, Summary summary) {
        Instant end() {
            return summary.setting().started().plusMillis(Math.round(summary.seconds() * MILLIS_PER_SECOND));
        }
    }

    /** IllegalArgumentException if a part ended before another one began: their rates did not add up. */
    public static void requireSideBySide(List<Part> parts) {
        Part last = parts.stream().max(BY_START).orElseThrow();
        Part first = parts.stream().min(BY_END).orElseThrow();
        if (!first.end().isAfter(last.summary().setting().started())) {
            throw new IllegalArgumentException(first.name() + " ended at " + first.end() + ", before " + last.name()
                    + " began at " + last.summary().setting().started()
                    + ": only reports of loads that ran side by side can be merged");
        }
    }

    /**
     * The summary of all processes.
     *
     * @throws IllegalArgumentException if they did not put the same workload on in the same kind of loop; the message names both
     */
    public static Summary of(List<Part> parts) {
        Part first = parts.get(0);
        for (Part part : parts) {
            if (part.summary().search() != null) {
                throw new IllegalArgumentException(part.name()
                        + " is of a search for the greatest rate: the steps of several processes cannot be merged");
            }
            requireSame(first, part, MergedSummary::workload, "the same workload");
            requireSame(
                    first,
                    part,
                    setting -> setting.isOpen() ? "an open loop" : "a closed loop",
                    "the same kind of loop, because latency counts from when an operation was due in an open loop, and"
                            + " from when it was sent in a closed one,");
        }
        List<Summary> all = parts.stream().map(Part::summary).toList();
        Instant zero = all.stream()
                .map(part -> part.setting().started())
                .min(Comparator.naturalOrder())
                .orElseThrow();
        Instant end = parts.stream().max(BY_END).orElseThrow().end();
        return new Summary(
                setting(all, zero),
                warmUp(all.stream().map(Summary::warmUp).toList()),
                Duration.between(zero, end).toMillis() / MILLIS_PER_SECOND,
                counts(all),
                latencies(all),
                Latencies.sum(all.stream().map(Summary::service).toList()),
                Latencies.sum(all.stream().map(Summary::failedLatency).toList()),
                problems(all),
                sum(all, Summary::neverSent),
                all.stream().flatMap(part -> part.failures().stream()).toList(),
                series(all, zero),
                steps(all.stream().map(Summary::steps).toList()),
                marks(all, zero),
                verified(all.stream().map(Summary::verification).toList()),
                List.of(),
                null);
    }

    private static String workload(Setting setting) {
        return "workload " + setting.workload() + " (" + setting.does() + ")";
    }

    private static void requireSame(Part first, Part other, Function<Setting, String> of, String what) {
        String one = of.apply(first.summary().setting());
        String another = of.apply(other.summary().setting());
        if (!one.equals(another)) {
            throw new IllegalArgumentException(first.name() + " is of " + one + ", " + other.name() + " of " + another
                    + ": only reports of " + what + " can be merged");
        }
    }

    private static Setting setting(List<Summary> all, Instant zero) {
        List<Setting> settings = all.stream().map(Summary::setting).toList();
        Setting first = settings.get(0);
        return new Setting(
                zero,
                distinct(settings, Setting::endpoint),
                distinct(settings, Setting::table),
                first.workload(),
                first.does(),
                schedule(settings),
                sum(settings, Setting::clients),
                distinct(settings, Setting::retries),
                sum(settings, Setting::processes),
                provenance(settings));
    }

    private static Provenance provenance(List<Setting> settings) {
        return new Provenance(
                distinct(settings, each -> each.provenance().machine()),
                settings.stream()
                        .mapToDouble(each -> each.provenance().machineLoad())
                        .max()
                        .orElse(-1),
                distinct(settings, each -> each.provenance().command()),
                distinct(settings, each -> each.provenance().seed()));
    }

    private static WarmUp warmUp(List<WarmUp> all) {
        return new WarmUp(
                all.stream().mapToDouble(WarmUp::seconds).min().orElse(0),
                all.stream().mapToLong(WarmUp::operations).sum(),
                all.stream().mapToLong(WarmUp::failed).sum());
    }

    /** None if the processes did not take the same steps. */
    private static List<Step> steps(List<List<Step>> all) {
        List<Step> sum = all.get(0);
        for (List<Step> other : all.subList(1, all.size())) {
            List<Step> mine = sum;
            boolean isSame = other.size() == mine.size()
                    && IntStream.range(0, mine.size()).allMatch(i -> mine.get(i).isAsLongAs(other.get(i)));
            sum = isSame
                    ? IntStream.range(0, mine.size())
                            .mapToObj(i -> mine.get(i).plus(other.get(i)))
                            .toList()
                    : List.of();
        }
        return sum;
    }

    private static String distinct(List<Setting> settings, Function<Setting, String> of) {
        return settings.stream().map(of).distinct().collect(Collectors.joining(" and "));
    }

    private static int sum(List<Setting> settings, ToIntFunction<Setting> of) {
        return settings.stream().mapToInt(of).sum();
    }

    private static long sum(List<Summary> all, ToLongFunction<Summary> of) {
        return all.stream().mapToLong(of).sum();
    }

    private static @Nullable Schedule schedule(List<Setting> settings) {
        Schedule sum = null;
        for (Setting each : settings) {
            Schedule own = each.schedule();
            sum = sum == null || own == null ? own : sum.plus(own);
        }
        return sum;
    }

    private static Map<Action, Count> counts(List<Summary> all) {
        Map<Action, Count> counts = new EnumMap<>(Action.class);
        all.forEach(part -> part.counts().forEach((action, count) -> counts.merge(action, count, Count::plus)));
        return counts;
    }

    private static Map<Action, Histogram> latencies(List<Summary> all) {
        Map<Action, Histogram> latencies = new EnumMap<>(Action.class);
        all.forEach(part -> part.latencies()
                .forEach((action, some) ->
                        latencies.merge(action, some, (one, more) -> Latencies.sum(List.of(one, more)))));
        return latencies;
    }

    private static Map<String, Long> problems(List<Summary> all) {
        Map<String, Long> problems = new TreeMap<>();
        all.forEach(part -> part.problems().forEach((title, count) -> problems.merge(title, count, Long::sum)));
        return problems;
    }

    private static double shift(Summary part, Instant zero) {
        return Duration.between(zero, part.setting().started()).toMillis() / MILLIS_PER_SECOND;
    }

    /** Seconds of the wall clock; the one in which the middle of a part's second lies is the same for all parts. */
    private static List<Second> series(List<Summary> all, Instant zero) {
        Map<Long, Second> byClock = new TreeMap<>();
        for (Summary part : all) {
            for (Second own : part.series()) {
                Second second = own.later(shift(part, zero));
                double middle = second.second() - second.length() / 2;
                long clock = Math.floorDiv(zero.toEpochMilli() + Math.round(middle * MILLIS_PER_SECOND), 1000L);
                byClock.merge(clock, second, Second::plus);
            }
        }
        return List.copyOf(byClock.values());
    }

    /** Each process saw the same events, if it asked for them at all. */
    private static List<RangeMark> marks(List<Summary> all, Instant zero) {
        Summary part = all.stream()
                .max(Comparator.comparingInt(each -> each.marks().size()))
                .orElseThrow();
        double shift = shift(part, zero);
        return part.marks().stream()
                .map(mark -> new RangeMark(mark.second() + shift, mark.kind(), mark.text()))
                .toList();
    }

    private static Verified verified(List<Verified> all) {
        List<String> found = new ArrayList<>();
        all.forEach(each -> found.addAll(each.problems()));
        return new Verified(
                all.stream().allMatch(Verified::isAsked),
                all.stream()
                        .map(Verified::failure)
                        .filter(failure -> !failure.isEmpty())
                        .findFirst()
                        .orElse(""),
                all.stream().mapToLong(Verified::entities).sum(),
                all.stream().mapToLong(Verified::wrong).sum(),
                found);
    }
}
