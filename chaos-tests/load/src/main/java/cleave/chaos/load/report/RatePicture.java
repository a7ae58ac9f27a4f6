package cleave.chaos.load.report;

import cleave.chaos.load.run.Step;
import cleave.chaos.picture.Chart;
import cleave.chaos.picture.Chart.Kind;
import cleave.chaos.picture.Chart.Mark;
import cleave.chaos.picture.Chart.Plot;
import cleave.chaos.picture.Chart.Series;
import cleave.chaos.picture.ChartSvg;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Latency by rate as an SVG, from the steps of a load. Stateless. */
public final class RatePicture {
    private static final int HEIGHT = 230;
    private static final Map<String, Double> PERCENTILES = new LinkedHashMap<>();

    static {
        PERCENTILES.put("p50", 50.0);
        PERCENTILES.put("p99", 99.0);
        PERCENTILES.put("p99.9", 99.9);
    }

    private RatePicture() {}

    public static String of(Summary summary) {
        List<Step> steps = summary.steps().stream()
                .filter(step -> step.latency().getTotalCount() > 0)
                .sorted(Comparator.comparingDouble(Step::rate))
                .toList();
        List<Series> series = PERCENTILES.entrySet().stream()
                .map(each -> new Series(
                        each.getKey(),
                        steps.stream().map(Step::rate).toList(),
                        steps.stream()
                                .map(step -> Latencies.millis(step.latency(), each.getValue()))
                                .toList()))
                .toList();
        Search search = summary.search();
        return ChartSvg.of(new Chart(
                "Latency by rate: " + summary.setting().workload(),
                "operations due per second",
                List.of(),
                List.of(new Plot(Kind.LINES, "ms", HEIGHT, series, true)),
                search == null || !search.isFound()
                        ? List.of()
                        : List.of(new Mark(search.rate(), "keeps " + String.join(", ", search.conditions()))),
                List.of()));
    }
}
