package cleave.chaos.balance;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Draws a trial as an SVG: the load and the number of ranges of each server, with handoffs and verdicts. Confined to
 * its thread. The background is transparent, and all colours are legible on light and on dark ones.
 */
final class Picture {
    private static final int WIDTH = 860;
    private static final int HEIGHT = 430;
    private static final int LEFT = 64;
    private static final int RIGHT = 846;
    private static final int LOAD_TOP = 64;
    private static final int LOAD_BOTTOM = 240;
    private static final int MARKS = 262;
    private static final int RANGES_TOP = 284;
    private static final int RANGES_BOTTOM = 388;
    private static final int POINTS_MAX = 400;
    private static final int LINES = 4;
    private static final String GREY = "#79828d";
    private static final String[] COLOURS = {"#2f81f7", "#d9681d", "#2c9a45", "#a35bd1", "#bf8700"};

    private final Report report;
    private final List<Moment> moments;
    private final List<String> servers;
    private final double from;
    private final double until;
    private final StringBuilder svg = new StringBuilder();

    private Picture(Report report) {
        this.report = report;
        this.moments = thinned(report.moments());
        this.servers = moments.isEmpty()
                ? List.of()
                : List.copyOf(moments.get(0).servers().keySet());
        this.from = moments.isEmpty() ? 0 : Math.min(0, moments.get(0).seconds());
        this.until = moments.isEmpty()
                ? 1
                : Math.max(from + 1, moments.get(moments.size() - 1).seconds());
    }

    static String of(Report report) {
        return new Picture(report).draw();
    }

    /** Thins moments so that a picture can show them all: the first, the last, and one of each group in between. */
    private static List<Moment> thinned(List<Moment> all) {
        int each = (all.size() + POINTS_MAX - 1) / POINTS_MAX;
        List<Moment> some = new ArrayList<>();
        for (int i = 0; i < all.size() - 1; i += each) {
            some.add(all.get(i));
        }
        if (!all.isEmpty()) {
            some.add(all.get(all.size() - 1));
        }
        return some;
    }

