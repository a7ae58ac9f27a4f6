package cleave.chaos.fault;

import cleave.chaos.fault.Availability.Gap;
import cleave.chaos.fault.Availability.OfPartition;
import cleave.chaos.fault.Drill.Fault;
import cleave.chaos.fault.Drill.Recovery;
import cleave.chaos.fault.Drill.Report;
import cleave.chaos.picture.Axis;
import cleave.chaos.picture.Svg;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Draws when each range took writes during drills, and the faults, as an SVG. Confined to its thread. A panel for each drill: above, the
 * acknowledged writes a second; below, a row for each partition, with the gaps in it.
 */
final class DrillPicture {
    static final int WIDTH = 860;
    private static final int LEFT = 64;
    private static final int RIGHT = 846;
    private static final int PANELS = 96;
    private static final int RATE_TOP = 16;
    private static final int RATE_HEIGHT = 48;
    private static final int MARKS = RATE_TOP + RATE_HEIGHT + 16;
    private static final int MARKS_BACK = MARKS + 12;
    private static final int ROWS = MARKS_BACK + 10;
    private static final int ROW = 5;
    private static final int BELOW_ROWS = 60;
    private static final int POINTS_MAX = 260;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double BUCKET_SECONDS_MIN = 0.5;
    private static final String TAKES_WRITES = "#2c9a45";
    private static final String AFFECTED = "#d1242f";
    private static final String ELSEWHERE = "#bf8700";

    /** What is marked on the line of a fault: shapes around the origin. */
    private enum Symbol {
        KILLED(
                "M-5 -3.5L-3.5 -5L0 -1.5L3.5 -5L5 -3.5L1.5 0L5 3.5L3.5 5L0 1.5L-3.5 5L-5 3.5L-1.5 0Z",
                "killed or cut off"),
        PAUSED("M-4 -5H-1V5H-4ZM1 -5H4V5H1Z", "paused"),
        BACK("M-4 -5L5 0L-4 5Z", "runs again");

        private final String path;
        private final String title;

        Symbol(String path, String title) {
            this.path = path;
            this.title = title;
        }

        static Symbol of(Fault fault) {
            return fault.kind().contains("paused") ? PAUSED : KILLED;
        }
    }

    private final Svg svg;

    private DrillPicture(int height) {
        svg = new Svg(
                WIDTH,
                height,
                "Writes under faults",
                "When each range took writes, over time, with the times at which processes were killed, paused and run again");
    }

    static int heightOf(List<Report> reports) {
        return heightOfPanels(reports.stream().map(Panel::of).toList());
    }

    private static int heightOfPanels(List<Panel> panels) {
        return PANELS + panels.stream().mapToInt(Panel::height).sum();
    }

    static String of(List<Report> reports) {
        List<Panel> panels = reports.stream().map(Panel::of).toList();
        DrillPicture picture = new DrillPicture(heightOfPanels(panels));
        picture.legend();
        int y = PANELS;
        for (Panel panel : panels) {
            picture.draw(panel, y);
            y += panel.height();
        }
        return picture.svg.end();
    }

    private void legend() {
        svg.heading(8, "Writes under faults");
        int x = LEFT;
        x = legend(x, TAKES_WRITES, "writes acknowledged");
        x = legend(x, AFFECTED, "none: a fault under way affects the range");
        legend(x, ELSEWHERE, "none, without such a fault");
        x = LEFT + 6;
        for (Symbol symbol : Symbol.values()) {
            svg.symbol(x, 58, symbol.path);
            svg.text(x + 12, 62, "start", symbol.title);
            x += 34 + symbol.title.length() * 7;
        }
        svg.add("<path d=\"M%d 53v10\" stroke=\"#a35bd1\" stroke-width=\"1.5\"/>", x);
        svg.text(x + 8, 62, "start", "a request failed or has an unknown outcome");
    }

    private int legend(int x, String colour, String text) {
        svg.square(x, 32, colour);
        svg.text(x + 17, 42, "start", text);
        return x + 36 + (int) (text.length() * 6.2);
    }

    /** One drill. Immutable. */
    private record Panel(Report report, Availability availability) {
        static Panel of(Report report) {
            return new Panel(report, Availability.of(report.history()));
        }

        int height() {
            return ROWS + ROW * availability.partitions().size() + BELOW_ROWS;
        }

        double seconds() {
            return Math.max(1, (availability.until() - availability.from()) / NANOS_PER_SECOND);
        }

        double x(long nanos) {
            double share = (nanos - availability.from()) / NANOS_PER_SECOND / seconds();
            return LEFT + Math.max(0, Math.min(1, share)) * (RIGHT - LEFT);
        }

        boolean isExplained(OfPartition partition, Gap gap) {
            return report.faults().stream().anyMatch(fault -> fault.explains(partition.key(), gap));
        }

        /** Such as "server killed, 20 times: every range took writes again after 0.72 to 1.67 s". */
        String title() {
            Map<String, List<Recovery>> byKind = new LinkedHashMap<>();
            report.recoveries()
                    .forEach(each -> byKind.computeIfAbsent(each.kind(), kind -> new ArrayList<>())
                            .add(each));
            List<String> titles = new ArrayList<>();
            byKind.forEach((kind, recoveries) -> titles.add(kind + ", " + times(recoveries.size())
                    + ": every range took writes again after " + between(recoveries) + " s"));
            return titles.isEmpty() ? "no faults" : String.join("; ", titles);
        }

        private static String times(int count) {
            return count == 1 ? "once" : count == 2 ? "twice" : count + " times";
        }

