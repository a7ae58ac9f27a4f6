package cleave.chaos.picture;

import cleave.chaos.picture.Chart.Band;
import cleave.chaos.picture.Chart.Kind;
import cleave.chaos.picture.Chart.Mark;
import cleave.chaos.picture.Chart.Plot;
import cleave.chaos.picture.Chart.Rows;
import cleave.chaos.picture.Chart.Series;
import cleave.chaos.picture.Chart.Stretch;
import cleave.chaos.picture.Chart.Stretches;
import cleave.chaos.picture.Chart.Strip;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/** Draws charts as an SVG. Confined to its thread. */
public final class ChartSvg {
    private static final int WIDTH = 760;
    private static final int LEFT = 78;
    private static final int RIGHT = 744;
    private static final int LINE = 16;
    private static final int SYMBOL_LINE = 12;
    private static final int GAP = 16;
    private static final int TITLE_CHARACTERS = 94;
    private static final String SCALE = "keys downwards, and as high as there are partitions";
    private static final String NO_SCALE =
            "keys downwards, not to scale: all parts between two bounds are equally high";
    /** How high an interval of an axis of values is at least. */
    private static final int INTERVAL = 46;

    private static final String LOGARITHMIC = ", logarithmic scale";

    private static final int INTERVALS_OF_X = 10;
    private static final int DOTS_MAX = 60;
    private static final int POINTS_MAX = 400;
    /** Room that a character takes, on average and rather more. */
    private static final double CHARACTER = 6.6;

    /** How many characters separate the labels of two categories at least. */
    private static final int LABEL_GAP = 2;

    private static final double SMALL_CHARACTER = 5.6;
    private static final double VALUE_WIDTH_MIN = 14;
    private static final double BAR_WIDTH_MAX = 56;
    private static final double SYMBOL_WIDTH = 11;
    private static final int SQUARE = 12;
    /** A shorter stretch would hardly be seen. */
    private static final double STRETCH_WIDTH_MIN = 1.5;

    private final Svg svg;
    private final Chart chart;
    private final Axis abscissas;
    /** Names of holders of keys and of series; the place of a name is its colour. */
    private final List<String> names;

    private int y;

    /**
     * @param symbol null for a square
     * @param isHatched of a square
     */
    private record Entry(
            String name, String colour, @Nullable Symbol symbol, boolean isHatched) {
        static Entry square(String name, String colour) {
            return new Entry(name, colour, null, false);
        }
    }

    private ChartSvg(Chart chart, Svg svg, int y) {
        this.chart = chart;
        this.svg = svg;
        this.y = y;
        this.names = chart.strips().stream()
                .filter(strip -> !(strip instanceof Rows))
                .flatMap(strip -> names(strip).stream())
                .distinct()
                .toList();
        double least = allX(chart).min().orElse(0);
        double greatest = allX(chart).max().orElse(least + 1);
        double end = greatest > least ? greatest : least + 1;
        Axis round = allX(chart).allMatch(ChartSvg::isWhole)
                ? Axis.whole(least, end, INTERVALS_OF_X)
                : Axis.linear(least, end, INTERVALS_OF_X);
        this.abscissas = round.within(least < 0 ? least : round.from(), end);
    }

    /** The SVG, as a document of its own or as a part of a page. */
    public static String of(Chart chart) {
        return of(chart.title(), List.of(chart));
    }

    /** Charts below each other. */
    public static String of(String title, List<Chart> charts) {
        Svg svg = new Svg();
        int y = 0;
        for (Chart chart : charts) {
            y = new ChartSvg(chart, svg, y == 0 ? 0 : y + GAP).draw();
        }
        String description = charts.stream().map(ChartSvg::description).collect(Collectors.joining(". "));
        return svg.end(WIDTH, y, title, description);
    }

