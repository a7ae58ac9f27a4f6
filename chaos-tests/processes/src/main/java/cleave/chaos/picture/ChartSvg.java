package cleave.chaos.picture;

import cleave.chaos.picture.Chart.Kind;
import cleave.chaos.picture.Chart.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;

/** Draws a chart as an SVG. Confined to its thread. */
public final class ChartSvg {
    private static final int WIDTH = 760;
    private static final int LEFT = 78;
    private static final int RIGHT = 744;
    private static final int PLOT_HEIGHT = 230;
    private static final int LINE_HEIGHT = 16;
    private static final int INTERVALS = 5;
    private static final int DOTS_MAX = 60;
    /** Room that a character takes, on average and rather more. */
    private static final double CHARACTER = 6.6;

    private static final double VALUE_WIDTH_MIN = 14;
    private static final double BAR_WIDTH_MAX = 56;

    private final Chart chart;
    private final Axis values;
    private final List<List<String>> labels = new ArrayList<>();
    private final int top;
    private final int bottom;
    private final Svg svg;

    private ChartSvg(Chart chart) {
        this.chart = chart;
        this.top = 46 + LINE_HEIGHT * legendLines();
        this.bottom = top + PLOT_HEIGHT;
        this.values = valueAxis();
        double room = (double) (RIGHT - LEFT) / Math.max(1, chart.categories().size());
        chart.categories().forEach(category -> labels.add(wrapped(category, (int) (room / CHARACTER))));
        this.svg = new Svg(WIDTH, height(), chart.title(), description());
    }

    /** The SVG, as a document of its own or as a part of a page. */
    public static String of(Chart chart) {
        return new ChartSvg(chart).draw();
    }

    /** How high that is. */
    public static int heightOf(Chart chart) {
        return new ChartSvg(chart).height();
    }

    private int height() {
        return bottom + 14 + LINE_HEIGHT * (labelLines() + 1) + 4;
    }

    private int labelLines() {
        return labels.stream().mapToInt(List::size).max().orElse(1);
    }

    private Axis valueAxis() {
        double greatest = all().max().orElse(1);
        double least = all().filter(value -> value > 0).min().orElse(1);
        return chart.logarithmic()
                ? Axis.logarithmic(least, Math.max(greatest, least))
                : Axis.linear(0, greatest > 0 ? greatest : 1, INTERVALS);
    }

    private DoubleStream all() {
        return chart.series().stream()
                .flatMapToDouble(series -> series.y().stream().mapToDouble(Double::doubleValue));
    }

    private String draw() {
        svg.heading(8, chart.title());
        legend();
        valueLines();
        if (chart.kind() == Kind.BARS) {
            bars();
        } else {
            lines();
        }
        text((LEFT + RIGHT) / 2.0, height() - 8, "middle", chart.abscissa());
        return svg.end();
    }

    private String description() {
        String text = chart.unit() + " by " + chart.abscissa() + ": "
                + String.join(", ", chart.series().stream().map(Series::name).toList());
        return chart.marks().isEmpty()
                ? text
                : text + "; marked: "
                        + String.join(
                                ", ",
                                chart.marks().stream()
                                        .map(mark -> mark.label() + " at " + Axis.text(mark.x()))
                                        .toList());
    }

    private int legendLines() {
        return legendPlaces().get(chart.series().size())[1] + 1;
    }

    /** Where each entry of the legend begins: x and the number of its line; the last is where another would begin. */
    private List<int[]> legendPlaces() {
        List<int[]> places = new ArrayList<>();
        int x = LEFT;
        int line = 0;
        for (Series series : chart.series()) {
            int width = (int) (34 + series.name().length() * CHARACTER);
            if (x > LEFT && x + width > RIGHT) {
                x = LEFT;
                line++;
            }
            places.add(new int[] {x, line});
            x += width;
        }
        places.add(new int[] {x, line});
        return places;
    }

    private void legend() {
        List<int[]> places = legendPlaces();
        for (int i = 0; i < chart.series().size(); i++) {
            int y = 34 + LINE_HEIGHT * places.get(i)[1];
            svg.square(places.get(i)[0], y, colour(i));
            text(places.get(i)[0] + 17, y + 10, "start", chart.series().get(i).name());
        }
    }

