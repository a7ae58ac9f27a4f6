package cleave.chaos.load.report;

import cleave.chaos.load.report.BlockBootstrap.Interval;
import cleave.chaos.load.report.MergedSummary.Part;
import cleave.chaos.load.report.Summary.Setting;
import cleave.chaos.load.run.Schedule;
import cleave.chaos.load.run.Schedule.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * Compares two loads of the same kind, each of one run or several, by the seconds of their runs. Immutable.
 *
 * @param tolerance a ratio that deviates from 1 by less than this share is no difference
 */
public record Comparison(List<Part> first, List<Part> second, double tolerance, List<Row> rows) {
    /** Of fewer seconds there are too few blocks. */
    private static final int SECONDS_MIN = 30;

    private static final double SHORTEST_SECOND = 0.5;

    /** The relation of the second load's figure to the first one's. */
    public enum Change {
        BETTER("better"),
        SAME("the same"),
        UNCLEAR("not clear"),
        WORSE("WORSE");

        private final String title;

        Change(String title) {
            this.title = title;
        }
    }

    /**
     * A figure of both. Immutable.
     *
     * @param ratio of the second to the first, by the seconds
     */
    record Row(Figure figure, double first, double second, Interval ratio, Change change) {}

    public Comparison {
        first = List.copyOf(first);
        second = List.copyOf(second);
        rows = List.copyOf(rows);
    }

    /**
     * Compares them.
     *
     * @throws IllegalArgumentException if that says nothing; the message says why
     */
    public static Comparison of(List<Part> first, List<Part> second, double tolerance) {
        Stream.concat(first.stream(), second.stream()).forEach(part -> requireAlike(first.get(0), part));
        Stream.concat(first.stream(), second.stream()).forEach(Comparison::requireJudgeable);
        List<Row> rows = new ArrayList<>();
        for (Figure figure : List.of(Figure.P50, Figure.P99, Figure.P999, Figure.RATE)) {
            rows.add(row(figure, first, second, tolerance));
        }
        return new Comparison(first, second, tolerance, rows);
    }

    private static void requireAlike(Part first, Part second) {
        Setting one = first.summary().setting();
        Setting other = second.summary().setting();
        List<String> differences = new ArrayList<>();
        differ(differences, "workload", one, other, setting -> setting.workload() + " (" + setting.does() + ")");
        differ(differences, "pace", one, other, Comparison::pace);
        differ(differences, "connections", one, other, setting -> Integer.toString(setting.clients()));
        differ(differences, "processes", one, other, setting -> Integer.toString(setting.processes()));
        differ(differences, "retries", one, other, Setting::retries);
        if (!differences.isEmpty()) {
            throw new IllegalArgumentException(first.name() + " and " + second.name()
                    + " cannot be compared, since they are of different loads: " + String.join("; ", differences));
        }
    }

    private static void differ(
            List<String> differences, String what, Setting one, Setting other, Function<Setting, String> of) {
        if (!of.apply(one).equals(of.apply(other))) {
            differences.add(what + " " + of.apply(one) + " and " + of.apply(other));
        }
    }

    /** Without the duration, which may differ. */
    private static String pace(Setting setting) {
        Schedule schedule = setting.schedule();
        if (schedule == null) {
            return "a closed loop";
        }
        return isConstant(schedule) ? Schedule.text(schedule.phases().get(0).from()) + "/s" : schedule.toString();
    }

    private static boolean isConstant(Schedule schedule) {
        Phase phase = schedule.phases().get(0);
        return schedule.phases().size() == 1 && phase.from() == phase.to();
    }

    private static void requireJudgeable(Part part) {
        Summary summary = part.summary();
        Schedule schedule = summary.setting().schedule();
        if (schedule != null && !isConstant(schedule)) {
            throw new IllegalArgumentException(part.name() + " is of several rates, of which each has another latency;"
                    + " compare loads at one --rate");
        }
        if (!summary.isRateReached()) {
            throw new IllegalArgumentException(part.name() + " did not reach its rate, so its longest latencies are"
                    + " missing; compare loads at a lower --rate");
        }
        int seconds = seconds(summary, Figure.P50).length;
        if (seconds < SECONDS_MIN) {
            throw new IllegalArgumentException(part.name() + " has " + seconds + " whole seconds in which operations"
                    + " succeeded; a comparison needs " + SECONDS_MIN + ", so give --seconds " + 2 * SECONDS_MIN);
        }
    }

