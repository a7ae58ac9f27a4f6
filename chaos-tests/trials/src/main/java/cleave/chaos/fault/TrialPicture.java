package cleave.chaos.fault;

import cleave.chaos.fault.Availability.Gap;
import cleave.chaos.fault.Availability.OfPartition;
import cleave.chaos.fault.Report.Seen;
import cleave.chaos.fault.Stalls.Waited;
import cleave.chaos.fault.Trial.Step;
import cleave.chaos.load.run.Tally;
import cleave.chaos.picture.Chart;
import cleave.chaos.picture.Chart.Band;
import cleave.chaos.picture.Chart.Kind;
import cleave.chaos.picture.Chart.Mark;
import cleave.chaos.picture.Chart.Plot;
import cleave.chaos.picture.Chart.Rows;
import cleave.chaos.picture.Chart.Series;
import cleave.chaos.picture.Chart.Stretch;
import cleave.chaos.picture.Chart.Stretches;
import cleave.chaos.picture.ChartSvg;
import cleave.chaos.picture.Svg;
import cleave.chaos.picture.Symbol;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.DoubleStream;
import org.HdrHistogram.Histogram;

/**
 * Draws trials as an SVG. Pure.
 *
 * <p>For each: how long clients waited around handoffs, if there were any; the acknowledged writes a second, and a row for each partition with the
 * gaps in which it took none, and the steps.
 */
final class TrialPicture {
    private static final int RATE_HEIGHT = 48;
    private static final int POINTS_MAX = 260;
    private static final int PERCENT = 100;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double BUCKET_SECONDS_MIN = 0.5;
    private static final long BIN_NANOS = 20_000_000;
    /** How many bins before the end of a handoff, and how many after. */
    private static final int BINS = 20;

    private final Report report;
    private final Availability seen;
    private final double seconds;

    private TrialPicture(Report report) {
        this.report = report;
        this.seen = Availability.of(report.history());
        this.seconds = Math.max(1, (seen.until() - seen.from()) / NANOS_PER_SECOND);
    }

    static String of(List<Report> reports) {
        List<Chart> charts = new ArrayList<>();
        for (Report report : reports) {
            boolean hasHandoffs = !report.handoffs().seen().isEmpty();
            if (hasHandoffs) {
                charts.addAll(ofHandoffs(report));
            }
            if (!report.steps().isEmpty() || (reports.size() == 1 && !hasHandoffs)) {
                charts.add(new TrialPicture(report).chart());
            }
        }
        return ChartSvg.of("What clients saw", charts);
    }

    private Chart chart() {
        Plot rate = new Plot(Kind.LINES, "writes/s", RATE_HEIGHT, List.of(rate()), false);
        List<Mark> marks = new ArrayList<>();
        List<Band> bands = new ArrayList<>();
        for (Step step : report.steps()) {
            boolean isPause = step.kind().contains("paused");
            bands.add(new Band(second(step.from()), second(step.over())));
            marks.add(new Mark(
                    second(step.from()),
                    isPause ? "paused" : "killed, cut off or ended",
                    isPause ? Symbol.PAUSE : Symbol.CROSS));
            marks.add(new Mark(second(step.over()), "runs again", Symbol.RUN));
        }
        return Chart.of(title(), "seconds", List.of(rate, rows())).marked(marks).shaded(bands);
    }

    /** Such as "server killed, 20 times: every range took writes again after 0.72 to 1.67 s". */
    private String title() {
        List<String> titles = new ArrayList<>();
        report.seen()
                .forEach((kind, all) -> titles.add(kind + ", " + times(all.size())
                        + (report.isProbed() ? ": every range took writes again after " + between(all) + " s" : "")));
        return titles.isEmpty() ? "no faults" : String.join("; ", titles);
    }

    private static String times(int count) {
        return count == 1 ? "once" : count == 2 ? "twice" : count + " times";
    }

    private static String between(List<Seen> all) {
        String least = text(all.stream().mapToLong(Seen::writable).min().orElse(0));
        String most = text(all.stream().mapToLong(Seen::writable).max().orElse(0));
        return least.equals(most) ? most : least + " to " + most;
    }

    private static String text(long nanos) {
        return String.format(Locale.ROOT, "%.2f", nanos / NANOS_PER_SECOND);
    }

    private double second(long nanos) {
        return Math.max(0, Math.min(seconds, (nanos - seen.from()) / NANOS_PER_SECOND));
    }

    /** The acknowledged writes a second of all ranges. */
    private Series rate() {
        double bucket = Math.max(BUCKET_SECONDS_MIN, seconds / POINTS_MAX);
        int[] counts = new int[(int) Math.ceil(seconds / bucket)];
        for (long time : seen.acknowledged()) {
            int index = (int) ((time - seen.from()) / NANOS_PER_SECOND / bucket);
            counts[Math.min(counts.length - 1, index)]++;
        }
        List<Double> x = new ArrayList<>();
        List<Double> y = new ArrayList<>();
        for (int i = 0; i < counts.length; i++) {
            x.add(Math.min(seconds, (i + 0.5) * bucket));
            y.add(counts[i] / bucket);
        }
        return new Series("all ranges", x, y);
    }

