package cleave.chaos.picture;

import java.util.List;
import java.util.Locale;

/**
 * An SVG while it is drawn, without the fonts and libraries that drawing in Java needs. Confined to its thread. The background is transparent,
 * and all colours are legible on light and on dark ones. Coordinates are pixels from the upper left corner.
 */
public final class Svg {
    public static final String GREY = "#79828d";
    /** On what has a colour. */
    static final String WHITE = "#fff";

    static final String GREEN = "#2c9a45";
    public static final String LIGHT_GREEN = "#7cc08d";
    public static final String RED = "#d1242f";
    public static final String YELLOW = "#bf8700";
    public static final String PURPLE = "#a35bd1";
    /** The distance of two lines of a hatching, along an edge. */
    private static final double HATCH = 6;

    private static final List<String> COLOURS = List.of("#2f81f7", "#d9681d", GREEN, PURPLE, YELLOW, "#d0436c");

    private final StringBuilder svg = new StringBuilder();

    Svg() {}

    /** The colour of a series; they repeat. */
    static String colour(int series) {
        return COLOURS.get(series % COLOURS.size());
    }

    /** A line of the document. */
    void add(String format, Object... arguments) {
        svg.append(String.format(Locale.ROOT, format, arguments)).append('\n');
    }

    /** The title of a chart. */
    void heading(int x, int y, String text) {
        add("<text x=\"%d\" y=\"%d\" font-size=\"14\" font-weight=\"600\">%s</text>", x, y, escaped(text));
    }

    /** @param anchor which end of the text is at x: start, middle or end */
    void text(double x, double y, String anchor, String text) {
        add("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>", x, y, anchor, escaped(text));
    }

    void smallText(double x, double y, String anchor, String text) {
        add("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"10\">%s</text>", x, y, anchor, escaped(text));
    }

    /** The name of an axis of values, at the left edge, read upwards. */
    void valueAxisName(double middle, String name) {
        add(
                "<text transform=\"translate(14 %.1f) rotate(-90)\" text-anchor=\"middle\">%s</text>",
                middle, escaped(name));
    }

    /** A line of what a diagram tells. */
    void sentence(int left, int y, String text, boolean isWrong) {
        add(
                "<text x=\"%d\" y=\"%d\" font-weight=\"600\"%s>%s</text>",
                left, y, isWrong ? " fill=\"" + RED + "\"" : "", escaped(text));
    }

    /** Of a column. */
    void name(double middle, int y, String colour, String name) {
        add(
                "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\" font-weight=\"600\" fill=\"%s\">%s</text>",
                middle, y, colour, escaped(name));
    }

    /** On a field of a colour. */
    void lightText(double x, double y, String text) {
        add("<text x=\"%.1f\" y=\"%.1f\" font-size=\"10\" fill=\"%s\">%s</text>", x, y, WHITE, escaped(text));
    }

    /** The name of a bound, just below it, with a tick at it. */
    void boundName(int right, double y, String name) {
        add("<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"%s\"/>", right - 5, y, right, y, GREY);
        add(
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\" font-size=\"10\">%s</text>",
                right - 7, y + 4, escaped(name));
    }

    /** Oblique lines within a rectangle. */
    void hatch(double left, double top, double right, double bottom, String colour) {
        StringBuilder path = new StringBuilder();
        double height = bottom - top;
        for (double foot = left - height + HATCH; foot < right; foot += HATCH) {
            double from = Math.max(left, foot);
            double to = Math.min(right, foot + height);
            path.append(String.format(
                    Locale.ROOT, "M%.1f %.1fL%.1f %.1f", from, bottom - (from - foot), to, bottom - (to - foot)));
        }
        add("<path class=\"hatch\" d=\"%s\" stroke=\"%s\" stroke-width=\"1.4\"/>", path, colour);
    }

    /** A broken line downwards. */
    void moment(double x, int top, int bottom, String colour) {
        add(
                "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"%s\" stroke-dasharray=\"3 3\"/>",
                x, top, x, bottom, colour);
    }

    /** A faint line across a plot. */
    void level(int left, int right, double y) {
        add(
                "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"%s\" stroke-opacity=\"0.3\"/>",
                left, y, right, y, GREY);
    }

    /** The square of a legend. */
    void square(double x, int y, String colour) {
        add("<rect x=\"%.0f\" y=\"%d\" width=\"12\" height=\"12\" fill=\"%s\"/>", x, y, colour);
    }

    void symbol(double x, double y, Symbol symbol) {
        add("<path transform=\"translate(%.1f %.1f)\" d=\"%s\"/>", x, y, symbol.path);
    }

    /** @param description for those who cannot see it */
    String end(int width, int height, String title, String description) {
        String head = String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
                        + " font-family=\"system-ui, sans-serif\" font-size=\"12\" fill=\"%s\">%n<title>%s</title>%n<desc>%s</desc>%n",
                width,
                height,
                width,
                height,
                GREY,
                escaped(title),
                escaped(description));
        return head + svg + "</svg>\n";
    }

    /** Text as XML and HTML have it. */
    public static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
