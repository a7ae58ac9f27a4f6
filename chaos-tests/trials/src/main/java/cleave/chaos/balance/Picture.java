package cleave.chaos.balance;

import cleave.chaos.picture.Axis;
import cleave.chaos.picture.Svg;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Draws a trial as an SVG: the load and the number of ranges of each server, with handoffs and verdicts. Confined to
 * its thread.
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

    private final Report report;
    private final List<Moment> moments;
    private final List<String> servers;
    private final double from;
    private final double until;
    private final Svg svg;

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
        this.svg = new Svg(
                WIDTH, HEIGHT, report.title(), "Load and number of ranges of each server over time, with handoffs");
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
        svg.heading(LEFT, report.title());
        legend();
        double load = axis("entities/s", LOAD_TOP, LOAD_BOTTOM, most(this::busiest));
        for (int i = 0; i < servers.size(); i++) {
            String server = servers.get(i);
            line(
                    Svg.colour(i),
                    moment -> y(LOAD_TOP, LOAD_BOTTOM, moment.share(server).entities() / load));
        }
        double ranges = axis("ranges", RANGES_TOP, RANGES_BOTTOM, most(Moment::ranges));
        for (int i = 0; i < servers.size(); i++) {
            area(i, ranges);
        }
        seconds();
        report.events().forEach(this::mark);
        return svg.end();
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
            svg.square(x, 34, Svg.colour(i));
            svg.text(x + 17, 44, "start", servers.get(i));
            x += 90;
        }
        x = RIGHT - 290;
        for (Mark mark : Mark.values()) {
            svg.symbol(x, 40, mark.path);
            svg.text(x + 10, 44, "start", mark.title);
            x += 72;
        }
    }

    /** Draws the lines of a scale up to a maximum; returns the value at its top. */
    private double axis(String name, int top, int bottom, double most) {
        double step = step(most / LINES);
        int lines = (int) Math.max(1, Math.ceil(most / step));
        for (int i = 0; i <= lines; i++) {
            double y = y(top, bottom, (double) i / lines);
            svg.level(LEFT, RIGHT, y);
            svg.text(LEFT - 8, y + 4, "end", Axis.text(i * step));
        }
        svg.valueAxisName((top + bottom) / 2.0, name);
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
            svg.text(x(i * step), RANGES_BOTTOM + 18, "middle", Axis.text(i * step));
        }
        svg.text((LEFT + RIGHT) / 2.0, RANGES_BOTTOM + 36, "middle", "seconds since the load began");
        upright(0);
        upright(report.loadEnded());
    }

    private void upright(double second) {
        svg.add(
                "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"%s\" stroke-dasharray=\"2 3\"/>",
                x(second), LOAD_TOP, x(second), RANGES_BOTTOM, Svg.GREY);
    }

    private void line(String colour, ToDoubleFunction<Moment> y) {
        StringBuilder points = new StringBuilder();
        moments.forEach(moment -> point(moment, y.applyAsDouble(moment), points));
        svg.polyline(points.toString(), colour, 1.6);
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
        svg.add(
                "<polygon points=\"%s%s\" fill=\"%s\" fill-opacity=\"0.75\"/>",
                upper, String.join("", lower), Svg.colour(server));
    }

    private double below(Moment moment, int server) {
        return servers.subList(0, server).stream()
                .mapToInt(each -> moment.share(each).ranges())
                .sum();
    }

    private void mark(LeaderEvent event) {
        Mark mark = Mark.of(event, report.events());
        if (mark != null && event.seconds() >= from && event.seconds() <= until) {
            svg.symbol(x(event.seconds()), MARKS, mark.path);
        }
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
        return Svg.point(x(moment.seconds()), y);
    }
}