    private static String description(Chart chart) {
        String strips = chart.strips().stream()
                .map(strip -> strip.unit() + " by " + chart.abscissa() + ": "
                        + String.join(
                                ", ",
                                strip instanceof KeySpace keys
                                        ? keys.fields().stream().map(keys::told).toList()
                                        : names(strip)))
                .collect(Collectors.joining("; "));
        return chart.marks().isEmpty()
                ? strips
                : strips + "; marked: "
                        + chart.marks().stream()
                                .map(mark -> mark.label() + " at " + Axis.text(Math.round(mark.x() * 10) / 10.0))
                                .collect(Collectors.joining(", "));
    }

    private static List<String> names(Strip strip) {
        if (strip instanceof Plot plot) {
            return plot.series().stream().map(Series::name).toList();
        }
        return strip instanceof KeySpace keys
                ? keys.holders()
                : ((Rows) strip).stretches().stream().map(Stretches::name).toList();
    }

    private static boolean isWhole(double value) {
        return value == Math.rint(value);
    }

    private static DoubleStream allX(Chart chart) {
        DoubleStream ofRows = chart.strips().stream()
                .filter(Rows.class::isInstance)
                .flatMap(strip -> ((Rows) strip).stretches().stream())
                .flatMap(each -> each.stretches().stream())
                .flatMapToDouble(each -> DoubleStream.of(each.from(), each.until()));
        DoubleStream ofMarks = DoubleStream.concat(
                chart.marks().stream().mapToDouble(Mark::x),
                chart.bands().stream().flatMapToDouble(band -> DoubleStream.of(band.from(), band.until())));
        DoubleStream ofSeries = chart.series().stream()
                .flatMapToDouble(series -> series.x().stream().mapToDouble(Double::doubleValue));
        DoubleStream ofKeys = chart.keySpaces().stream()
                .flatMap(keys -> keys.fields().stream())
                .flatMapToDouble(field -> DoubleStream.of(field.from(), field.until()));
        return DoubleStream.concat(DoubleStream.concat(ofRows, ofMarks), DoubleStream.concat(ofSeries, ofKeys));
    }

    /** Returns where it ends. */
    private int draw() {
        for (String line : Text.wrapped(chart.title(), TITLE_CHARACTERS)) {
            y += LINE + 4;
            svg.heading(8, y, line);
        }
        legend();
        int marksTop = y + 6;
        List<Mark> lines = chart.marks().stream()
                .filter(mark -> mark.symbol() == null)
                .sorted(Comparator.comparingDouble(Mark::x))
                .toList();
        List<Integer> places = places(lines);
        y = marksTop
                + 12 * (1 + places.stream().mapToInt(Integer::intValue).max().orElse(-1))
                + 10;
        int top = y;
        int bottom =
                chart.strips().stream().mapToInt(strip -> strip.height() + LINE).sum() + top - LINE + symbolsHeight();
        chart.bands().forEach(band -> band(band, top, bottom));
        for (int i = 0; i < lines.size(); i++) {
            line(lines.get(i), places.get(i) < 0 ? -1 : marksTop + 8 + 12 * places.get(i), top, bottom);
        }
        for (int i = 0; i < chart.strips().size(); i++) {
            draw(chart.strips().get(i));
            y += i == 0 ? symbols() : 0;
            y += i < chart.strips().size() - 1 ? LINE : 0;
        }
        y += LINE * (labels() + 1);
        svg.text((LEFT + RIGHT) / 2.0, y, "middle", chart.abscissa());
        if (!chart.keySpaces().isEmpty()) {
            y += LINE;
            svg.smallText(
                    (LEFT + RIGHT) / 2.0, y, "middle", chart.keySpaces().get(0).isToScale() ? SCALE : NO_SCALE);
        }
        return y + 8;
    }

