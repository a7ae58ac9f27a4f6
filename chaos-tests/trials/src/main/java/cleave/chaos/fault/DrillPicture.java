package cleave.chaos.fault;

import cleave.chaos.fault.Availability.Gap;
import cleave.chaos.fault.Availability.OfPartition;
import cleave.chaos.fault.Drill.Fault;
import cleave.chaos.fault.Drill.Recovery;
import cleave.chaos.fault.Drill.Report;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Draws when each range took writes during drills, and the faults, as an SVG: for each drill the acknowledged writes a second, and a row for each
 * partition, with the gaps in it. Pure.
 */
final class DrillPicture {
    private static final int RATE_HEIGHT = 48;
    private static final int POINTS_MAX = 260;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double BUCKET_SECONDS_MIN = 0.5;

    private final Report report;
    private final Availability seen;
    private final double seconds;

    private DrillPicture(Report report) {
        this.report = report;
        this.seen = Availability.of(report.history());
        this.seconds = Math.max(1, (seen.until() - seen.from()) / NANOS_PER_SECOND);
    }

    static String of(List<Report> reports) {
        return ChartSvg.of(
                "Writes under faults", reports.stream().map(DrillPicture::chart).toList());
    }

    static Chart chart(Report report) {
        return new DrillPicture(report).chart();
    }

    private Chart chart() {
        Plot rate = new Plot(Kind.LINES, "writes/s", RATE_HEIGHT, List.of(rate()), false);
        List<Mark> marks = new ArrayList<>();
        List<Band> bands = new ArrayList<>();
        for (Fault fault : report.faults()) {
            boolean isPause = fault.kind().contains("paused");
            bands.add(new Band(second(fault.from()), second(fault.over())));
            marks.add(new Mark(
                    second(fault.from()),
                    isPause ? "paused" : "killed or cut off",
                    isPause ? Symbol.PAUSE : Symbol.CROSS));
            marks.add(new Mark(second(fault.over()), "runs again", Symbol.RUN));
        }
        return Chart.of(title(), "seconds", List.of(rate, rows())).marked(marks).shaded(bands);
    }

    /** Such as "server killed, 20 times: every range took writes again after 0.72 to 1.67 s". */
    private String title() {
        Map<String, List<Recovery>> byKind = new LinkedHashMap<>();
        report.recoveries()
                .forEach(each -> byKind.computeIfAbsent(each.kind(), kind -> new ArrayList<>())
                        .add(each));
        List<String> titles = new ArrayList<>();
        byKind.forEach((kind, recoveries) -> titles.add(kind + ", " + times(recoveries.size())
                + ": every range took writes again after " + between(recoveries) + " s"));
        return titles.isEmpty() ? "no faults" : String.join("; ", titles);
    }

    private static String times(int count) {
        return count == 1 ? "once" : count == 2 ? "twice" : count + " times";
    }

    private static String between(List<Recovery> recoveries) {
        String least = text(recoveries.stream().mapToLong(Recovery::nanos).min().orElse(0));
        String most = text(recoveries.stream().mapToLong(Recovery::nanos).max().orElse(0));
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
                boolean isExplained = report.faults().stream().anyMatch(fault -> fault.explains(partition.key(), gap));
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
                                "none for " + text(seen.gapNanosMin()) + " s, under a fault that affects the range",
                                Svg.RED,
                                affected),
                        new Stretches("none, without such a fault", Svg.YELLOW, elsewhere),
                        new Stretches("a request failed or has an unknown outcome", Svg.PURPLE, failed)));
    }
}