    private String draw() {
        add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
                        + " font-family=\"system-ui, sans-serif\" font-size=\"12\" fill=\"%s\">",
                WIDTH, HEIGHT, WIDTH, HEIGHT, GREY);
        add("<title>%s</title>", escaped(report.title()));
        add("<text x=\"%d\" y=\"20\" font-size=\"14\" font-weight=\"600\">%s</text>", LEFT, escaped(report.title()));
        legend();
        double load = axis("entities/s", LOAD_TOP, LOAD_BOTTOM, most(this::busiest));
        for (int i = 0; i < servers.size(); i++) {
            String server = servers.get(i);
            line(
                    colour(i),
                    moment -> y(LOAD_TOP, LOAD_BOTTOM, moment.share(server).entities() / load));
        }
        double ranges = axis("ranges", RANGES_TOP, RANGES_BOTTOM, most(Moment::ranges));
        for (int i = 0; i < servers.size(); i++) {
            area(i, ranges);
        }
        seconds();
        report.events().forEach(this::mark);
        return svg.append("</svg>\n").toString();
    }

    private double busiest(Moment moment) {
        return servers.stream()
                .mapToDouble(server -> moment.share(server).entities())
                .max()
                .orElse(0);
    }

    private double most(ToDoubleFunction<Moment> of) {
        return moments.stream().mapToDouble(of).max().orElse(0);
    }

    private void legend() {
        int x = LEFT;
        for (int i = 0; i < servers.size(); i++) {
            add("<rect x=\"%d\" y=\"34\" width=\"12\" height=\"12\" fill=\"%s\"/>", x, colour(i));
            add("<text x=\"%d\" y=\"44\">%s</text>", x + 17, escaped(servers.get(i)));
            x += 90;
        }
        x = RIGHT - 290;
        for (Mark mark : Mark.values()) {
            symbol(mark, x, 40);
            add("<text x=\"%d\" y=\"44\">%s</text>", x + 10, mark.title);
            x += 72;
        }
    }

    /** Draws the lines of a scale up to a maximum; returns the value at its top. */
    private double axis(String name, int top, int bottom, double most) {
        double step = step(most / LINES);
        int lines = (int) Math.max(1, Math.ceil(most / step));
        for (int i = 0; i <= lines; i++) {
            double y = y(top, bottom, (double) i / lines);
            add(
                    "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"%s\" stroke-opacity=\"0.3\"/>",
                    LEFT, y, RIGHT, y, GREY);
            add("<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%,.0f</text>", LEFT - 8, y + 4, i * step);
        }
        double middle = (top + bottom) / 2.0;
        add("<text transform=\"translate(14 %.1f) rotate(-90)\" text-anchor=\"middle\">%s</text>", middle, name);
        return lines * step;
    }

    /** The next of 1, 2, 5, 10, 20, 50 and so on. */
    private static double step(double least) {
        double step = 1;
        for (int i = 0; step < least; i++) {
            step *= i % 3 == 1 ? 2.5 : 2;
        }
        return step;
    }

    private void seconds() {
        double step = step((until - from) / 10);
        for (long i = (long) Math.ceil(from / step); i * step <= until; i++) {
            add(
                    "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.0f</text>",
                    x(i * step), RANGES_BOTTOM + 18, i * step);
        }
        add(
                "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">seconds since the load began</text>",
                (LEFT + RIGHT) / 2, RANGES_BOTTOM + 36);
        upright(0);
        upright(report.loadEnded());
    }

    private void upright(double second) {
        add(
                "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"%s\" stroke-dasharray=\"2 3\"/>",
                x(second), LOAD_TOP, x(second), RANGES_BOTTOM, GREY);
    }

    private void line(String colour, ToDoubleFunction<Moment> y) {
        StringBuilder points = new StringBuilder();
        moments.forEach(moment -> point(moment, y.applyAsDouble(moment), points));
        add("<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\"/>", points, colour);
    }

    /** Draws this server's value on top of those of the servers before it; a count changes in a step, not gradually. */
    private void area(int server, double most) {
        StringBuilder upper = new StringBuilder();
        List<String> lower = new ArrayList<>();
        double above = Double.NaN;
        double below = Double.NaN;
        for (Moment moment : moments) {
            double lowNow = y(RANGES_TOP, RANGES_BOTTOM, below(moment, server) / most);
            double highNow = y(RANGES_TOP, RANGES_BOTTOM, below(moment, server + 1) / most);
            if (!Double.isNaN(above)) {
                point(moment, above, upper);
                lower.add(0, point(moment, below));
            }
            point(moment, highNow, upper);
            lower.add(0, point(moment, lowNow));
            above = highNow;
            below = lowNow;
        }
        add(
                "<polygon points=\"%s%s\" fill=\"%s\" fill-opacity=\"0.75\"/>",
                upper, String.join("", lower), colour(server));
    }

    private double below(Moment moment, int server) {
        return servers.subList(0, server).stream()
                .mapToInt(each -> moment.share(each).ranges())
                .sum();
    }

    private void mark(LeaderEvent event) {
        Mark mark = Mark.of(event, report.events());
        if (mark != null && event.seconds() >= from && event.seconds() <= until) {
            symbol(mark, x(event.seconds()), MARKS);
        }
    }

    private void symbol(Mark mark, double x, double y) {
        add("<path transform=\"translate(%.1f %.1f)\" d=\"%s\"/>", x, y, mark.path);
    }

    private static String colour(int server) {
        return COLOURS[server % COLOURS.length];
    }

    private double x(double second) {
        return LEFT + (second - from) / (until - from) * (RIGHT - LEFT);
    }

    private static double y(int top, int bottom, double share) {
        return bottom - share * (bottom - top);
    }

    private void point(Moment moment, double y, StringBuilder to) {
        to.append(point(moment, y));
    }

    private String point(Moment moment, double y) {
        return String.format(Locale.ROOT, "%.1f,%.1f ", x(moment.seconds()), y);
    }

    private void add(String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values)).append('\n');
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }
}
