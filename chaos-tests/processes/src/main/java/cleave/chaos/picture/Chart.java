package cleave.chaos.picture;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A chart: strips of values, one above the other, over one axis. Immutable.
 *
 * @param abscissa what the categories, or x, are
 * @param categories of bars, in order; otherwise empty
 * @param marks what happened at some x, in any order; empty for bars
 * @param bands intervals of x that are shaded in all strips; empty for bars
 */
public record Chart(
        String title, String abscissa, List<String> categories, List<Strip> strips, List<Mark> marks, List<Band> bands)
        implements Drawing {
    private static final int PLOT_HEIGHT = 230;
    private static final int ROW_HEIGHT = 5;

    /** How a plot shows its values: as bars side by side for each category, as points that are joined, or as steps stacked on each other. */
    public enum Kind {
        BARS,
        LINES,
        AREAS
    }

    /** A part of the chart with an axis of its own. */
    public sealed interface Strip permits Plot, Rows, KeySpace {
        /** The unit of the axis. */
        String unit();

        /** In pixels. */
        int height();
    }

    /** Values of the same unit. Immutable. */
    public record Plot(Kind kind, String unit, int height, List<Series> series, boolean logarithmic) implements Strip {
        public Plot {
            series = List.copyOf(series);
        }
    }

    /**
     * Rows of stretches, such as the times at which something held. Immutable.
     *
     * @param stretches later ones are drawn over earlier ones
     */
    public record Rows(String unit, int count, List<Stretches> stretches) implements Strip {
        public Rows {
            stretches = List.copyOf(stretches);
        }

        @Override
        public int height() {
            return ROW_HEIGHT * count;
        }
    }

    /**
     * Values of one name.
     *
     * @param x of lines and areas, ascending; empty for bars
     * @param y for bars one a category; of bars and areas never negative
     */
    public record Series(String name, List<Double> x, List<Double> y) {
        public Series {
            x = List.copyOf(x);
            y = List.copyOf(y);
        }
    }

    /** Stretches of one name and colour. */
    public record Stretches(String name, String colour, List<Stretch> stretches) {
        public Stretches {
            stretches = List.copyOf(stretches);
        }
    }

    /** An interval of x in a row, counted from 0. */
    public record Stretch(int row, double from, double until) {}

    /**
     * An event at x.
     *
     * @param symbol below the first strip, with the label in the legend; null for a line across all strips with the label above it
     */
    public record Mark(double x, String label, @Nullable Symbol symbol) {
        public Mark(double x, String label) {
            this(x, label, null);
        }
    }

    /** An interval of x. */
    public record Band(double from, double until) {}

    public Chart {
        categories = List.copyOf(categories);
        strips = List.copyOf(strips);
        marks = List.copyOf(marks);
        bands = List.copyOf(bands);
        for (Strip strip : strips) {
            if (strip instanceof Plot plot) {
                check(title, plot, categories.size());
                if (plot.kind() == Kind.BARS && !marks.isEmpty()) {
                    throw new IllegalArgumentException(title + ": bars have no marks");
                }
            }
        }
    }

    private static void check(String title, Plot plot, int categories) {
        for (Series each : plot.series()) {
            int expected = plot.kind() == Kind.BARS ? categories : each.x().size();
            if (each.y().size() != expected) {
                throw new IllegalArgumentException(
                        title + ", " + each.name() + ": " + each.y().size() + " values for " + expected);
            }
        }
    }

    public static Chart bars(String title, String unit, String abscissa, List<String> categories, List<Series> series) {
        Plot plot = new Plot(Kind.BARS, unit, PLOT_HEIGHT, series, false);
        return new Chart(title, abscissa, categories, List.of(plot), List.of(), List.of());
    }

    public static Chart lines(String title, String unit, String abscissa, List<Series> series) {
        return of(title, abscissa, List.of(new Plot(Kind.LINES, unit, PLOT_HEIGHT, series, false)));
    }

    /** Strips over the same x. */
    public static Chart of(String title, String abscissa, List<Strip> strips) {
        return new Chart(title, abscissa, List.of(), strips, List.of(), List.of());
    }

    /** The same with logarithmic axes of values. */
    public Chart onLogarithmicAxis() {
        List<Strip> others = new ArrayList<>();
        for (Strip strip : strips) {
            others.add(
                    strip instanceof Plot plot
                            ? new Plot(plot.kind(), plot.unit(), plot.height(), plot.series(), true)
                            : strip);
        }
        return new Chart(title, abscissa, categories, others, marks, bands);
    }

    /** The same with marks. */
    public Chart marked(List<Mark> others) {
        return new Chart(title, abscissa, categories, strips, others, bands);
    }

    /** The same with bands. */
    public Chart shaded(List<Band> others) {
        return new Chart(title, abscissa, categories, strips, marks, others);
    }

    /** The parts that show the key space. */
    public List<KeySpace> keySpaces() {
        return strips.stream()
                .filter(KeySpace.class::isInstance)
                .map(KeySpace.class::cast)
                .toList();
    }

    @Override
    public String svg() {
        return ChartSvg.of(this);
    }

    /** The series of all plots. */
    public List<Series> series() {
        return strips.stream()
                .filter(Plot.class::isInstance)
                .flatMap(strip -> ((Plot) strip).series().stream())
                .toList();
    }

    /** The values of one series of bars. */
    public static Series values(String name, List<Double> y) {
        return new Series(name, List.of(), y);
    }
}
