package cleave.chaos.picture;

import java.util.List;

/**
 * A chart. Immutable.
 *
 * @param kind bars stand side by side for each category; lines join points
 * @param unit of all values, for the axis
 * @param abscissa what the categories, or x, are
 * @param categories of bars, in order; empty for lines
 * @param marks of lines, in any order; empty for bars
 */
public record Chart(
        Kind kind,
        String title,
        String unit,
        String abscissa,
        List<String> categories,
        List<Series> series,
        List<Mark> marks,
        boolean logarithmic) {
    public enum Kind {
        BARS,
        LINES
    }

    /**
     * @param x of lines, ascending; empty for bars
     * @param y for bars one a category; never negative
     */
    public record Series(String name, List<Double> x, List<Double> y) {
        public Series {
            x = List.copyOf(x);
            y = List.copyOf(y);
        }
    }

    /** What happened at x: a line across the chart, with a word or two. */
    public record Mark(double x, String label) {}

    public Chart {
        categories = List.copyOf(categories);
        series = List.copyOf(series);
        marks = List.copyOf(marks);
        if (kind == Kind.BARS && !marks.isEmpty()) {
            throw new IllegalArgumentException(title + ": bars have no marks");
        }
        for (Series each : series) {
            int expected = kind == Kind.BARS ? categories.size() : each.x().size();
            if (each.y().size() != expected) {
                throw new IllegalArgumentException(
                        title + ", " + each.name() + ": " + each.y().size() + " values for " + expected);
            }
        }
    }

    public static Chart bars(String title, String unit, String abscissa, List<String> categories, List<Series> series) {
        return new Chart(Kind.BARS, title, unit, abscissa, categories, series, List.of(), false);
    }

    public static Chart lines(String title, String unit, String abscissa, List<Series> series) {
        return new Chart(Kind.LINES, title, unit, abscissa, List.of(), series, List.of(), false);
    }

    /** The same with a logarithmic axis of values. */
    public Chart onLogarithmicAxis() {
        return new Chart(kind, title, unit, abscissa, categories, series, marks, true);
    }

    /** The same with marks. */
    public Chart marked(List<Mark> others) {
        return new Chart(kind, title, unit, abscissa, categories, series, others, logarithmic);
    }

    /** The values of one series of bars. */
    public static Series values(String name, List<Double> y) {
        return new Series(name, List.of(), y);
    }
}
