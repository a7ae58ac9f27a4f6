package cleave.chaos.picture;

import cleave.chaos.picture.KeySpace.Bound;
import cleave.chaos.picture.KeySpace.Dot;
import cleave.chaos.picture.KeySpace.Field;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.DoubleUnaryOperator;
import java.util.function.UnaryOperator;

/** Draws the key space over time as a part of an SVG. Confined to its thread. */
final class KeySpaceSvg {
    /** Half of what separates two fields. */
    private static final double CUT = 0.8;

    private static final double WIDTH_MIN = 1;
    private static final double LABEL_HEIGHT = 11;
    private static final int KEY_CHARACTERS_MAX = 10;
    private static final double NAME_CHARACTER = 6;
    private static final double DOT = 2.6;
    /** Dots are seen on a field that is pale. */
    private static final double PALE = 0.25;

    private final KeySpace keys;
    private final Svg svg;
    private final DoubleUnaryOperator places;
    private final UnaryOperator<String> colours;
    private final int top;

    /**
     * @param places the pixel of each x
     * @param colours the colour of each holder
     */
    KeySpaceSvg(KeySpace keys, Svg svg, DoubleUnaryOperator places, UnaryOperator<String> colours, int top) {
        this.keys = keys;
        this.svg = svg;
        this.places = places;
        this.colours = colours;
        this.top = top;
    }

    void draw(int right) {
        keys.fields().forEach(this::field);
        Map<String, StringBuilder> dots = new TreeMap<>();
        for (Dot dot : keys.dots()) {
            dots.computeIfAbsent(dot.holder(), holder -> new StringBuilder())
                    .append(String.format(
                            Locale.ROOT, "M%.1f %.1fh0", places.applyAsDouble(dot.x()), height(dot.place())));
        }
        dots.forEach((holder, path) -> svg.add(
                "<path class=\"dots\" d=\"%s\" stroke=\"%s\" stroke-width=\"%.1f\" stroke-linecap=\"round\"/>",
                path, colour(holder), DOT));
        bounds(right);
    }

    private void field(Field field) {
        double left = places.applyAsDouble(field.from()) + CUT;
        double right = Math.max(left + WIDTH_MIN, places.applyAsDouble(field.until()) - CUT);
        double upper = height(keys.place(field.first())) + CUT;
        double lower = Math.max(upper + WIDTH_MIN, height(keys.place(field.last())) - CUT);
        String colour = colour(field.holder());
        boolean isPale = !field.isServed() || !keys.dots().isEmpty();
        svg.add(
                "<rect class=\"field\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"%s><title>%s</title></rect>",
                left,
                upper,
                right - left,
                lower - upper,
                colour,
                isPale ? String.format(Locale.ROOT, " fill-opacity=\"%.2f\"", PALE) : "",
                Svg.escaped("range " + field.range() + ": " + keys.told(field)));
        if (!field.isServed()) {
            svg.hatch(left, upper, right, lower, colour);
        } else if (!isPale
                && lower - upper >= LABEL_HEIGHT
                && right - left >= field.holder().length() * NAME_CHARACTER + 8) {
            svg.lightText(left + 4, (upper + lower) / 2 + 3.5, field.holder());
        }
    }

    /** Names the bounds that have room for it. */
    private void bounds(int right) {
        double last = Double.NEGATIVE_INFINITY;
        for (Bound bound : keys.bounds()) {
            double y = height(bound.place());
            if (y - last >= LABEL_HEIGHT) {
                svg.boundName(right, y, shortened(bound.key()));
                last = y;
            }
        }
    }

    private static String shortened(String key) {
        return key.length() <= KEY_CHARACTERS_MAX ? key : key.substring(0, KEY_CHARACTERS_MAX - 1) + "…";
    }

    private String colour(String holder) {
        return holder.isEmpty() ? Svg.GREY : colours.apply(holder);
    }

    private double height(double place) {
        return top + place * keys.height();
    }
}