    private void legend() {
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            entries.add(Entry.square(names.get(i), Svg.colour(i)));
        }
        for (Strip strip : chart.strips()) {
            if (strip instanceof Rows rows) {
                rows.stretches().forEach(each -> entries.add(Entry.square(each.name(), each.colour())));
            }
        }
        if (chart.keySpaces().stream().anyMatch(KeySpace::hasUnserved)) {
            entries.add(new Entry("not served", Svg.GREY, null, true));
        }
        chart.marks().stream()
                .filter(mark -> mark.symbol() != null)
                .map(mark -> new Entry(mark.label(), Svg.GREY, mark.symbol(), false))
                .distinct()
                .forEach(entries::add);
        double x = LEFT;
        y += 14;
        for (Entry entry : entries) {
            double width = 34 + entry.name().length() * CHARACTER;
            if (x > LEFT && x + width - 17 > RIGHT) {
                x = LEFT;
                y += LINE;
            }
            if (entry.isHatched()) {
                svg.hatch(x, y, x + SQUARE, y + SQUARE, entry.colour());
            } else if (entry.symbol() == null) {
                svg.square(x, y, entry.colour());
            } else {
                svg.symbol(x + 6, y + 6, entry.symbol());
            }
            svg.text(x + 17, y + 10, "start", entry.name());
            x += width;
        }
        y += 12;
    }

    /** The line of the label of each mark, so that none overlaps another; -1 if the same label is shown just before it. */
    private List<Integer> places(List<Mark> marks) {
        List<Integer> places = new ArrayList<>();
        List<Double> free = new ArrayList<>();
        List<Mark> shown = new ArrayList<>();
        for (Mark mark : marks) {
            double width = mark.label().length() * SMALL_CHARACTER + 6;
            boolean isRepeated = shown.stream()
                    .anyMatch(other -> other.label().equals(mark.label()) && x(mark.x()) - x(other.x()) < width);
            int line = 0;
            while (line < free.size() && free.get(line) > labelX(mark)) {
                line++;
            }
            if (mark.label().isEmpty() || isRepeated) {
                places.add(-1);
                continue;
            }
            if (line == free.size()) {
                free.add(0.0);
            }
            free.set(line, labelX(mark) + width);
            places.add(line);
            shown.add(mark);
        }
        return places;
    }

    private double labelX(Mark mark) {
        return Math.min(x(mark.x()) - 2, RIGHT - mark.label().length() * SMALL_CHARACTER);
    }

    private void line(Mark mark, int labelY, int top, int bottom) {
        svg.moment(x(mark.x()), labelY < 0 ? top : labelY + 3, bottom, Svg.GREY);
        if (labelY >= 0) {
            svg.smallText(labelX(mark), labelY, "start", mark.label());
        }
    }

    private void band(Band band, int top, int bottom) {
        svg.add(
                "<rect class=\"band\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\" fill-opacity=\"0.25\"/>",
                x(band.from()), top, Math.max(1, x(band.until()) - x(band.from())), bottom - top, Svg.GREY);
    }

    private int symbolsHeight() {
        return chart.marks().stream().anyMatch(mark -> mark.symbol() != null) ? 2 * SYMBOL_LINE + 4 : 0;
    }

    /** Draws the symbols in two lines, the lower one for those that would overlap the one before; returns how high they are. */
    private int symbols() {
        double last = Double.NEGATIVE_INFINITY;
        for (Mark mark : chart.marks().stream()
                .sorted(Comparator.comparingDouble(Mark::x))
                .toList()) {
            Symbol symbol = mark.symbol();
            if (symbol != null) {
                boolean overlaps = x(mark.x()) - last < SYMBOL_WIDTH;
                svg.symbol(x(mark.x()), y + SYMBOL_LINE * (overlaps ? 2 : 1), symbol);
                last = overlaps ? Double.NEGATIVE_INFINITY : x(mark.x());
            }
        }
        return symbolsHeight();
    }

    private void draw(Strip strip) {
        int top = y;
        int bottom = y + strip.height();
        if (strip instanceof KeySpace keys) {
            svg.valueAxisName((top + bottom) / 2.0, keys.unit());
            new KeySpaceSvg(keys, svg, this::x, this::colour, top).draw(LEFT);
            chart.marks().stream()
                    .filter(mark -> mark.symbol() == null)
                    .forEach(mark ->
                            svg.moment(x(mark.x()), top, bottom, keys.dots().isEmpty() ? Svg.WHITE : Svg.GREY));
        } else if (strip instanceof Plot plot) {
            svg.valueAxisName((top + bottom) / 2.0, plot.unit() + (plot.logarithmic() ? LOGARITHMIC : ""));
            Axis values = values(plot);
            for (double tick : values.ticks()) {
                svg.level(LEFT, RIGHT, height(values, tick, top, bottom));
                svg.text(LEFT - 8, height(values, tick, top, bottom) + 4, "end", Axis.tick(tick));
            }
            switch (plot.kind()) {
                case BARS -> bars(plot, values, top, bottom);
                case LINES -> lines(plot, values, top, bottom);
                case AREAS -> areas(plot, values, top, bottom);
            }
        } else {
            svg.valueAxisName((top + bottom) / 2.0, strip.unit());
            rows((Rows) strip, top);
        }
        y = bottom;
    }

    private static Axis values(Plot plot) {
        List<Double> all = new ArrayList<>();
        plot.series().forEach(series -> all.addAll(series.y()));
        if (plot.kind() == Kind.AREAS && !plot.series().isEmpty()) {
            all.clear();
            for (int i = 0; i < plot.series().get(0).y().size(); i++) {
                all.add(below(plot, plot.series().size(), i));
            }
        }
        double greatest = all.stream().mapToDouble(Double::doubleValue).max().orElse(1);
        double least = all.stream()
                .mapToDouble(Double::doubleValue)
                .filter(value -> value > 0)
                .min()
                .orElse(1);
        if (plot.logarithmic()) {
            return Axis.logarithmic(least, Math.max(greatest, least));
        }
        double high = greatest > 0 ? greatest : 1;
        int intervals = Math.max(1, plot.height() / INTERVAL);
        return all.stream().allMatch(ChartSvg::isWhole)
                ? Axis.whole(0, high, intervals)
                : Axis.linear(0, high, intervals);
    }

    private void bars(Plot plot, Axis values, int top, int bottom) {
        int count = chart.categories().size();
        double room = (double) (RIGHT - LEFT) / Math.max(1, count);
        double width =
                Math.min(BAR_WIDTH_MAX, room * 0.8 / Math.max(1, plot.series().size()));
        for (int i = 0; i < count; i++) {
            double x = LEFT + (i + 0.5) * room - width * plot.series().size() / 2;
            for (Series series : plot.series()) {
                double value = series.y().get(i);
                double height = height(values, value, top, bottom);
                svg.add(
                        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"><title>%s</title></rect>",
                        x + 1,
                        height,
                        Math.max(1, width - 2),
                        bottom - height,
                        colour(series.name()),
                        Axis.text(value));
                if (width >= Math.max(VALUE_WIDTH_MIN, Axis.text(value).length() * SMALL_CHARACTER)) {
                    svg.smallText(x + width / 2, height - 3, "middle", Axis.text(value));
                }
                x += width;
            }
        }
    }

    private void lines(Plot plot, Axis values, int top, int bottom) {
        Set<String> drawn = new HashSet<>();
        for (Series series : plot.series()) {
            StringBuilder points = new StringBuilder();
            StringBuilder dots = new StringBuilder();
            for (int i : thinned(series.x().size())) {
                double x = x(series.x().get(i));
                double height = height(values, series.y().get(i), top, bottom);
                points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x, height));
                dots.append(String.format(
                        Locale.ROOT,
                        "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.6\" fill=\"%s\"/>%n",
                        x,
                        height,
                        colour(series.name())));
            }
            boolean isNew = drawn.add(points.toString());
            svg.add(
                    "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\"%s/>",
                    points.toString().strip(), colour(series.name()), isNew ? "" : " stroke-dasharray=\"8 8\"");
            if (isNew && series.x().size() <= DOTS_MAX && plot.height() > INTERVAL * 2) {
                svg.add("%s", dots.toString().strip());
            }
        }
    }

    /** Some of the points if there are very many, with the first and the last. */
    private static List<Integer> thinned(int count) {
        List<Integer> some = new ArrayList<>();
        int each = Math.max(1, (count + POINTS_MAX - 1) / POINTS_MAX);
        for (int i = 0; i < count - 1; i += each) {
            some.add(i);
        }
        if (count > 0) {
            some.add(count - 1);
        }
        return some;
    }

    /** Draws each series on top of those before it, in steps. */
    private void areas(Plot plot, Axis values, int top, int bottom) {
        for (int s = 0; s < plot.series().size(); s++) {
            Series series = plot.series().get(s);
            StringBuilder path = new StringBuilder();
            StringBuilder back = new StringBuilder();
            for (int i : thinned(series.x().size())) {
                double x = x(series.x().get(i));
                path.append(String.format(
                        Locale.ROOT,
                        path.isEmpty() ? "M%.1f %.1f" : "H%.1fV%.1f",
                        x,
                        height(values, below(plot, s + 1, i), top, bottom)));
                back.insert(
                        0, String.format(Locale.ROOT, "V%.1fH%.1f", height(values, below(plot, s, i), top, bottom), x));
            }
            svg.add(
                    "<path class=\"area\" d=\"%s%sZ\" fill=\"%s\" fill-opacity=\"0.75\"/>",
                    path, back, colour(series.name()));
        }
    }

    /** The sum of the first series at a point. */
    private static double below(Plot plot, int series, int point) {
        return plot.series().subList(0, series).stream()
                .mapToDouble(each -> each.y().get(point))
                .sum();
    }

    private void rows(Rows rows, int top) {
        double row = (double) rows.height() / Math.max(1, rows.count());
        for (Stretches stretches : rows.stretches()) {
            Set<String> path = new LinkedHashSet<>();
            for (Stretch each : stretches.stretches()) {
                double from = x(each.from());
                path.add(String.format(
                        Locale.ROOT,
                        "M%.1f %.1fh%.1f",
                        from,
                        top + (each.row() + 0.5) * row,
                        Math.max(STRETCH_WIDTH_MIN, x(each.until()) - from)));
            }
            svg.add(
                    "<path class=\"stretches\" d=\"%s\" stroke=\"%s\" stroke-width=\"%.1f\"><title>%s</title></path>",
                    String.join("", path), stretches.colour(), row - 1, Svg.escaped(stretches.name()));
        }
    }

    /** Draws the labels of the axis; returns their number of lines. */
    private int labels() {
        if (chart.categories().isEmpty()) {
            for (double tick : abscissas.ticks()) {
                String text = Axis.text(tick);
                boolean fits = x(tick) + text.length() * CHARACTER / 2 < WIDTH;
                svg.text(fits ? x(tick) : WIDTH - 1, y + LINE, fits ? "middle" : "end", text);
            }
            return 1;
        }
        double room = (double) (RIGHT - LEFT) / chart.categories().size();
        int most = 0;
        for (int i = 0; i < chart.categories().size(); i++) {
            List<String> lines = Text.wrapped(chart.categories().get(i), (int) (room / CHARACTER) - LABEL_GAP);
            for (int line = 0; line < lines.size(); line++) {
                svg.text(LEFT + (i + 0.5) * room, y + LINE * (line + 1), "middle", lines.get(line));
            }
            most = Math.max(most, lines.size());
        }
        return most;
    }

    private double x(double value) {
        return LEFT + abscissas.share(value) * (RIGHT - LEFT);
    }

    private static double height(Axis values, double value, int top, int bottom) {
        return bottom - values.share(value) * (bottom - top);
    }

    private String colour(String name) {
        return Svg.colour(names.indexOf(name));
    }
}