    private void valueLines() {
        for (double tick : values.ticks()) {
            double y = y(tick);
            svg.level(LEFT, RIGHT, y);
            text(LEFT - 8, y + 4, "end", Axis.text(tick));
        }
        svg.valueAxisName((top + bottom) / 2.0, chart.unit());
    }

    private void bars() {
        int count = chart.categories().size();
        double room = (double) (RIGHT - LEFT) / Math.max(1, count);
        double width =
                Math.min(BAR_WIDTH_MAX, room * 0.8 / Math.max(1, chart.series().size()));
        for (int i = 0; i < count; i++) {
            double middle = LEFT + (i + 0.5) * room;
            double x = middle - width * chart.series().size() / 2;
            for (int j = 0; j < chart.series().size(); j++) {
                bar(x + j * width, width, chart.series().get(j).y().get(i), colour(j));
            }
            for (int line = 0; line < labels.get(i).size(); line++) {
                text(
                        middle,
                        bottom + 16 + line * LINE_HEIGHT,
                        "middle",
                        labels.get(i).get(line));
            }
        }
    }

    private void bar(double x, double width, double value, String colour) {
        double y = y(value);
        add(
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"><title>%s</title></rect>",
                x + 1, y, Math.max(1, width - 2), bottom - y, colour, Axis.text(value));
        if (width >= Math.max(VALUE_WIDTH_MIN, Axis.text(value).length() * CHARACTER * 0.9)) {
            text(x + width / 2, y - 4, "middle", Axis.text(value));
        }
    }

    private void lines() {
        double least = abscissas().min().orElse(0);
        double greatest = abscissas().max().orElse(1);
        Axis axis = Axis.linear(least, greatest > least ? greatest : least + 1, 2 * INTERVALS);
        for (double tick : axis.ticks()) {
            text(x(axis, tick), bottom + 16, "middle", Axis.text(tick));
        }
        chart.marks().forEach(mark -> mark(x(axis, mark.x()), mark.label()));
        for (int i = 0; i < chart.series().size(); i++) {
            line(axis, chart.series().get(i), colour(i));
        }
    }

    /** A line from top to bottom, and its label along it. */
    private void mark(double x, String label) {
        add(
                "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"%s\" stroke-dasharray=\"3 3\"/>",
                x, top, x, bottom, Svg.GREY);
        add(
                "<text transform=\"translate(%.1f %d) rotate(-90)\" text-anchor=\"end\" font-size=\"10\">%s</text>",
                x + 9, top + 2, Svg.escaped(label));
    }

    private DoubleStream abscissas() {
        return DoubleStream.concat(
                chart.marks().stream().mapToDouble(Chart.Mark::x),
                chart.series().stream()
                        .flatMapToDouble(series -> series.x().stream().mapToDouble(Double::doubleValue)));
    }

    private void line(Axis axis, Series series, String colour) {
        StringBuilder points = new StringBuilder();
        StringBuilder dots = new StringBuilder();
        for (int i = 0; i < series.x().size(); i++) {
            double x = x(axis, series.x().get(i));
            double y = y(series.y().get(i));
            points.append(Svg.point(x, y));
            dots.append(String.format(
                    Locale.ROOT, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.6\" fill=\"%s\"/>%n", x, y, colour));
        }
        svg.polyline(points.toString(), colour, 1.8);
        if (series.x().size() <= DOTS_MAX) {
            add("%s", dots.toString().strip());
        }
    }

    private static double x(Axis axis, double value) {
        return LEFT + axis.share(value) * (RIGHT - LEFT);
    }

    private double y(double value) {
        return bottom - values.share(value) * (bottom - top);
    }

    private static String colour(int series) {
        return Svg.colour(series);
    }

    /** Lines of at most this many characters, unless a word is longer. */
    private static List<String> wrapped(String text, int charactersMax) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : text.split(" ")) {
            if (line.length() > 0 && line.length() + 1 + word.length() > charactersMax) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.length() > 0 ? " " : "").append(word);
        }
        lines.add(line.toString());
        return lines;
    }

    private void text(double x, double y, String anchor, String text) {
        svg.text(x, y, anchor, text);
    }

    private void add(String format, Object... arguments) {
        svg.add(format, arguments);
    }
}
