package cleave.chaos.balance;

import cleave.chaos.picture.Chart;
import cleave.chaos.picture.Chart.Kind;
import cleave.chaos.picture.Chart.Mark;
import cleave.chaos.picture.Chart.Plot;
import cleave.chaos.picture.Chart.Series;
import cleave.chaos.picture.ChartSvg;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.ToDoubleFunction;

/** Draws a trial as an SVG: the load and the number of ranges of each server, with handoffs and verdicts. Pure. */
final class Picture {
    private static final int LOAD_HEIGHT = 184;
    private static final int RANGES_HEIGHT = 92;

    private Picture() {}

    static String of(Report report) {
        List<String> servers = report.moments().isEmpty()
                ? List.of()
                : List.copyOf(report.moments().get(0).servers().keySet());
        List<Series> loads = new ArrayList<>();
        List<Series> ranges = new ArrayList<>();
        for (String server : servers) {
            loads.add(series(report, server, moment -> moment.share(server).entities()));
            ranges.add(series(report, server, moment -> moment.share(server).ranges()));
        }
        List<Mark> marks = new ArrayList<>(List.of(new Mark(0, ""), new Mark(report.loadEnded(), "the load ends")));
        report.events().stream()
                .map(event -> Marks.of(event, report.events()))
                .filter(Objects::nonNull)
                .forEach(marks::add);
        return ChartSvg.of(Chart.of(
                        report.title(),
                        "seconds since the load began",
                        List.of(
                                new Plot(Kind.LINES, "entities/s", LOAD_HEIGHT, loads, false),
                                new Plot(Kind.AREAS, "ranges", RANGES_HEIGHT, ranges, false)))
                .marked(marks));
    }

    private static Series series(Report report, String server, ToDoubleFunction<Moment> of) {
        return new Series(
                server,
                report.moments().stream().map(Moment::seconds).toList(),
                report.moments().stream().map(of::applyAsDouble).toList());
    }
}
