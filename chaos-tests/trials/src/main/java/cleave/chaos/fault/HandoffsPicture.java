package cleave.chaos.fault;

import cleave.chaos.fault.Drill.Report;
import cleave.chaos.fault.Stalls.Waited;
import cleave.chaos.load.Figures;
import cleave.chaos.picture.Chart;
import cleave.chaos.picture.Chart.Series;
import cleave.chaos.picture.ChartSvg;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import org.HdrHistogram.Histogram;

/**
 * Draws how long clients waited around handoffs, as an SVG: the distribution for each kind of handoff, and the waits just before and after
 * the switch; and when ranges took writes, if there were faults. Pure.
 */
final class HandoffsPicture {
    private static final int PERCENT = 100;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final long BIN_NANOS = 20_000_000;
    /** How many bins before the end of a handoff, and how many after. */
    private static final int BINS = 20;

    private HandoffsPicture() {}

    static String of(Report report) {
        List<Chart> charts = new ArrayList<>(charts(report));
        if (!report.faults().isEmpty()) {
            charts.add(DrillPicture.chart(report));
        }
        return ChartSvg.of("Waits of clients around handoffs", charts);
    }

    /** Such charts as there are figures for. */
    static List<Chart> charts(Report report) {
        Stalls stalls = new Stalls(report.history().operations(), report.table());
        List<Series> waits = new ArrayList<>();
        List<Series> switches = new ArrayList<>();
        Map<Long, Histogram> around = new TreeMap<>();
        for (HandoffUse use : HandoffUse.values()) {
            Histogram longest = new Histogram(Figures.DIGITS);
            Histogram switching = new Histogram(Figures.DIGITS);
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
        addQuantiles("all requests, with or without a handoff", stalls.distribution(report.countsFrom()), waits);
        List<Chart> charts = new ArrayList<>();
        charts.add(Chart.lines(
                        "Longest wait of a client around the switch of a handoff",
                        "ms",
                        "percent of the handoffs, or of all requests, with at most that",
                        waits)
                .onLogarithmicAxis());
        charts.add(Chart.lines(
                        "Switch, as the owner of the sources measured it",
                        "ms",
                        "percent of the handoffs with at most that",
                        switches)
                .onLogarithmicAxis());
        charts.add(Chart.lines(
                        "Waits on the keys of a handoff, by when the request was sent",
                        "ms",
                        "ms since the leader noted the end of the handoff",
                        around(around))
                .onLogarithmicAxis());
        return charts;
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
            to.computeIfAbsent((wait.from() - from) / BIN_NANOS, bin -> new Histogram(Figures.DIGITS))
                    .recordValue(wait.nanos());
        }
    }

    private static List<Series> around(Map<Long, Histogram> bins) {
        List<Double> x = bins.keySet().stream()
                .map(bin -> (bin - BINS + 0.5) * BIN_NANOS / NANOS_PER_MILLI)
                .toList();
        return bins.isEmpty()
                ? List.of()
                : List.of(
                        series("median", x, bins, nanos -> millis(nanos, 50)),
                        series("90th percentile", x, bins, nanos -> millis(nanos, 90)),
                        series("longest", x, bins, nanos -> millis(nanos, PERCENT)));
    }

    private static Series series(
            String name, List<Double> x, Map<Long, Histogram> bins, ToDoubleFunction<Histogram> value) {
        return new Series(
                name, x, bins.values().stream().map(value::applyAsDouble).toList());
    }

    private static double millis(Histogram nanos, double percentile) {
        return nanos.getValueAtPercentile(percentile) / NANOS_PER_MILLI;
    }
}