    private static double[] seconds(Summary summary, Figure figure) {
        ToDoubleFunction<Second> of = switch (figure) {
            case P50 -> Second::p50;
            case P99 -> Second::p99;
            case P999 -> Second::p999;
            case RATE -> Second::done;
            case P90, P9999, MAX, ERRORS, WRONG -> throw new IllegalArgumentException("no second has " + figure);
        };
        return summary.series().stream()
                .filter(second -> second.length() >= SHORTEST_SECOND)
                .filter(second -> second.done() > 0 || !figure.isLatency())
                .mapToDouble(of)
                .toArray();
    }

    private static Row row(Figure figure, List<Part> first, List<Part> second, double tolerance) {
        List<double[]> one = ofRuns(first, figure);
        List<double[]> other = ofRuns(second, figure);
        Interval ratio = figure.isLatency()
                ? BlockBootstrap.ratioOfGeometricMeans(one, other)
                : BlockBootstrap.ratioOfMeans(one, other);
        return new Row(
                figure,
                mean(first, figure),
                mean(second, figure),
                ratio,
                change(ratio, tolerance, figure.isWorseAbove()));
    }

    private static List<double[]> ofRuns(List<Part> runs, Figure figure) {
        return runs.stream().map(run -> seconds(run.summary(), figure)).toList();
    }

    private static double mean(List<Part> runs, Figure figure) {
        return runs.stream()
                .mapToDouble(run -> figure.in(run.summary(), null).orElse(0))
                .average()
                .orElse(0);
    }

    private static Change change(Interval ratio, double tolerance, boolean isWorseAbove) {
        double above = 1 + tolerance;
        double below = 1 / above;
        if (ratio.low() > above) {
            return isWorseAbove ? Change.WORSE : Change.BETTER;
        }
        if (ratio.high() < below) {
            return isWorseAbove ? Change.BETTER : Change.WORSE;
        }
        return ratio.low() >= below && ratio.high() <= above ? Change.SAME : Change.UNCLEAR;
    }

    /** True if a figure of the second load is worse than that of the first by more than the tolerance and chance. */
    public boolean isWorse() {
        return rows.stream().anyMatch(row -> row.change() == Change.WORSE);
    }

    /** For the terminal. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        Setting setting = first.get(0).summary().setting();
        line(text, "%s: %s; %s, %d in flight", setting.workload(), setting.does(), pace(setting), setting.clients());
        first.forEach(run -> about(text, "A", run));
        second.forEach(run -> about(text, "B", run));
        line(text, "");
        line(text, "%-8s %14s %14s   %s", "", "A", "B", "B/A by the seconds");
        for (Row row : rows) {
            line(
                    text,
                    "%-8s %14s %14s   %.2f (%.2f to %.2f)  %s",
                    row.figure(),
                    row.figure().text(row.first()),
                    row.figure().text(row.second()),
                    row.ratio().estimate(),
                    row.ratio().low(),
                    row.ratio().high(),
                    row.change().title);
        }
        line(text, "%-8s %14s %14s   (latencies leave them out)", "errors", errors(first), errors(second));
        line(text, "");
        line(
                text,
                "In brackets the 99%% interval of a circular block bootstrap over %sthe seconds (%d s together, %,d"
                        + " rounds); within %.0f%% is the same.%s",
                isOfOneRun() ? "" : "the runs and ",
                BlockBootstrap.BLOCK,
                BlockBootstrap.ROUNDS,
                tolerance * 100,
                isOfOneRun() ? " What differs from one run to the next is not in it: give several of each." : "");
        return text.toString();
    }

    private boolean isOfOneRun() {
        return first.size() == 1 || second.size() == 1;
    }

    private static void about(StringBuilder text, String name, Part part) {
        Setting setting = part.summary().setting();
        line(
                text,
                "%s: %s, begun at %s on %s, sent by %s%s",
                name,
                part.name(),
                setting.started(),
                setting.endpoint(),
                setting.provenance().machine(),
                TerminalReport.load(setting.provenance()));
    }

    private static String errors(List<Part> runs) {
        return String.format(
                Locale.ROOT,
                "%,d",
                runs.stream().mapToLong(run -> run.summary().total().failed()).sum());
    }

    private static void line(StringBuilder text, String format, Object... arguments) {
        TerminalReport.line(text, format, arguments);
    }
}