        private static String between(List<Recovery> recoveries) {
            String least =
                    seconds(recoveries.stream().mapToLong(Recovery::nanos).min().orElse(0));
            String most =
                    seconds(recoveries.stream().mapToLong(Recovery::nanos).max().orElse(0));
            return least.equals(most) ? most : least + " to " + most;
        }

        private static String seconds(long nanos) {
            return String.format(Locale.ROOT, "%.2f", nanos / NANOS_PER_SECOND);
        }
    }

    private void draw(Panel panel, int top) {
        svg.heading(8, top, panel.title());
        int rowsTop = top + ROWS;
        int rowsBottom = rowsTop + ROW * panel.availability().partitions().size();
        panel.report().faults().forEach(fault -> draw(fault, panel, top, rowsBottom));
        rate(panel, top + RATE_TOP);
        rows(panel, rowsTop);
        svg.valueAxisName((rowsTop + rowsBottom) / 2.0, "ranges");
        for (double tick : Axis.linear(0, panel.seconds(), 10).ticks()) {
            if (tick <= panel.seconds()) {
                svg.text(LEFT + tick / panel.seconds() * (RIGHT - LEFT), rowsBottom + 16, "middle", Axis.text(tick));
            }
        }
        svg.text((LEFT + RIGHT) / 2.0, rowsBottom + 32, "middle", "seconds");
        svg.text(
                LEFT,
                rowsBottom + 32,
                "start",
                "gap: more than " + Panel.seconds(panel.availability().gapNanosMin()) + " s without a write");
    }

    /** Shades a fault until what failed is back, and marks both ends. */
    private void draw(Fault fault, Panel panel, int top, int bottom) {
        double from = panel.x(fault.from());
        double over = panel.x(fault.over());
        svg.add(
                "<rect class=\"fault\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\" fill-opacity=\"0.25\"/>",
                from, top + RATE_TOP, Math.max(1, over - from), bottom - top - RATE_TOP, Svg.GREY);
        svg.symbol(from, top + MARKS, Symbol.of(fault).path);
        svg.symbol(over, top + MARKS_BACK, Symbol.BACK.path);
    }

    /** The acknowledged writes a second of all ranges. */
    private void rate(Panel panel, int top) {
        double seconds = Math.max(BUCKET_SECONDS_MIN, panel.seconds() / POINTS_MAX);
        int[] counts = new int[(int) Math.ceil(panel.seconds() / seconds)];
        for (long time : panel.availability().acknowledged()) {
            int bucket = (int) ((time - panel.availability().from()) / NANOS_PER_SECOND / seconds);
            counts[Math.min(counts.length - 1, bucket)]++;
        }
        double most = 0;
        for (int count : counts) {
            most = Math.max(most, count / seconds);
        }
        Axis axis = Axis.linear(0, Math.max(1, most), 1);
        int bottom = top + RATE_HEIGHT;
        svg.level(LEFT, RIGHT, bottom);
        svg.level(LEFT, RIGHT, top);
        svg.text(LEFT - 8, bottom + 4.0, "end", "0");
        svg.text(LEFT - 8, top + 4.0, "end", Axis.text(axis.to()));
        svg.valueAxisName(top + RATE_HEIGHT / 2.0, "writes/s");
        StringBuilder points = new StringBuilder();
        for (int i = 0; i < counts.length; i++) {
            double x = LEFT + (i + 0.5) * seconds / panel.seconds() * (RIGHT - LEFT);
            points.append(Svg.point(Math.min(RIGHT, x), bottom - axis.share(counts[i] / seconds) * RATE_HEIGHT));
        }
        svg.polyline(points.toString(), Svg.colour(0), 1.2);
    }

    private void rows(Panel panel, int top) {
        StringBuilder lines = new StringBuilder();
        StringBuilder affected = new StringBuilder();
        StringBuilder elsewhere = new StringBuilder();
        StringBuilder failed = new StringBuilder();
        int y = top;
        for (OfPartition partition : panel.availability().partitions()) {
            double middle = y + ROW / 2.0;
            lines.append(String.format(Locale.ROOT, "M%d %.1fH%d", LEFT, middle, RIGHT));
            for (Gap gap : partition.gaps()) {
                double from = panel.x(gap.from());
                (panel.isExplained(partition, gap) ? affected : elsewhere)
                        .append(String.format(
                                Locale.ROOT,
                                "M%.1f %.1fh%.1f",
                                from,
                                middle,
                                Math.max(0.5, panel.x(gap.until()) - from)));
            }
            Set<Long> pixels = new LinkedHashSet<>();
            partition.failed().forEach(time -> pixels.add(Math.round(panel.x(time))));
            for (long x : pixels) {
                failed.append(String.format(Locale.ROOT, "M%d %dv%d", x, y, ROW));
            }
            y += ROW;
        }
        path("takes-writes", lines, TAKES_WRITES, 0.55);
        path("affected", affected, AFFECTED, 1);
        path("elsewhere", elsewhere, ELSEWHERE, 1);
        svg.add("<path class=\"failed\" d=\"%s\" stroke=\"#a35bd1\" stroke-width=\"1.5\"/>", failed);
    }

    private void path(String name, StringBuilder path, String colour, double opacity) {
        svg.add(
                "<path class=\"%s\" d=\"%s\" stroke=\"%s\" stroke-width=\"%d\" stroke-opacity=\"%.2f\"/>",
                name, path, colour, ROW - 1, opacity);
    }
}