    private Rows rows() {
        List<Stretch> whole = new ArrayList<>();
        List<Stretch> affected = new ArrayList<>();
        List<Stretch> elsewhere = new ArrayList<>();
        List<Stretch> failed = new ArrayList<>();
        for (int row = 0; row < seen.partitions().size(); row++) {
            OfPartition partition = seen.partitions().get(row);
            whole.add(new Stretch(row, 0, seconds));
            for (Gap gap : partition.gaps()) {
                boolean isExplained = report.steps().stream().anyMatch(step -> step.explains(partition.key(), gap));
                (isExplained ? affected : elsewhere).add(new Stretch(row, second(gap.from()), second(gap.until())));
            }
            for (long time : partition.failed()) {
                failed.add(new Stretch(row, second(time), second(time)));
            }
        }
        return new Rows(
                "ranges",
                seen.partitions().size(),
                List.of(
                        new Stretches("writes acknowledged", Svg.LIGHT_GREEN, whole),
                        new Stretches(
                                "none for " + text(seen.gapNanosMin()) + " s, under a step that affects the range",
                                Svg.RED,
                                affected),
                        new Stretches("none, without such a step", Svg.YELLOW, elsewhere),
                        new Stretches("a request failed or has an unknown outcome", Svg.PURPLE, failed)));
    }

    /** The distribution of waits for each kind of handoff, and the waits just before and after the switch. */
    static List<Chart> ofHandoffs(Report report) {
        Stalls stalls = new Stalls(report.history().operations(), report.table());
        List<Series> waits = new ArrayList<>();
        List<Series> switches = new ArrayList<>();
        Map<Long, Histogram> around = new TreeMap<>();
        for (HandoffUse use : HandoffUse.values()) {
            Histogram longest = new Histogram(Tally.DIGITS);
            Histogram switching = new Histogram(Tally.DIGITS);
            for (SeenHandoff handoff : report.undisturbed(use)) {
                long wait = stalls.longestAtSwitch(handoff);
                if (wait >= 0) {
                    longest.recordValue(wait);
                }
                switching.recordValue(handoff.switchMicros() * 1_000);
                addAround(handoff, stalls, around);
            }
            String name = use.name().toLowerCase(Locale.ROOT);
            addQuantiles(name, longest, waits);
            addQuantiles(name, switching, switches);
        }
        addQuantiles(
                "all requests, with or without a handoff",
                stalls.distribution(report.handoffs().countsFrom()),
                waits);
        return List.of(
                millis(
                        "Longest wait of a client around the switch of a handoff",
                        "percent of the handoffs, or of all requests, with at most that",
                        waits),
                millis(
                        "Switch, as the owner of the sources measured it",
                        "percent of the handoffs with at most that",
                        switches),
                millis(
                        "Waits on the keys of a handoff, by when the request was sent",
                        "ms since the leader noted the end of the handoff",
                        around(around)));
    }

    private static Chart millis(String title, String abscissa, List<Series> series) {
        return Chart.lines(title, "ms", abscissa, series).onLogarithmicAxis();
    }

    private static void addQuantiles(String name, Histogram nanos, List<Series> to) {
        if (nanos.getTotalCount() > 0) {
            List<Double> percents = DoubleStream.iterate(0, percent -> percent <= PERCENT, percent -> percent + 1)
                    .boxed()
                    .toList();
            to.add(new Series(
                    name + " (" + nanos.getTotalCount() + ")",
                    percents,
                    percents.stream().map(percent -> millis(nanos, percent)).toList()));
        }
    }

    private static void addAround(SeenHandoff handoff, Stalls stalls, Map<Long, Histogram> to) {
        long from = handoff.ended() - BINS * BIN_NANOS;
        for (Waited wait : stalls.begunWithin(handoff.interval(), from, handoff.ended() + BINS * BIN_NANOS)) {
            to.computeIfAbsent((wait.from() - from) / BIN_NANOS, bin -> new Histogram(Tally.DIGITS))
                    .recordValue(wait.nanos());
        }
    }

    private static List<Series> around(Map<Long, Histogram> bins) {
        return bins.isEmpty()
                ? List.of()
                : List.of(
                        percentile("median", 50, bins),
                        percentile("90th percentile", 90, bins),
                        percentile("longest", PERCENT, bins));
    }

    private static Series percentile(String name, double percentile, Map<Long, Histogram> bins) {
        return new Series(
                name,
                bins.keySet().stream()
                        .map(bin -> (bin - BINS + 0.5) * BIN_NANOS / NANOS_PER_MILLI)
                        .toList(),
                bins.values().stream().map(nanos -> millis(nanos, percentile)).toList());
    }

    private static double millis(Histogram nanos, double percentile) {
        return nanos.getValueAtPercentile(percentile) / NANOS_PER_MILLI;
    }
}
