package cleave.chaos.picture;

import java.util.List;
import java.util.Locale;

/**
 * An SVG while it is drawn, without the fonts and libraries that drawing in Java needs. Confined to its thread. The background is transparent,
 * and all colours are legible on light and on dark ones. Coordinates are pixels from the upper left corner.
 */
public final class Svg {
    public static final String GREY = "#79828d";
    private static final List<String> COLOURS =
            List.of("#2f81f7", "#d9681d", "#2c9a45", "#a35bd1", "#bf8700", "#d0436c");
    private static final int HEADING_BASELINE = 20;

    private final StringBuilder svg = new StringBuilder();

    /** @param description for those who cannot see it */
    public Svg(int width, int height, String title, String description) {
        add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
                        + " font-family=\"system-ui, sans-serif\" font-size=\"12\" fill=\"%s\">",
                width, height, width, height, GREY);
        add("<title>%s</title>", escaped(title));
        add("<desc>%s</desc>", escaped(description));
    }

    /** The colour of a series; they repeat. */
    public static String colour(int series) {
        return COLOURS.get(series % COLOURS.size());
    }

    /** A line of the document. */
    public void add(String format, Object... arguments) {
        svg.append(String.format(Locale.ROOT, format, arguments)).append('\n');
    }

    /** The title of the whole, at its upper edge. */
    public void heading(int x, String text) {
        heading(x, HEADING_BASELINE, text);
    }

    /** The title of a part. */
    public void heading(int x, int y, String text) {
        add("<text x=\"%d\" y=\"%d\" font-size=\"14\" font-weight=\"600\">%s</text>", x, y, escaped(text));
    }

    /** @param anchor which end of the text is at x: start, middle or end */
    public void text(double x, double y, String anchor, String text) {
        add("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>", x, y, anchor, escaped(text));
    }

    /** The name of an axis of values, at the left edge, read upwards. */
    public void valueAxisName(double middle, String name) {
        add(
                "<text transform=\"translate(14 %.1f) rotate(-90)\" text-anchor=\"middle\">%s</text>",
                middle, escaped(name));
    }

    /** A faint line across a plot. */
    public void level(int left, int right, double y) {
        add(
                "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"%s\" stroke-opacity=\"0.3\"/>",
                left, y, right, y, GREY);
    }

    /** The square of a legend. */
    public void square(double x, int y, String colour) {
        add("<rect x=\"%.0f\" y=\"%d\" width=\"12\" height=\"12\" fill=\"%s\"/>", x, y, colour);
    }

    /** @param points as {@link #point} writes them */
    public void polyline(String points, String colour, double width) {
        add(
                "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\"/>",
                points.strip(), colour, width);
    }

    /** A point of a polyline or polygon, with a space after it. */
    public static String point(double x, double y) {
        return String.format(Locale.ROOT, "%.1f,%.1f ", x, y);
    }

    /** @param path a shape around the origin */
    public void symbol(double x, double y, String path) {
        add("<path transform=\"translate(%.1f %.1f)\" d=\"%s\"/>", x, y, path);
    }

    /** Another SVG as a part of this one. */
    public void part(int y, String other) {
        add("<g transform=\"translate(0 %d)\">", y);
        svg.append(other);
        add("</g>");
    }

    /** Ends it. */
    public String end() {
        return svg.append("</svg>\n").toString();
    }

    /** Text as XML and HTML have it. */
    public static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
